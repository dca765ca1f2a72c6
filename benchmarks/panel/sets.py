"""The sets of the panel, their domains, and the files that a tool receives."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from benchmarks.peers.sets import DATA, SHUFFLE, TRUTH, read_texts

__all__ = [
    "PANEL",
    "SOURCE",
    "PanelSet",
    "Task",
    "cut_in_two",
    "find_sets",
    "join_columns",
    "prepare_task",
]


@dataclass(frozen=True)
class PanelSet:
    """One labelled set."""

    name: str
    domain: str
    drop: tuple[str, ...] = ()
    """Columns that the data index excludes; no tool receives them."""
    linked: bool = False
    """Whether the set has two sources, which are passed as two files."""
    counted: bool = True
    """Whether the summary counts the set; silver labels do not count."""
    folder: Path | None = None
    """The folder of the sets; the data of the panel by default."""

    @property
    def path(self) -> Path:
        """The file of records."""
        return (self.folder or DATA) / self.name / "records.csv"


SOURCE = "source"
"""The column of the source of a record, which is no evidence; baselines do not compare it."""

PANEL = {
    data.name: data
    for data in (
        PanelSet("historical_50k", "people"),
        PanelSet("RLdata10000", "people"),
        PanelSet("febrl3", "people"),
        PanelSet("fake_1000", "people"),
        PanelSet("cora_hpi_1879", "citations", drop=("label_raw", "text")),
        PanelSet("citeseer_pd_1563", "citations", counted=False),
        PanelSet("dblp_acm", "citations", drop=("orig_id",), linked=True),
        PanelSet("citeseerx_penn_14names", "authors", drop=("block",)),
        PanelSet("dblp_xml_680", "authors", drop=("block",)),
        PanelSet("chicago_early_childhood", "organisations", drop=("src_file",)),
        PanelSet("patstat_leuven", "organisations"),
        PanelSet("amazon_google", "products", drop=("orig_id",), linked=True),
        PanelSet("abt_buy", "products", drop=("orig_id",), linked=True),
        PanelSet("musicbrainz_entity_embed", "media", drop=("split",)),
        PanelSet("cddb", "media"),
        PanelSet("imdb_tmdb", "media", drop=("orig_id",), linked=True),
        PanelSet("business_names", "single text"),
        PanelSet("animals", "single text"),
        PanelSet("games", "single text"),
        PanelSet("bank_transactions", "transactions", linked=True),
    )
}


def find_sets(folder: Path) -> dict[str, PanelSet]:
    """The labelled sets of a folder: NAME/records.csv with the column `entity`.

    A column `source` with two values makes two files. The part of the name before the first
    underscore is the domain.
    """
    sets = {}
    for path in sorted(folder.glob("*/records.csv")):
        name, table = path.parent.name, read_texts(path)
        if TRUTH not in table.column_names:
            raise SystemExit(f"error: {path} has no column {TRUTH!r}, which holds the true entity")
        linked = SOURCE in table.column_names and len(table.column(SOURCE).unique()) == 2
        sets[name] = PanelSet(name, name.partition("_")[0], linked=linked, folder=folder)
    return sets


@dataclass(frozen=True)
class Task:
    """The files that a tool reads, and the truth of their records by id."""

    name: str
    domain: str
    paths: tuple[Path, ...]
    truth: pa.Array

    @property
    def records(self) -> int:
        """Number of records in all files."""
        return len(self.truth)


def prepare_task(data: PanelSet, folder: Path, limit: int | None = None) -> Task:
    """Write the records without truth, shuffled and numbered anew, one file a source.

    File order and ids reveal the truth of several sets, so both are replaced. Record ids count
    over all files, hence the truth is one array in the order of ids. `limit` is the largest number
    of records; above it, a random sample of whole entities is used.
    """
    table = read_texts(data.path)
    random = np.random.default_rng(SHUFFLE)
    table = table.take(random.permutation(table.num_rows))
    if limit is not None and table.num_rows > limit:
        table = table.filter(pa.array(_sample_entities(table.column(TRUTH), limit, random)))
    hidden = [name for name in table.column_names if name.endswith(TRUTH)]
    given_id = [name for name in table.column_names if name == "id"]
    visible = table.drop_columns([*given_id, *hidden, *data.drop])
    visible = visible.add_column(0, "id", pa.array(np.arange(table.num_rows)))
    paths = []
    for name, part in _sources(visible, data.linked):
        paths.append(folder / f"{data.name}{name}.parquet")
        pq.write_table(part, paths[-1])
    truth = table.column(TRUTH).combine_chunks()
    return Task(data.name, data.domain, tuple(paths), truth)


def join_columns(task: Task, folder: Path) -> Task:
    """Write the records of a task anew, with all values of a record in one column."""
    paths = []
    for path in task.paths:
        table = pq.read_table(path)
        names = [name for name in table.column_names if name not in ("id", SOURCE)]
        values = [table.column(name) for name in names]
        text = pc.binary_join_element_wise(*values, " ", null_handling="skip")
        paths.append(folder / f"{path.stem}-lines.parquet")
        pq.write_table(pa.table({"id": table.column("id"), "text": text}), paths[-1])
    return replace(task, paths=tuple(paths))


def cut_in_two(task: Task, folder: Path, share: float) -> Task:
    """Cut a file into two files without duplicates, of which the second shares some entities.

    The first file has one record of every second entity. The second file has one record of each
    other entity, and second records of the first file's entities, which are the given share of its
    records as far as there are any.
    """
    table = pq.read_table(task.paths[0])
    code = task.truth.dictionary_encode().indices.to_numpy()[table.column("id").to_numpy()]
    order = np.argsort(code, kind="stable")
    rank = np.empty(code.size, np.int64)
    start = np.flatnonzero(np.diff(code[order], prepend=-1))
    rank[order] = np.arange(code.size) - np.repeat(start, np.diff(start, append=code.size))
    first, second = np.flatnonzero(rank == 0), np.flatnonzero(rank == 1)
    left, other = first[::2], first[1::2]
    shared = second[np.isin(code[second], code[left])]
    shared = shared[: round(share / (1 - share) * other.size)]
    paths, rows = [], np.concatenate([left, other, shared])
    renumbered = table.take(rows).set_column(0, "id", pa.array(np.arange(rows.size)))
    parts = (renumbered[: left.size], renumbered[left.size :])
    for name, part in zip("ab", parts, strict=True):
        paths.append(folder / f"{task.name}-{name}.parquet")
        pq.write_table(part, paths[-1])
    truth = task.truth.take(table.column("id").take(rows).combine_chunks())
    return replace(task, paths=tuple(paths), truth=truth)


def _sample_entities(
    truth: pa.ChunkedArray, limit: int, random: np.random.Generator
) -> NDArray[np.bool_]:
    """Mark the records of random entities; entities that would exceed the limit are left out."""
    codes = truth.combine_chunks().dictionary_encode().indices.to_numpy()
    sizes = np.bincount(codes)
    chosen, total = np.zeros(sizes.size, dtype=np.bool_), 0
    for entity in random.permutation(sizes.size):
        if total + sizes[entity] <= limit:
            chosen[entity] = True
            total += sizes[entity]
    return chosen[codes]


def _sources(table: pa.Table, linked: bool) -> list[tuple[str, pa.Table]]:
    """The parts of a table by source, without the column of sources."""
    if not linked:
        return [("", table)]
    source = table.column(SOURCE)
    names = sorted(source.unique().to_pylist())
    parts = [table.filter(pc.equal(source, name)).drop_columns([SOURCE]) for name in names]
    return [(f"-{name}", part) for name, part in zip(names, parts, strict=True)]
