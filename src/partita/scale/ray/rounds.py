"""Rounds over split canopies: entities are repartitioned between rounds (XDOC 3).

Canopies are independent, so one round is enough for a canopy that fits into one worker. A larger
canopy is split into pieces, and two entities in different pieces cannot be merged. Between rounds
its entities are partitioned into new pieces, each entity as a whole: at random, or so that similar
entities (a super-entity, XDOC 4) share a piece. A round starts from the entities of the round
before it.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from partita.kernel import Ints
from partita.scale.mentions import Vocabulary
from partita.scale.ray.shards import Shard, shard_of

__all__ = [
    "RANDOM",
    "SUPER",
    "Pieces",
    "merge_parts",
    "partition_entities",
    "split_by_piece",
    "summarise_canopy",
]

RANDOM = "random"
SUPER = "super-entity"

Pieces = tuple[Ints, Ints, int]
"""Entities in rising order, the new piece of each, and the number of pieces."""


def summarise_canopy(
    shard: Shard, entity: Ints, canopy: int, group: int
) -> tuple[Ints, Ints, Ints]:
    """Entities of one canopy in a shard, the mentions of each, and the key that groups it.

    The key is the one of a group of keys with the largest TF-IDF weight in the entity; -1 if the
    entity has no key of the group. Groups take turns from round to round.
    """
    rows, words = np.flatnonzero(shard.canopy == canopy), shard.rows.vocabulary
    entities, place, sizes = np.unique(entity[rows], return_inverse=True, return_counts=True)
    of_row = np.full(entity.size, -1)
    of_row[rows] = place.reshape(-1)
    owner = np.repeat(of_row, np.diff(shard.rows.start))
    key = shard.rows.key.astype(np.int64)
    grouped = (owner >= 0) & (key >= words.edges[group]) & (key < words.edges[group + 1])
    keys = int(words.edges[-1])
    code, at = np.unique(owner[grouped] * keys + key[grouped], return_inverse=True)
    weight = np.bincount(at.reshape(-1), shard.rows.count[grouped], code.size)
    idf = np.log((words.mentions + 1.0) / np.maximum(words.shown[code % keys], 1))
    rank = np.argsort(weight * idf, kind="stable")
    shared = np.full(entities.size, -1)
    shared[code[rank] // keys] = code[rank] % keys
    return entities, sizes, shared


def partition_entities(
    parts: list[tuple[Ints, Ints, Ints]], by: str, limit: int, seed: list[int]
) -> Pieces:
    """Partition the entities of one canopy into pieces of at most `limit` mentions.

    Super-entities stay together where they fit into a piece; their order is random.
    """
    entity, size, key = (np.concatenate(column) for column in zip(*parts, strict=True))
    rng = np.random.default_rng(seed)
    rank = np.argsort(entity)
    entity, size, key = entity[rank], size[rank], key[rank]
    ungrouped = np.flatnonzero(key < 0) if by == SUPER else np.arange(entity.size)
    key[ungrouped] = key.max(initial=0) + 1 + np.arange(ungrouped.size)
    group = np.unique(key, return_inverse=True)[1].reshape(-1)
    shuffled = rng.permutation(int(group.max()) + 1)[group]
    order = np.argsort(shuffled, kind="stable")
    weight = np.bincount(shuffled, size).astype(np.int64)
    piece, current, filled, last = np.empty(entity.size, np.int64), 0, 0, -1
    for k in order.tolist():
        ahead = int(size[k])
        if shuffled[k] != last and weight[shuffled[k]] <= limit:
            ahead, last = int(weight[shuffled[k]]), shuffled[k]
        if filled and filled + ahead > limit:
            current, filled = current + 1, 0
        piece[k] = current
        filled += int(size[k])
    return entity, piece, current + 1


def split_by_piece(table: pa.Table, entity: Ints, pieces: Pieces) -> list[pa.Table]:
    """Mentions of one canopy and their entities, one table for each new piece."""
    entities, piece, count = pieces
    target = piece[np.searchsorted(entities, entity)]
    table = table.select(["mention", "canopy", "key", "count"])
    table = table.append_column("entity", pa.array(entity))
    return [table.take(np.flatnonzero(target == p)) for p in range(count)]


def merge_parts(tables: list[pa.Table], words: Vocabulary) -> tuple[pa.Table, Shard]:
    """One piece from the parts of all shards, with mentions in order."""
    table = pa.concat_tables(tables).sort_by("mention")
    table = table.append_column("piece", pa.array(np.zeros(table.num_rows, np.int64)))
    return table, shard_of(table, words)
