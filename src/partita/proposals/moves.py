"""Moves of one mention, and changes of one label."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from partita.errors import InputError
from partita.kernel import Ints, NoTable, Rng, below, distinct_of, kernel, symmetric_rows
from partita.proposals.canopies import Canopies
from partita.proposals.proposal import Proposal, simple
from partita.states import Labels, Partition, Regroup, Relabel
from partita.states.checks import fits, integers

__all__ = [
    "Neighbours",
    "flip",
    "join_neighbour",
    "move_to_entity",
    "neighbour_lists",
    "pair_move",
]


@kernel
def next_entity(state: Partition) -> int:
    """Return the id of the next new entity."""
    return state.ids[state.live[0]]


@kernel
def draw_entity_move(rng: Rng, table: NoTable, state: Partition) -> tuple[Regroup, float]:
    """Move a mention to a random entity, or to a new one if the draw is its own entity.

    In both directions an entity is drawn among the K present, so the ratio is K / K'.
    """
    i = below(rng, state.entity.size)
    entities = state.live[0]
    target = state.ids[below(rng, entities)]
    source = state.entity[i]
    alone = state.size[source] == 1
    if target == source:
        if alone:
            return Regroup(i, source, source, 1), 0.0
        return Regroup(i, source, next_entity(state), 1), math.log(entities / (entities + 1.0))
    if alone:
        return Regroup(i, source, target, 1), math.log(entities / (entities - 1.0))
    return Regroup(i, source, target, 1), 0.0


def move_to_entity() -> Proposal:
    """Propose to move a random mention to a random entity or a new one (SAMPLERANK section 5.1)."""
    return simple("move_to_entity", Partition, draw_entity_move)


@kernel
def join_or_leave(state: Partition, i: int, j: int) -> tuple[Regroup, float]:
    """Move mention i to the entity of j, or to a new one if both share an entity.

    Mentions are drawn, not entities: q is proportional to the size of the target without i; the
    reverse of a split has the same probability as the split.
    """
    source, target = state.entity[i], state.entity[j]
    if source == target:
        return Regroup(i, source, next_entity(state), 1), 0.0
    left = state.size[source] - 1
    if left == 0:
        return Regroup(i, source, target, 1), 0.0
    return Regroup(i, source, target, 1), math.log(left / state.size[target])


@kernel
def random_pair(rng: Rng, canopies: Canopies) -> tuple[int, int]:
    """Draw two mentions of one canopy, the first uniform in the window; j = -1 if none is left."""
    at = canopies.window[0] + below(rng, canopies.window[1] - canopies.window[0])
    i = canopies.order[at]
    canopy = canopies.canopy[i]
    first = canopies.start[canopy]
    size = canopies.start[canopy + 1] - first
    if size < 2:
        return i, -1
    other = first + below(rng, size - 1)
    if other >= at:
        other += 1
    return i, canopies.order[other]


@kernel
def draw_pair_move(rng: Rng, table: Canopies, state: Partition) -> tuple[Regroup, float]:
    """Draw two mentions of one canopy; the first joins the entity of the second or leaves it."""
    i, j = random_pair(rng, table)
    if j < 0:
        return Regroup(i, state.entity[i], state.entity[i], 1), 0.0
    return join_or_leave(state, i, j)


def pair_move(canopies: Canopies) -> Proposal:
    """Draw two mentions of a canopy; the first joins the second's entity or leaves it (HCOREF 2.2).

    With `canopies` from `one_canopy(n)` any two mentions can be drawn. Entities never cross
    canopies, and the start must not cross them either.
    """
    return simple("pair_move", Partition, draw_pair_move, canopies, canopies.respected, canopies)


class Neighbours(NamedTuple):
    """Candidate partners of each mention, and the mentions that are drawn."""

    start: Ints
    other: Ints
    rows: Ints


@kernel
def candidate_pair(rng: Rng, table: Neighbours) -> tuple[int, int]:
    """Draw a random mention and one of its candidates; j = -1 if it has none."""
    i = table.rows[below(rng, table.rows.size)]
    first = table.start[i]
    degree = table.start[i + 1] - first
    if degree == 0:
        return i, -1
    return i, table.other[first + below(rng, degree)]


def neighbour_lists(pairs: ArrayLike, n: int, noun: str = "neighbour_lists") -> Neighbours:
    """Build candidate lists, which several proposals can share in place of the pairs."""
    start, other, _ = symmetric_rows(pairs, n, noun)
    return Neighbours(start, other, np.arange(n))


def neighbours(
    pairs: ArrayLike | Neighbours, n: int, noun: str, among: ArrayLike | None = None
) -> tuple[Neighbours, Callable[[Any], None]]:
    """Return candidate lists, from pairs or as given, and the check of a start's size."""
    near = pairs if isinstance(pairs, Neighbours) else neighbour_lists(pairs, n, noun)
    if near.start.size != n + 1:
        raise InputError(f"{noun}: the lists are of {near.start.size - 1} mentions, not of {n}")
    rows = near.rows if among is None else integers(among, f"{noun}: among").astype(np.int64)
    if rows.size == 0 or rows.min() < 0 or rows.max() >= n:
        raise InputError(
            f"{noun}: among holds {rows.size} mentions from {rows.min(initial=n)} to "
            f"{rows.max(initial=-1)}; give mentions in 0..{n - 1}"
        )
    return near._replace(rows=distinct_of(rows)), fits(noun, n)


@kernel
def draw_neighbour_move(rng: Rng, table: Neighbours, state: Partition) -> tuple[Regroup, float]:
    """As `draw_pair_move`, with candidates counted individually: canopies may overlap."""
    i = table.rows[below(rng, table.rows.size)]
    source = state.entity[i]
    first = table.start[i]
    degree = table.start[i + 1] - first
    if degree == 0:
        return Regroup(i, source, source, 1), 0.0
    target = state.entity[table.other[first + below(rng, degree)]]
    if target == source:
        return Regroup(i, source, next_entity(state), 1), 0.0
    if state.size[source] == 1:
        return Regroup(i, source, target, 1), 0.0
    here, there = 0, 0
    for k in range(first, first + degree):
        entity = state.entity[table.other[k]]
        if entity == source:
            here += 1
        elif entity == target:
            there += 1
    if here == 0:
        return Regroup(i, source, target, 1), -math.inf
    return Regroup(i, source, target, 1), math.log(here / there)


def join_neighbour(
    pairs: ArrayLike | Neighbours, n: int, *, among: ArrayLike | None = None
) -> Proposal:
    """Move a random mention to the entity of one of its candidates, or out of it.

    Parameters
    ----------
    pairs
        Candidate pairs, for example from blocking, or lists of them; canopies may overlap.
    among
        The mentions that are drawn; by default all. Others never move as the first mention, and the
        draws condition on their entities.
    """
    table, check = neighbours(pairs, n, "join_neighbour", among)
    return simple("join_neighbour", Partition, draw_neighbour_move, table, check)


@kernel
def draw_flip(rng: Rng, table: NoTable, state: Labels) -> tuple[Relabel, float]:
    """Draw one of the other labels of a random variable, each with the same probability."""
    v = below(rng, state.label.size)
    old, size = state.label[v], state.domain[v]
    if size < 2:
        return Relabel(v, old, old), 0.0
    new = below(rng, size - 1)
    if new >= old:
        new += 1
    return Relabel(v, old, new), 0.0


def flip() -> Proposal:
    """Propose another label for a random variable, all equally likely."""
    return simple("flip", Labels, draw_flip)
