"""Labelled tables, and the files of one presentation of their records.

A labelled table is an Arrow table with the columns `id` (unique numbers), `entity` (the truth) and
the values as text; `FILE` names the file of each record, where the records come in several files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray
from rapidfuzz.fuzz import token_sort_ratio

from benchmarks.panel.sets import Task
from partita.io import write_file

__all__ = [
    "ENTITY",
    "FILE",
    "ID",
    "Presented",
    "add_column",
    "deal_files",
    "list_columns",
    "map_values",
    "measure_bits",
    "new_header",
    "read_task",
    "split_files",
    "write_files",
]

ID, ENTITY = "id", "entity"
FILE = "@file"
"""The column of the file of a record; no tool receives it."""
PAIRS = 1_000
"""Pairs of each kind by which the information of a column is measured."""
RARE = 0.01
"""Share of random pairs that agree on a column of many values, which limits its bits to 6.6."""

Cell = str | None


@dataclass(frozen=True)
class Presented:
    """One presentation of records: the files of one run, and its settings."""

    files: Mapping[str, pa.Table]
    """The labelled table of each file, without `FILE`."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Settings of `resolve`."""
    origin: Mapping[int, int] = field(default_factory=dict)
    """The id of the record that each copy repeats."""
    shared: frozenset[int] | None = None
    """Ids over which two runs are compared; None for all that both have."""
    against: Presented | None = None
    """The presentation to compare with; None for the plain one."""
    beside: Presented | None = None
    """A presentation whose F1 is the least that this one should have."""

    @property
    def table(self) -> pa.Table:
        """All records in one table."""
        return pa.concat_tables(self.files.values(), promote_options="default")


def list_columns(table: pa.Table) -> list[str]:
    """The names of the columns of values."""
    return [name for name in table.column_names if name not in (ID, ENTITY, FILE)]


def read_task(task: Task) -> pa.Table:
    """The labelled table of a task of the panel; ids and row order are those of its files."""
    parts = []
    for path in task.paths:
        part = pq.read_table(path)
        if len(task.paths) > 1:
            part = part.append_column(FILE, pa.array([path.stem] * part.num_rows))
        parts.append(part)
    table = pa.concat_tables(parts, promote_options="default")
    truth = task.truth.cast(pa.string()).take(table.column(ID).combine_chunks())
    return table.append_column(ENTITY, truth)


def split_files(table: pa.Table) -> dict[str, pa.Table]:
    """The table of each file; the one file of records without `FILE` is named "records"."""
    if FILE not in table.column_names:
        return {"records": table}
    names = sorted(table.column(FILE).unique().to_pylist())
    source = table.column(FILE)
    return {name: table.filter(pc.equal(source, name)).drop_columns([FILE]) for name in names}


def deal_files(table: pa.Table, names: Sequence[str], rng: np.random.Generator) -> pa.Table:
    """Assign each record to one of some files at random."""
    code = pa.array(rng.integers(len(names), size=table.num_rows))
    dealt = pa.array(names).take(code)
    kept = table.drop_columns([FILE]) if FILE in table.column_names else table
    return kept.append_column(FILE, dealt)


def write_files(presented: Presented, folder: Path) -> list[Path]:
    """Write the files that the tool reads, without the truth."""
    paths = []
    for name, table in presented.files.items():
        paths.append(folder / f"{name}.parquet")
        visible = table.drop_columns([ENTITY])
        write_file(paths[-1], partial(pq.write_table, visible))
    return paths


def add_column(
    table: pa.Table, name: str, values: Sequence[Cell] | pa.Array, rng: np.random.Generator
) -> pa.Table:
    """Insert a column at a random place behind the id."""
    place = int(rng.integers(1, table.num_columns + 1))
    return table.add_column(place, name, pa.array(values, pa.string()))


def new_header(table: pa.Table, headers: Sequence[str], rng: np.random.Generator) -> str:
    """One of the headers, with a number if the table has it."""
    header = headers[int(rng.integers(len(headers)))]
    present = {name.lower() for name in table.column_names}
    names = (header, *(f"{header}_{number}" for number in range(2, 100)))
    return next(name for name in names if name.lower() not in present)


def map_values(table: pa.Table, names: Sequence[str], change: Callable[[str], Cell]) -> pa.Table:
    """Change each filled value of some columns."""
    for name in names:
        values = table.column(name).cast(pa.string()).to_pylist()
        changed = [value and change(value) for value in values]
        place = table.column_names.index(name)
        table = table.set_column(place, name, pa.array(changed, pa.string()))
    return table


def measure_bits(table: pa.Table) -> dict[str, float]:
    """Bits by which each column identifies an entity: of a true pair, on average, by the truth.

    Two values agree above a similarity that few random pairs reach. The bits are the share of true
    pairs that agree, times minus log2 of the share of random pairs that agree.
    """
    rng = np.random.default_rng(0)
    true, random = _draw_true_pairs(table, rng), rng.integers(table.num_rows, size=(PAIRS, 2))
    bits = {}
    for name in list_columns(table):
        values = table.column(name).cast(pa.string()).to_pylist()
        by_chance, by_truth = (_measure_similarities(values, pairs) for pairs in (random, true))
        if not by_chance.size or not by_truth.size:
            bits[name] = 0.0
            continue
        limit = np.quantile(by_chance, 1 - RARE)
        surprise = -float(np.log2((by_chance >= limit).mean()))
        bits[name] = float((by_truth >= limit).sum()) / len(true) * surprise
    return bits


def _draw_true_pairs(table: pa.Table, rng: np.random.Generator) -> NDArray[np.int64]:
    """Pairs of rows that follow each other in one entity, in random order."""
    code = table.column(ENTITY).combine_chunks().dictionary_encode().indices.to_numpy()
    order = np.lexsort((rng.random(code.size), code))
    same = np.flatnonzero(code[order[1:]] == code[order[:-1]])
    kept = rng.permutation(same)[:PAIRS]
    return np.stack([order[kept], order[kept + 1]], axis=1)


def _measure_similarities(values: Sequence[Cell], pairs: NDArray[np.int64]) -> NDArray[np.float64]:
    """Similarities of words in any order, of the pairs of different rows with both values."""
    both = ((values[left], values[right]) for left, right in pairs.tolist() if left != right)
    scores = [token_sort_ratio(a.lower(), b.lower()) for a, b in both if a and b]
    return np.array(scores, float)
