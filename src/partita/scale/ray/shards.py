"""Shards on disk: one Parquet file for the mentions of each chunk, and one for their labels.

A folder holds `shards.json`, `vocabulary.parquet`, `alone.parquet` (mentions without another in
their canopy) and `round-0/shard-K.parquet`, chunk K of the plan; the search adds
`round-R/labels-K.parquet`. Writing and searching need one shard in memory at a time.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from partita.errors import InputError
from partita.io import write_file, write_text
from partita.kernel import Ints, distinct_of
from partita.scale.chunks import plan
from partita.scale.limits import split_canopies
from partita.scale.mentions import Mentions, Vocabulary, check_mentions, gather, spans
from partita.scale.search import Settings

__all__ = [
    "Manifest",
    "Shard",
    "done_path",
    "header_of",
    "labels_path",
    "manifest_of",
    "read_json",
    "read_labels",
    "read_table",
    "read_vocabulary",
    "shard_of",
    "shard_path",
    "write_json",
    "write_labels",
    "write_shards",
    "write_table",
]

VERSION = 1
"""Version of the file format."""
HEAD = b"partita"
"""Metadata key of the JSON header of a Parquet file."""


class Shard(NamedTuple):
    """Mentions of one shard, and their numbers among all mentions."""

    mention: Ints
    """The number of each mention among all."""
    canopy: Ints
    """The canopy of each mention, before large canopies were split."""
    rows: Mentions
    """The mentions; each piece of a canopy is a canopy here."""
    entity: Ints | None
    """The first mention of the entity that each mention starts in; None: singletons."""


@dataclass(frozen=True)
class Manifest:
    """The content of a folder of shards."""

    mentions: int
    chunk: int
    largest: int
    sizes: tuple[int, ...]
    """Mentions of each shard."""
    alone: int
    cut: Mapping[int, tuple[int, ...]]
    """By split canopy, the shards that hold its pieces."""
    notes: tuple[str, ...]


def shard_path(folder: Path, turn: int, number: int) -> Path:
    """The file of the mentions of a shard."""
    return folder / f"round-{turn}" / f"shard-{number:06d}.parquet"


def labels_path(folder: Path, turn: int, number: int) -> Path:
    """The file of the labels of a finished shard."""
    return folder / f"round-{turn}" / f"labels-{number:06d}.parquet"


def done_path(folder: Path, turn: int) -> Path:
    """The file that marks a finished round."""
    return folder / f"round-{turn}" / "done.json"


def write_shards(
    mentions: Mentions, folder: str | Path, settings: Settings | None = None
) -> Manifest:
    """Write one Parquet file for each chunk that `search` would process, one after the other.

    The arrays of the mentions may be mapped from files: only one shard at a time is copied. Of the
    settings, shards depend on `chunk` and `largest` only.
    """
    settings, target = settings or Settings(), Path(folder)
    if (target / "shards.json").exists():
        raise InputError(f"{target} already holds shards; search these, or give a new folder")
    original = check_mentions(mentions).canopy
    mentions, order, notes = split_canopies(mentions, settings.largest)
    (target / "round-0").mkdir(parents=True, exist_ok=True)
    write_vocabulary(target, mentions.vocabulary)
    sizes, cut = [], dict[int, list[int]]()
    # the split reorders mentions within their canopy only
    home = np.searchsorted(original, mentions.canopy[:-1], side="right") - 1
    pieces = np.bincount(home, minlength=original.size - 1)
    for number, canopies in enumerate(plan(mentions, settings.chunk)):
        table = _table(mentions, canopies, order, home)
        write_table(table, shard_path(target, 0, number), {"shard": number})
        sizes.append(table.num_rows)
        for canopy in distinct_of(home[canopies][pieces[home[canopies]] > 1]).tolist():
            cut.setdefault(canopy, []).append(number)
    single_mentions = order[mentions.canopy[:-1][np.diff(mentions.canopy) == 1]]
    # a piece of one mention may be merged with another piece in a later round
    split = np.flatnonzero((np.diff(mentions.canopy) == 1) & (pieces[home] > 1))
    if split.size:
        table = _table(mentions, split, order, home)
        write_table(table, shard_path(target, 0, len(sizes)), {"shard": len(sizes)})
        for canopy in distinct_of(home[split]).tolist():
            cut.setdefault(canopy, []).append(len(sizes))
        sizes.append(split.size)
        single_mentions = np.setdiff1d(single_mentions, order[mentions.canopy[:-1][split]])
    write_table(pa.table({"mention": np.sort(single_mentions)}), target / "alone.parquet", {})
    facts: dict[str, Any] = {
        **{"version": VERSION, "mentions": mentions.size, "alone": int(single_mentions.size)},
        **{"chunk": settings.chunk, "largest": settings.largest, "sizes": sizes},
        **{"cut": list(cut.items()), "notes": notes},
    }
    # written last: a folder without this file is incomplete
    write_json(target / "shards.json", facts)
    return manifest_of(target)


def manifest_of(folder: Path) -> Manifest:
    """The content of a folder; an InputError if a part of it is missing."""
    facts = read_json(folder / "shards.json", "write shards there with write_shards")
    if facts.get("version") != VERSION:
        raise InputError(
            f"{folder} has shards of version {facts.get('version')!r} but this Partita reads "
            f"{VERSION}; write them again"
        )
    cut = {int(canopy): tuple(numbers) for canopy, numbers in facts["cut"]}
    sizes, notes = tuple(facts["sizes"]), tuple(facts["notes"])
    for number in range(len(sizes)):
        path = shard_path(folder, 0, number)
        if not path.exists():
            raise InputError(
                f"shard {number} of {len(sizes)} is missing: there is no {path}; "
                "restore it, or write all shards again"
            )
    return Manifest(
        facts["mentions"], facts["chunk"], facts["largest"], sizes, facts["alone"], cut, notes
    )


def _table(mentions: Mentions, canopies: Ints, order: Ints, home: Ints) -> pa.Table:
    """The rows of the canopies `canopies`."""
    part, sizes = gather(mentions, canopies), np.diff(mentions.canopy)[canopies]
    start = part.start.astype(np.int32)
    return pa.table(
        {
            "mention": order[spans(mentions.canopy[canopies], sizes)],
            "canopy": np.repeat(home[canopies], sizes),
            "piece": np.repeat(canopies, sizes),
            "key": pa.ListArray.from_arrays(start, part.key),
            "count": pa.ListArray.from_arrays(start, part.count),
        }
    )


def shard_of(table: pa.Table, words: Vocabulary) -> Shard:
    """The mentions of a table, copied: kernels need writable arrays."""
    table = table.combine_chunks()
    columns = {name: _column(table, name) for name in table.column_names}
    lengths = np.diff(columns["key"].offsets.to_numpy())
    start = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    piece = columns["piece"].to_numpy()
    edges = np.concatenate([[0], np.flatnonzero(np.diff(piece)) + 1, [piece.size]])
    rows = Mentions(
        start,
        np.array(columns["key"].flatten()),
        np.array(columns["count"].flatten()),
        edges.astype(np.int64),
        words,
    )
    entity = np.array(columns["entity"]) if "entity" in columns else None
    return Shard(np.array(columns["mention"]), np.array(columns["canopy"]), rows, entity)


def _column(table: pa.Table, name: str) -> Any:
    column = table.column(name)
    return column.chunk(0) if column.num_chunks else pa.array([], column.type)


def write_vocabulary(folder: Path, words: Vocabulary) -> None:
    """Write the vocabulary."""
    table = pa.table({"family": words.family, "shown": words.shown, "mass": words.mass})
    head = {
        **{"names": list(words.names), "columns": words.columns},
        **{"edges": words.edges.tolist(), "mentions": words.mentions},
    }
    write_table(table, folder / "vocabulary.parquet", head)


def read_vocabulary(folder: Path) -> Vocabulary:
    """Read the vocabulary."""
    table, head = read_table(folder / "vocabulary.parquet")
    family, shown, mass = (np.array(table.column(name)) for name in ("family", "shown", "mass"))
    edges = np.array(head["edges"], np.int64)
    names, columns, mentions = tuple(head["names"]), head["columns"], head["mentions"]
    return Vocabulary(names, columns, edges, family, shown, mass, mentions)


def write_labels(
    path: Path, mention: Ints, entity: Ints, canopy: Ints, head: Mapping[str, Any]
) -> None:
    """Write the labels of one shard; the file is the checkpoint of that shard."""
    table = pa.table({"mention": mention, "entity": entity, "canopy": canopy})
    write_table(table, path, head)


def read_labels(path: Path) -> tuple[Ints, Ints, Ints]:
    """Mentions, the first mention of the entity of each, and their canopies."""
    table, _ = read_table(path)
    mention, entity, canopy = (
        np.array(table.column(name)) for name in ("mention", "entity", "canopy")
    )
    return mention, entity, canopy


def write_table(table: pa.Table, path: Path, head: Mapping[str, Any]) -> None:
    """Write a Parquet file with a header, atomically."""
    with_header = table.replace_schema_metadata({HEAD: json.dumps(dict(head)).encode()})
    write_file(path, lambda temporary: pq.write_table(with_header, temporary, compression="zstd"))


def read_table(path: Path) -> tuple[pa.Table, dict[str, Any]]:
    """A Parquet file and its header; an InputError if the file is missing or damaged."""
    try:
        table = pq.read_table(path, partitioning=None)
    except FileNotFoundError:
        raise InputError(f"there is no {path}; restore it, or write all shards again") from None
    except (OSError, pa.ArrowException) as error:
        reason = str(error).partition("\n")[0]
        raise InputError(f"{path} cannot be read ({reason}); write it again") from None
    head = json.loads((table.schema.metadata or {}).get(HEAD, b"{}"))
    return table, head


def write_json(path: Path, facts: Mapping[str, Any]) -> None:
    """Write a JSON object, atomically."""
    write_text(path, json.dumps(dict(facts), indent=1, allow_nan=False) + "\n")


def read_json(path: Path, remedy: str) -> dict[str, Any]:
    """Read a JSON object; an InputError with the remedy if the file is missing or damaged."""
    try:
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except OSError:
        raise InputError(f"there is no {path}; {remedy}") from None
    except ValueError:
        raise InputError(f"{path} is not JSON; {remedy}") from None
    return content


def header_of(path: Path) -> dict[str, Any] | None:
    """The header of a Parquet file, without its rows; None if there is no such file."""
    if not path.exists():
        return None
    header: dict[str, Any] = json.loads(pq.read_schema(path).metadata[HEAD])
    return header
