"""Hill-climbing moves: a mention joins a mention that shares a key, and two entities unite.

In a canopy of thousands, two random mentions are rarely one entity. These moves draw the second
mention among those that share a key with the first. Their proposal ratio is not computed: it
depends on all members of both entities, and a union has no reverse move. Moves are accepted by
their score alone, which climbs but does not sample. Use `pair_move` and `split_merge` to sample a
posterior.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from partita.kernel import Context, Ints, Rng, below, entry, kernel
from partita.proposals import Proposal
from partita.proposals.canopies import Canopies
from partita.proposals.moves import random_pair
from partita.proposals.proposal import Engine, simple
from partita.proposals.split_merge import list_entity, split_merge
from partita.scale.chunks import Chunk
from partita.states import Partition, Regroup
from partita.states.partition import member

__all__ = ["Postings", "join_sharer", "postings", "split", "union"]


class Postings(NamedTuple):
    """The keys of each mention, and the mentions that have each key."""

    canopies: Canopies
    start: Ints
    key: Ints
    head: Ints
    """Offset of the mentions of each key in `having`."""
    having: Ints


@kernel
def sharer(rng: Rng, table: Postings) -> tuple[int, int]:
    """A random mention of the window, and a mention with the less frequent of two of its keys."""
    canopies = table.canopies
    at = canopies.window[0] + below(rng, canopies.window[1] - canopies.window[0])
    i = canopies.order[at]
    first = table.start[i]
    keys = table.start[i + 1] - first
    if keys == 0:
        return i, -1
    k, other_key = table.key[first + below(rng, keys)], table.key[first + below(rng, keys)]
    holders = table.head[k + 1] - table.head[k]
    other_holders = table.head[other_key + 1] - table.head[other_key]
    if other_holders < holders:
        k, holders = other_key, other_holders
    j = table.having[table.head[k] + below(rng, holders)]
    return i, -1 if j == i else j


@kernel
def to_sharer(rng: Rng, table: Postings, state: Partition) -> tuple[Regroup, float]:
    """Move the first mention to the entity of the second."""
    i, j = sharer(rng, table)
    source = state.entity[i]
    return Regroup(i, source, source if j < 0 else state.entity[j], 1), 0.0


@kernel
def unite_entities(state: Partition, i: int, j: int) -> tuple[Regroup, float]:
    """Merge the smaller entity of two mentions into the larger."""
    source = state.entity[i]
    if j < 0 or state.entity[j] == source:
        return Regroup(i, source, source, 1), 0.0
    target = state.entity[j]
    if state.size[source] > state.size[target]:
        source, target = target, source
    list_entity(state, source)
    return Regroup(member(state, source, 0), source, target, state.size[source]), 0.0


@kernel
def unite_sharers(rng: Rng, table: Postings, state: Partition) -> tuple[Regroup, float]:
    """Merge the entities of two mentions that share a key."""
    i, j = sharer(rng, table)
    return unite_entities(state, i, j)


@kernel
def unite(rng: Rng, table: Canopies, state: Partition) -> tuple[Regroup, float]:
    """Merge the entities of two random mentions of a canopy."""
    i, j = random_pair(rng, table)
    return unite_entities(state, i, j)


def join_sharer(shared: Postings) -> Proposal:
    """Move a random mention to the entity of a mention that shares a key; for searches."""
    canopies = shared.canopies
    return simple("join_sharer", Partition, to_sharer, shared, canopies.respected, canopies)


def union(anchors: Canopies | Postings) -> Proposal:
    """Merge the entities of two mentions, random or with a shared key; for searches."""
    if isinstance(anchors, Canopies):
        return simple("union", Partition, unite, anchors, anchors.respected, anchors)
    canopies = anchors.canopies
    return simple(
        "union_of_sharers", Partition, unite_sharers, anchors, canopies.respected, canopies
    )


def split(canopies: Canopies) -> Proposal:
    """The splits and merges of `split_merge`, accepted by their score alone; for searches.

    The proposal ratio of `split_merge` counts the ways to split an entity. A large entity has a
    huge number of them, so without a prior on sizes a sampler spends its time on splits.
    """
    inner = split_merge(canopies)

    def bind(engine: Engine) -> Any:
        split_merge_move = inner.bind(engine)

        @kernel
        def propose(
            rng: Rng, table: Any, state: Partition, context: Context, temperature: float
        ) -> tuple[Regroup, float]:
            move, _ = split_merge_move(rng, table, state, context, temperature)
            return move, 0.0

        return propose

    return replace(inner, name="split", bind=bind)


def postings(chunk: Chunk) -> Postings:
    """The inverted index of a chunk: the mentions of each key."""
    head = np.zeros(chunk.group.size + 1, np.int64)
    having = np.empty(chunk.key.size, np.int64)
    invert(chunk.start, chunk.key, head, having)
    return Postings(chunk.canopies, chunk.start, chunk.key, head, having)


@entry
def invert(start: Ints, key: Ints, head: Ints, having: Ints) -> None:
    """Fill `head` and `having` by counting."""
    for q in range(key.size):
        head[key[q]] += 1
    total = 0
    for k in range(head.size):
        total += head[k]
        head[k] = total
    for i in range(start.size - 2, -1, -1):
        for q in range(start[i], start[i + 1]):
            head[key[q]] -= 1
            having[head[key[q]]] = i
