"""Smart splits with dumb merges, dumb splits with smart merges, and smart with smart (SDDS).

A state is a partition: two entities are merged in one way, however they are named. So is the
target of all proposals here, with whatever prior the model gives to partitions (empty entities are
integrated out of it). With K entities before and K' after, split or merge being drawn first with
probability 1/2 each:

- smart split: entity E with probability f(E), proportional to 1 / p(E) (`split="likelihood"`, as
  in Algorithm 2) or to p(E) ** (-1 / size) (`split="average"`); then sequential allocation in the
  order of the mentions' numbers, which depends on the members only, so the probability of a split
  is one product, P(A). A split into {A, B} is drawn with f(E) P(A) in all: the first mention's
  side has no name.
- dumb merge: each pair of entities with 2 / (K (K - 1)).
- dumb split: E with 1 / K, then a coin for each mention but the first: 2^(1 - n) / K.
- smart merge: E_i with 1 / K, E_j with probability f(E_j | E_i), proportional to p(E_i, E_j)
  (`merge="likelihood"`, equation 6) or to p(E_i, E_j) / p(E_j) (`merge="ratio"`): the pair has
  (f(j|i) + f(i|j)) / K. With `keys`, a mention and another of the same key are drawn instead: the
  pair has 2 / N sum over keys k of n_ik n_jk / n_k, at a cost that does not depend on K.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from partita.errors import InputError
from partita.kernel import Context, Rng, below, kernel
from partita.proposals.proposal import Engine, Proposal, mixture
from partita.proposals.sdds.clusters import (
    EMPTY,
    LEFT,
    RIGHT,
    Workspace,
    idle_move,
    list_members,
    merge_move,
    require_clusters,
    split_move,
    workspace,
)
from partita.proposals.sdds.smart import Keyed, keyed_merge, smart_merge, smart_split
from partita.states import Partition, Regroup
from partita.states.checks import fits, integers

__all__ = ["dumb_split_smart_merge", "sdds", "smart_smart", "smart_split_dumb_merge"]

LOG2 = math.log(2.0)


def smart_split_dumb_merge(*, split: str = "likelihood", sizes: bool = False) -> Proposal:
    """Propose a smart split, or the merge of a random pair of entities (SDDS Algorithm 2).

    Parameters
    ----------
    split
        "likelihood" picks entities by 1 / p(E) as in the paper, "average" by p(E) ** (-1/size),
        which also picks small entities where p falls with every mention.
    sizes
        Whether the allocation weighs the sides by their sizes, as a Dirichlet process does.
    """
    name = "smart_split_dumb_merge"
    _one_of(split, ("likelihood", "average"), "split")

    def bind(engine: Engine) -> Any:
        drawn, undone = smart_split(require_clusters(engine, name), split, sizes)

        @kernel
        def propose(
            rng: Rng, table: Workspace, state: Partition, context: Context, temperature: float
        ) -> tuple[Regroup, float]:
            live = state.live[0]
            if rng.random() < 0.5:
                source, count, forth = drawn(rng, context, state, table, temperature)
                if source < 0:
                    return idle_move(state), 0.0
                back = LOG2 - math.log((live + 1.0) * live)
                return split_move(state, table, count, source), back - forth
            if live < 2:
                return idle_move(state), 0.0
            a, b = draw_entities(rng, state)
            back = undone(rng, context, state, table, a, b, temperature)
            return merge_move(state, a, b), back - LOG2 + math.log(live * (live - 1.0))

        return propose

    return Proposal(name, Partition, bind, EMPTY, prepare=workspace)


def dumb_split_smart_merge(*, merge: str = "ratio", keys: ArrayLike | None = None) -> Proposal:
    """Propose a merge of similar entities, or a split by coin flips (SDDS Algorithm 3).

    Parameters
    ----------
    merge
        "likelihood" picks the partner by p(E_i, E_j) as in the paper, "ratio" by p(E_i, E_j) /
        p(E_j), which does not favour the smaller of two partners. Both score all entities.
    keys
        A key for each mention, such as its token: entities that share keys are merged, at a cost
        that depends on the two entities alone.
    """
    name = "dumb_split_smart_merge"
    _one_of(merge, ("likelihood", "ratio"), "merge")
    table, prepare, check = _indexed(keys, name)

    def bind(engine: Engine) -> Any:
        indexed = keys is not None
        clusters = None if indexed else require_clusters(engine, name)
        drawn, undone = keyed_merge() if indexed else smart_merge(clusters, merge)
        scratch, fill = (own_work, no_fill) if indexed else (own_table, _fill_sides(clusters))

        @kernel
        def propose(
            rng: Rng, table: Any, state: Partition, context: Context, temperature: float
        ) -> tuple[Regroup, float]:
            live, work = state.live[0], scratch(table)
            if rng.random() < 0.5:
                source = state.ids[below(rng, live)]
                count = flip_sides(rng, state, work, source)
                if count == 0:
                    return idle_move(state), 0.0
                fill(context, state, work, count)
                back = undone(rng, context, state, table, source, count)
                forth = (1.0 - count) * LOG2 - math.log(live)
                return split_move(state, work, count, source), back - forth
            if live < 2:
                return idle_move(state), 0.0
            i, j, forth = drawn(rng, context, state, table)
            if i == j:
                return idle_move(state), 0.0
            back = (1.0 - state.size[i] - state.size[j]) * LOG2 - math.log(live - 1.0)
            return merge_move(state, i, j), back - forth

        return propose

    return Proposal(name, Partition, bind, table, prepare=prepare, check=check)


def smart_smart(
    *, split: str = "likelihood", merge: str = "ratio", sizes: bool = False
) -> Proposal:
    """Propose a smart split or a smart merge, each the reverse of the other (SS, SDDS section 5.1).

    Few of either are accepted (section 4.1); it serves as a baseline.
    """
    name = "smart_smart"
    _one_of(split, ("likelihood", "average"), "split")
    _one_of(merge, ("likelihood", "ratio"), "merge")

    def bind(engine: Engine) -> Any:
        clusters = require_clusters(engine, name)
        split_drawn, split_undone = smart_split(clusters, split, sizes)
        merge_drawn, merge_undone = smart_merge(clusters, merge)

        @kernel
        def propose(
            rng: Rng, table: Workspace, state: Partition, context: Context, temperature: float
        ) -> tuple[Regroup, float]:
            if rng.random() < 0.5:
                source, count, forth = split_drawn(rng, context, state, table, temperature)
                if source < 0 or is_one_sided(table, count):
                    return idle_move(state), 0.0
                back = merge_undone(rng, context, state, table, source, count)
                return split_move(state, table, count, source), back - forth
            if state.live[0] < 2:
                return idle_move(state), 0.0
            i, j, forth = merge_drawn(rng, context, state, table)
            back = split_undone(rng, context, state, table, i, j, temperature)
            return merge_move(state, i, j), back - forth

        return propose

    return Proposal(name, Partition, bind, EMPTY, prepare=workspace)


def sdds(
    *,
    split: str = "likelihood",
    merge: str = "ratio",
    sizes: bool = False,
    keys: ArrayLike | None = None,
) -> Proposal:
    """Mix smart-dumb and dumb-smart proposals with equal probability (SDDS section 4)."""
    return mixture(
        [
            smart_split_dumb_merge(split=split, sizes=sizes),
            dumb_split_smart_merge(merge=merge, keys=keys),
        ]
    )


@kernel
def draw_entities(rng: Rng, state: Partition) -> tuple[int, int]:
    """Draw two different entities, all pairs equally likely."""
    first = below(rng, state.live[0])
    second = below(rng, state.live[0] - 1)
    if second >= first:
        second += 1
    return state.ids[first], state.ids[second]


@kernel
def is_one_sided(table: Workspace, count: int) -> bool:
    """Return whether all mentions are on the first mention's side."""
    moved = 0
    for k in range(count):
        moved += table.side[k]
    return moved == 0


@kernel
def flip_sides(rng: Rng, state: Partition, table: Workspace, source: int) -> int:
    """Draw sides by coin flips, the first mention on side 0; return 0 if nothing is split."""
    count = list_members(state, table, source, 0)
    first = 0
    for k in range(count):
        if table.sequence[k] < table.sequence[first]:
            first = k
    for k in range(count):
        table.side[k] = 0
        if k != first:
            table.side[k] = 0 if rng.random() < 0.5 else 1
    return 0 if is_one_sided(table, count) else count


@kernel
def own_table(table: Workspace) -> Workspace:
    """Return the scratch of a proposal without keys."""
    return table


@kernel
def own_work(table: Keyed) -> Workspace:
    """Return the scratch of a proposal with keys."""
    return table.work


@kernel
def no_fill(context: Context, state: Partition, table: Workspace, count: int) -> None:
    """Do nothing: keys need no statistics of the sides."""


def _fill_sides(clusters: Any) -> Any:
    """Compile the statistics of both sides."""
    clear, add = clusters.clear, clusters.add

    @kernel
    def fill(context: Context, state: Partition, table: Workspace, count: int) -> None:
        left, right = state.entity.size + LEFT, state.entity.size + RIGHT
        clear(context, left)
        clear(context, right)
        for k in range(count):
            add(context, left if table.side[k] == 0 else right, table.sequence[k], 1.0)

    return fill


def _indexed(keys: ArrayLike | None, name: str) -> tuple[Any, Any, Any]:
    """Build the table with its preparation and check, for merges by key or by score."""
    if keys is None:
        return EMPTY, workspace, lambda state: None
    array = integers(keys, "the keys")
    if array.ndim != 1 or array.size == 0:
        raise InputError(f"the keys have shape {array.shape}; give one for each mention")
    _, key = np.unique(array, return_inverse=True)
    key = key.reshape(-1).astype(np.int64)
    start = np.concatenate([[0], np.cumsum(np.bincount(key))]).astype(np.int64)
    other = np.argsort(key, kind="stable").astype(np.int64)
    table = Keyed(EMPTY, key, start, other, np.zeros(0))

    def prepare(table: Keyed, state: Partition) -> Keyed:
        return table._replace(work=workspace(table, state), tally=np.zeros(table.start.size))

    return table, prepare, fits(name, key.size)


def _one_of(value: str, known: tuple[str, ...], noun: str) -> None:
    if value not in known:
        raise InputError(f"{noun} is {value!r}; give {' or '.join(map(repr, known))}")
