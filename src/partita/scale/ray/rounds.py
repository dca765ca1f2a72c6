"""Rounds: entities of a canopy that was cut are dealt out anew, so that parted ones meet (XDOC 3).

Canopies are independent, and one round finds what there is to find in them. A canopy too large for
one worker was cut, and entities in different pieces never meet. Between rounds its entities, whole,
are dealt to new pieces: at random, or so that similar ones (a super-entity, XDOC 4) share a piece.
The next round begins with the entities of the last.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from partita.kernel import Ints
from partita.scale.mentions import Vocabulary
from partita.scale.ray.shards import Shard, shard_of

__all__ = ["RANDOM", "SUPER", "Dealt", "deal", "gathered", "scattered", "summary"]

RANDOM, SUPER = "random", "super-entity"

Dealt = tuple[Ints, Ints, int]
"""Entities in rising order, the new piece of each, and how many pieces there are."""


def summary(shard: Shard, entity: Ints, canopy: int, group: int) -> tuple[Ints, Ints, Ints]:
    """Entities of one canopy in a shard, how many mentions each has, and the key it is grouped by.

    The key is, of one group of keys, the one with most weight (occurrences times rarity) in the
    entity; -1 without any. Groups take turns from round to round.
    """
    mine, words = np.flatnonzero(shard.canopy == canopy), shard.rows.vocabulary
    found, place, sizes = np.unique(entity[mine], return_inverse=True, return_counts=True)
    of_row = np.full(entity.size, -1)
    of_row[mine] = place.reshape(-1)
    owner = np.repeat(of_row, np.diff(shard.rows.start))
    key = shard.rows.key.astype(np.int64)
    here = (owner >= 0) & (key >= words.edges[group]) & (key < words.edges[group + 1])
    most = int(words.edges[-1])
    code, at = np.unique(owner[here] * most + key[here], return_inverse=True)
    weight = np.bincount(at.reshape(-1), shard.rows.count[here], code.size)
    rarity = np.log((words.mentions + 1.0) / np.maximum(words.shown[code % most], 1))
    rank = np.argsort(weight * rarity, kind="stable")
    chosen = np.full(found.size, -1)
    chosen[code[rank] // most] = code[rank] % most
    return found, sizes, chosen


def deal(parts: list[tuple[Ints, Ints, Ints]], by: str, most: int, seed: list[int]) -> Dealt:
    """Deal the entities of one canopy to pieces of at most `most` mentions each.

    Super-entities stay together where they fit into a piece; their order is random.
    """
    entity, size, key = (np.concatenate(column) for column in zip(*parts, strict=True))
    rng = np.random.default_rng(seed)
    rank = np.argsort(entity)
    entity, size, key = entity[rank], size[rank], key[rank]
    lone = np.flatnonzero(key < 0) if by == SUPER else np.arange(entity.size)
    key[lone] = key.max(initial=0) + 1 + np.arange(lone.size)
    group = np.unique(key, return_inverse=True)[1].reshape(-1)
    shuffled = rng.permutation(int(group.max()) + 1)[group]
    order = np.argsort(shuffled, kind="stable")
    weight = np.bincount(shuffled, size).astype(np.int64)
    piece, current, held, last = np.empty(entity.size, np.int64), 0, 0, -1
    for k in order.tolist():
        ahead = int(size[k])
        if shuffled[k] != last and weight[shuffled[k]] <= most:
            ahead, last = int(weight[shuffled[k]]), shuffled[k]
        if held and held + ahead > most:
            current, held = current + 1, 0
        piece[k] = current
        held += int(size[k])
    return entity, piece, current + 1


def scattered(table: pa.Table, entity: Ints, dealt: Dealt) -> list[pa.Table]:
    """Mentions of one canopy and their entities, by new piece."""
    entities, piece, pieces = dealt
    target = piece[np.searchsorted(entities, entity)]
    table = table.select(["mention", "canopy", "key", "count"])
    table = table.append_column("entity", pa.array(entity))
    return [table.take(np.flatnonzero(target == p)) for p in range(pieces)]


def gathered(tables: list[pa.Table], words: Vocabulary) -> tuple[pa.Table, Shard]:
    """One piece out of the parts that every shard has sent; mentions in order."""
    table = pa.concat_tables(tables).sort_by("mention")
    table = table.append_column("piece", pa.array(np.zeros(table.num_rows, np.int64)))
    return table, shard_of(table, words)
