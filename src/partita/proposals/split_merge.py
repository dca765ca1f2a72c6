"""Whole-entity merges, each paired with the anchored sequential-allocation split that undoes it.

Two anchors i and j are drawn independently of the partition. If they share an entity, it is split:
i and j open two groups, and the other members, in random order, join one of them with probability
proportional to exp(score / T) (Dahl's sequential allocation). If they do not, their entities are
merged. Given anchors and order the merge is certain, so log q(back) - log q(forth) is
-log P(allocation) for a split and +log P(allocation of the present two) for a merge.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from partita.kernel import Context, Ints, Rng, below, kernel
from partita.proposals.canopies import Canopies
from partita.proposals.moves import Neighbours, candidate_pair, neighbours, random_pair
from partita.proposals.proposal import Engine, Proposal
from partita.states import Partition, Regroup
from partita.states.partition import member
from partita.states.scratch import Groups, new_groups

__all__ = ["split_merge", "split_merge_neighbour"]

CERTAIN_LOG_ODDS = 37.0
"""Log odds above which the less likely side has probability below 2**-53."""
MIN_PRODUCT = 1e-200
"""Product of probabilities below which its logarithm is accumulated; float64 vanishes at 1e-308."""


class Allocation(NamedTuple):
    """The source of anchors, and scratch: allocation order, sides, and moves to undo."""

    anchors: Any
    sequence: Ints
    side: Ints
    journal: Ints
    groups: Groups


@kernel
def list_block(state: Partition, table: Allocation, count: int) -> int:
    """Write the smaller side to the state's block, then the other members; return its size.

    The reverse merge moves the smaller entity too (the first anchor's if both are equal): templates
    see the same block, and so the same factors, both ways.
    """
    many = 0
    for k in range(count):
        many += table.side[k]
    first = 1 if many < count - many else 0
    many, leaving = 0, 0
    for turn in range(2):
        for k in range(count):
            if table.side[k] == (first if turn == 0 else 1 - first):
                state.block[many] = table.sequence[k]
                state.place[table.sequence[k]] = many
                many += 1
        if turn == 0:
            leaving = many
    return leaving


@kernel
def list_entity(state: Partition, entity: int) -> None:
    """Write all members of an entity to the state's block."""
    for k in range(state.size[entity]):
        mention = member(state, entity, k)
        state.block[k] = mention
        state.place[mention] = k


@kernel
def list_anchored(rng: Rng, state: Partition, table: Allocation, i: int, j: int) -> int:
    """List the anchors, then the other members in random order, with their present sides."""
    table.sequence[0] = i
    table.sequence[1] = j
    count = 2
    for part in range(2):
        entity = state.entity[i] if part == 0 else state.entity[j]
        if part == 1 and entity == state.entity[i]:
            break
        for k in range(state.size[entity]):
            mention = member(state, entity, k)
            if mention != i and mention != j:
                table.sequence[count] = mention
                count += 1
    for k in range(count - 1, 2, -1):
        other = 2 + below(rng, k - 1)
        mention = table.sequence[k]
        table.sequence[k] = table.sequence[other]
        table.sequence[other] = mention
    for k in range(count):
        table.side[k] = 0 if state.entity[table.sequence[k]] == state.entity[i] else 1
    table.side[1] = 1
    return count


@kernel
def draw_side(rng: Rng, gap: float, side: int, free: bool) -> tuple[int, float, float]:
    """Return a side and its probability in two parts: a factor, and a term of its logarithm.

    `gap` is the log odds of side 0. The side is drawn if `free`, and fixed otherwise.
    """
    steep = abs(gap)
    # above SURE, the likelier side has probability 1 in 53 bits
    odds = math.exp(-steep) if steep < CERTAIN_LOG_ODDS else 0.0
    likely = 1.0 / (1.0 + odds)
    if free:
        side = 0 if rng.random() < (likely if gap > 0.0 else odds * likely) else 1
    if (side == 0) == (gap > 0.0):
        return side, likely, 0.0
    return side, likely, -steep


@kernel
def fold_factor(total: float, product: float) -> tuple[float, float]:
    """Move a small factor into the logarithm, so that the product does not underflow."""
    if product < MIN_PRODUCT:
        return total + math.log(product), 1.0
    return total, product


def _build_journal(engine: Engine) -> tuple[Any, Any]:
    """Compile single moves with a journal, and their exact reversal."""
    apply, undo, commit, reverse = engine.apply, engine.undo, engine.commit, engine.reverse

    @kernel(inline=False)
    def hop(
        context: Context, state: Partition, journal: Ints, at: int, mention: int, target: int
    ) -> int:
        source = state.entity[mention]
        journal[at, 0] = mention
        journal[at, 1] = source
        journal[at, 2] = state.slot[mention]
        move = Regroup(mention, source, target, 1)
        apply(state, move)
        commit(context.tables, state, move)
        journal[at, 3] = state.trail[1]
        return at + 1

    @kernel(inline=False)
    def rewind(context: Context, state: Partition, journal: Ints, at: int) -> None:
        for k in range(at - 1, -1, -1):
            mention = journal[k, 0]
            move = Regroup(mention, journal[k, 1], state.entity[mention], 1)
            state.trail[0] = journal[k, 2]
            state.trail[1] = journal[k, 3]
            undo(state, move)
            commit(context.tables, state, reverse(move))

    return hop, rewind


def _allocate(engine: Engine) -> Any:
    """Compile log P of an allocation: drawn for one entity, or evaluated for the present two."""
    exact = engine.exact
    hop, rewind = _build_journal(engine)

    @kernel(inline=False)
    def gap(rng: Rng, context: Context, state: Partition, mention: int, a: int, b: int) -> float:
        source = state.entity[mention]
        first = exact(rng, context, state, Regroup(mention, source, a, 1))
        return first - exact(rng, context, state, Regroup(mention, source, b, 1))

    @kernel
    def allocate(
        rng: Rng,
        context: Context,
        state: Partition,
        table: Allocation,
        count: int,
        temperature: float,
    ) -> float:
        i, j = table.sequence[0], table.sequence[1]
        origin, b = state.entity[i], state.entity[j]
        free = origin == b
        at, total, product = 0, 0.0, 1.0
        if not free:
            for k in range(2, count):
                if table.side[k] == 1:
                    at = hop(context, state, table.journal, at, table.sequence[k], origin)
        a = state.ids[state.live[0]]
        at = hop(context, state, table.journal, at, i, a)
        if free:
            b = state.ids[state.live[0]]
            at = hop(context, state, table.journal, at, j, b)
        for k in range(2, count):
            mention = table.sequence[k]
            step = gap(rng, context, state, mention, a, b) / temperature
            table.side[k], share, more = draw_side(rng, step, table.side[k], free)
            total, product = fold_factor(total + more, product * share)
            at = hop(context, state, table.journal, at, mention, a if table.side[k] == 0 else b)
        rewind(context, state, table.journal, at)
        return total + math.log(product)

    return allocate


def _allocate_by_split_scores(split_scores: Any) -> Any:
    """Compile the same from split scores, for models that have them; the state does not change."""
    clear, gap, count_on = split_scores.clear, split_scores.gap, split_scores.put

    @kernel
    def put(context: Context, table: Allocation, k: int) -> None:
        mention, side = table.sequence[k], table.side[k]
        table.groups.sign[mention] = 1.0 - 2.0 * side
        table.groups.size[side] += 1
        count_on(context, side, mention)

    @kernel
    def allocate(
        rng: Rng,
        context: Context,
        state: Partition,
        table: Allocation,
        count: int,
        temperature: float,
    ) -> float:
        free = state.entity[table.sequence[0]] == state.entity[table.sequence[1]]
        total, product = 0.0, 1.0
        for k in range(count):
            if k > 1:
                step = gap(context, table.groups, table.sequence[k]) / temperature
                table.side[k], share, more = draw_side(rng, step, table.side[k], free)
                total, product = fold_factor(total + more, product * share)
            put(context, table, k)
        for k in range(count):
            table.groups.sign[table.sequence[k]] = 0.0
        table.groups.size[:] = 0
        clear(context)
        return total + math.log(product)

    return allocate


def split_merge(canopies: Canopies) -> Proposal:
    """Merge the entities of two random mentions of a canopy, or split theirs (Dahl 2005).

    Cost is linear in the two entities, times the cost of moving one mention.
    """
    return _anchored("split_merge", random_pair, canopies, canopies.respected, canopies)


def split_merge_neighbour(
    pairs: ArrayLike | Neighbours, n: int, *, among: ArrayLike | None = None
) -> Proposal:
    """As `split_merge`, for a random mention (from `among`) and one of its candidates."""
    table, check = neighbours(pairs, n, "split_merge_neighbour", among)
    return _anchored("split_merge_neighbour", candidate_pair, table, check, None)


def _anchored(
    name: str, pick: Any, anchors: Any, check: Callable[[Any], None], canopies: Canopies | None
) -> Proposal:
    """Build splits and merges of the anchors that `pick(rng, anchors)` draws."""

    def bind(engine: Engine) -> Any:
        allocate = (
            _allocate_by_split_scores(engine.split_scores)
            if engine.split_scores
            else _allocate(engine)
        )

        @kernel
        def propose(
            rng: Rng, table: Allocation, state: Partition, context: Context, temperature: float
        ) -> tuple[Regroup, float]:
            i, j = pick(rng, table.anchors)
            source = state.entity[i]
            if j < 0:
                return Regroup(i, source, source, 1), 0.0
            count, log_p = list_anchored(rng, state, table, i, j), 0.0
            if count > 2:
                log_p = allocate(rng, context, state, table, count, temperature)
            target = state.entity[j]
            if source == target:
                many = list_block(state, table, count)
                fresh = state.ids[state.live[0]]
                return Regroup(state.block[0], source, fresh, many), -log_p
            if state.size[source] > state.size[target]:
                source, target = target, source
            list_entity(state, source)
            return Regroup(member(state, source, 0), source, target, state.size[source]), log_p

        return propose

    def prepare(table: Allocation, state: Partition) -> Allocation:
        n = state.entity.size
        return Allocation(
            table.anchors,
            np.zeros(n + 1, np.int64),
            np.zeros(n + 1, np.int64),
            np.zeros((2 * n + 2, 4), np.int64),
            new_groups(n),
        )

    empty = np.zeros(0, np.int64)
    return Proposal(
        name=name,
        state=Partition,
        bind=bind,
        table=Allocation(anchors, empty, empty, empty.reshape(0, 4), new_groups(0)),
        check=check,
        prepare=prepare,
        canopies=canopies,
    )
