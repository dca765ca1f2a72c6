"""Greedy agglomeration: take the merge of largest gain, then score only the changed merges again.

MLNAGG Algorithm 1 on any model of partitions. Candidates are pairs of entities with a pair of
mentions in a canopy between them; the gain of a merge is the engine's own delta. A gain is taken
to depend on the two entities alone, so that after a merge only candidates with the new entity are
scored again. A prior on the number of entities changes all gains: each candidate is scored once
more before its merge.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partita.errors import InputError, ModelError
from partita.estimators import Estimator, exact
from partita.factors import Model
from partita.kernel import (
    CODE,
    OK,
    ORIGIN,
    Context,
    Floats,
    Ints,
    clear,
    different_mentions,
    distinct_of,
    entry,
    kernel,
    record,
)
from partita.proposals.proposal import Engine
from partita.proposals.split_merge import list_entity
from partita.states import SPACES, Partition, Regroup
from partita.states.checks import whole
from partita.states.partition import member
from partita.walks.chain import new_context, roomier
from partita.walks.walk import STATE, build_engine

__all__ = ["Agglomeration", "Merging", "greedy_merges"]


@dataclass(frozen=True)
class Agglomeration:
    """The final partition of greedy merging, with its merges and costs."""

    state: Partition
    gain: float
    """The score above that of the start."""
    merges: Ints
    """One row for each merge, in order: a mention of either entity (its smallest)."""
    scored: int
    """Number of scored merges."""


@kernel
def merge_of(state: Partition, a: int, b: int) -> Regroup:
    """The merge of the entities of two mentions: the smaller one leaves for the larger."""
    source, target = state.entity[a], state.entity[b]
    if state.size[source] > state.size[target]:
        source, target = target, source
    list_entity(state, source)
    return Regroup(member(state, source, 0), source, target, state.size[source])


class Kernels(NamedTuple):
    """Compiled kernels, shared by all models with the same templates."""

    score: Any
    change: Any
    join: Any
    part: Any


COMPILED: dict[Any, Kernels] = {}


def kernels_of(model: Model, estimator: Estimator) -> Kernels:
    """The compiled merges of a model; machine code is shared where kernels are the same."""
    kernels = [(t.count, t.emit, t.cache.commit, t.cache.room) for t in model.templates]
    key = (*kernels, estimator.part)
    if key not in COMPILED:
        COMPILED[key] = _kernels(model, estimator)
    return COMPILED[key]


def _kernels(model: Model, estimator: Estimator) -> Kernels:
    engine, table_room = build_engine(model, estimator)
    state_room = SPACES[Partition].room

    @kernel
    def ready(state: Partition, context: Context) -> bool:
        if not state_room(state):
            context.status[ORIGIN] = STATE
            return False
        return table_room(context)

    return Kernels(*_scoring(engine, ready), *_carrying_out(engine, ready))


def _scoring(engine: Engine, ready: Any) -> tuple[Any, Any]:
    """Compile the gains of merges, and the changes of features by merges."""
    inlined = engine.estimate

    @kernel(inline=False)
    def estimate(rng: Any, context: Context, state: Partition, move: Regroup) -> float:
        # one copy, called: it is large and used twice
        return inlined(rng, context, state, move)

    @entry
    def score(rng: Any, state: Partition, context: Context, pairs: Ints, gains: Floats) -> bool:
        if not ready(state, context):
            return False
        for k in range(pairs.shape[0]):
            move = merge_of(state, pairs[k, 0], pairs[k, 1])
            gains[k] = estimate(rng, context, state, move)
        return True

    @entry
    def change(rng: Any, state: Partition, context: Context, pairs: Ints, changes: Floats) -> bool:
        if not ready(state, context):
            return False
        for k in range(pairs.shape[0]):
            move = merge_of(state, pairs[k, 0], pairs[k, 1])
            for delta in context.deltas:
                clear(delta)
                record(delta, 1)
            estimate(rng, context, state, move)
            first = 0
            for delta in context.deltas:
                record(delta, 0)
                for q in range(delta.note[0]):
                    feature = delta.touched[q]
                    changes[k, first + feature] = delta.change[feature]
                first += delta.weights.size
        return True

    return score, change


def _carrying_out(engine: Engine, ready: Any) -> tuple[Any, Any]:
    """Compile a merge and its inverse."""
    apply, undo, commit, reverse = engine.apply, engine.undo, engine.commit, engine.reverse

    @entry
    def join(state: Partition, context: Context, a: int, b: int, record: Ints) -> bool:
        if not ready(state, context):
            return False
        move = merge_of(state, a, b)
        record[0], record[1], record[2], record[3] = move
        apply(state, move)
        commit(context.tables, state, move)
        return True

    @entry
    def part(state: Partition, context: Context, move: Regroup) -> bool:
        if not ready(state, context):
            return False
        undo(state, move)
        commit(context.tables, state, reverse(move))
        return True

    return join, part


class Merging:
    """A partition with its tables: scores, performs and undoes merges."""

    def __init__(self, model: Model, start: Partition, estimator: Estimator | None = None) -> None:
        if model.state is not Partition:
            raise ModelError(f"{model.state.__name__} cannot be merged; give a model of Partition")
        model.check(start)
        self.model = model
        self.state: Partition = SPACES[Partition].copy(start)
        self.context: Context = new_context(model, estimator or exact(), self.state, model.weights)
        self.rng = np.random.Generator(np.random.PCG64DXSM(0))
        self.kernels = kernels_of(model, estimator or exact())

    def _run(self, step: Callable[[Partition, Context], bool]) -> None:
        """Take a step, with more room as long as there is too little for it."""
        while not step(self.state, self.context):
            where = int(self.context.status[ORIGIN])
            self.state, self.context = roomier(self.model, self.state, self.context, where)

    def gains(self, pairs: Ints) -> Floats:
        """The gain of merging the entities of each pair of mentions."""
        gains = np.zeros(len(pairs))
        self._run(lambda state, context: self.kernels.score(self.rng, state, context, pairs, gains))
        if self.context.status[CODE] != OK:
            name = self.model.names[int(self.context.status[ORIGIN])]
            raise ModelError(f"the template {name!r} pushed a feature that it does not have")
        wrong = np.flatnonzero(~(gains < math.inf))
        if wrong.size:
            a, b = pairs[wrong[0]].tolist()
            raise ModelError(
                f"merging the entities of {a} and {b} changes the score by {gains[wrong[0]]}; make "
                "every factor return finite numbers"
            )
        return gains

    def changes(self, pairs: Ints) -> Floats:
        """The change of every feature by each merge, one row per pair of mentions."""
        changes = np.zeros((len(pairs), len(self.model.features)))
        self._run(
            lambda state, context: self.kernels.change(self.rng, state, context, pairs, changes)
        )
        return changes

    def join(self, a: int, b: int) -> tuple[Regroup, Ints, Ints]:
        """Merge the entities of two mentions; returns the arguments of `part`."""
        record = np.zeros(len(Regroup._fields), np.int64)
        self._run(lambda state, context: self.kernels.join(state, context, a, b, record))
        move = Regroup(*record.tolist())
        state, many = self.state, move.many
        return move, state.block[:many].copy(), state.trail[: many + 1].copy()

    def part(self, move: Regroup, block: Ints, trail: Ints) -> None:
        """Undo the last merge that is not undone yet."""

        def step(state: Partition, context: Context) -> bool:
            state.block[: block.size] = block
            state.place[block] = np.arange(block.size)
            state.trail[: trail.size] = trail
            return bool(self.kernels.part(state, context, move))

        self._run(step)


class Search:
    """Candidates by gain. The smallest mention of an entity is its name."""

    def __init__(self, merging: Merging, pairs: Ints, ahead: int) -> None:
        self.merging, self.ahead, self.scored = merging, ahead, 0
        self.near: dict[int, set[int]] = {}
        entity = merging.state.entity
        smallest = np.full(entity.size, entity.size)
        np.minimum.at(smallest, entity, np.arange(entity.size))
        ends = smallest[entity[pairs[entity[pairs[:, 0]] != entity[pairs[:, 1]]]]]
        for key in distinct_of(ends.min(1) * entity.size + ends.max(1)).tolist():
            a, b = divmod(key, entity.size)
            self.near.setdefault(a, set()).add(b)
            self.near.setdefault(b, set()).add(a)
        self.current: dict[tuple[int, int], float] = {}
        self.heap: list[tuple[float, int, int]] = []
        self.weigh([(a, b) for a, others in self.near.items() for b in others if a < b])

    def gains(self, pairs: Iterable[tuple[int, int]]) -> list[float]:
        """Gains of merges by themselves."""
        listed: NDArray[np.int64] = np.array(list(pairs), np.int64).reshape(-1, 2)
        self.scored += len(listed)
        return [float(gain) for gain in self.merging.gains(listed)] if len(listed) else []

    def weigh(self, pairs: list[tuple[int, int]]) -> list[float]:
        """Score candidates anew; returns their own gains."""
        pairs.sort()
        gains = self.gains(pairs)
        for (a, b), gain in zip(pairs, gains, strict=True):
            value = gain + (self.beyond(a, b, self.ahead) if self.ahead else 0.0)
            self.current[a, b] = value
            if value > 0.0:
                heapq.heappush(self.heap, (-value, a, b))
        return gains

    def beyond(self, a: int, b: int, depth: int, also: frozenset[int] = frozenset()) -> float:
        """The most that up to `depth` merges of the new entity gain once a and b are one."""
        gone = also | {a, b}
        others = sorted((self.near[a] | self.near[b] | self._reached(also)) - gone)
        if not others:
            return 0.0
        done = self.merging.join(a, b)
        gains = self.gains([(a, other) for other in others])
        if depth > 1:
            gains = [
                gain + self.beyond(a, other, depth - 1, gone)
                for gain, other in zip(gains, others, strict=True)
            ]
        self.merging.part(*done)
        return max(0.0, *gains)

    def _reached(self, entities: Iterable[int]) -> set[int]:
        return {other for entity in entities for other in self.near[entity]}

    def best(self) -> tuple[int, int, float] | None:
        """The merge of largest value and its own gain; None if no merge has a positive value."""
        while self.heap:
            value, a, b = heapq.heappop(self.heap)
            if self.current.get((a, b)) != -value:
                continue
            # a prior on the number of entities may have changed this value
            (gain,) = self.weigh([(a, b)])
            value = self.current[a, b]
            if value > 0.0 and value >= -self.heap[0][0]:
                return a, b, gain
        return None

    def merge(self, a: int, b: int) -> None:
        """Merge two entities and score the candidates near them again."""
        self.merging.join(a, b)
        low, high = min(a, b), max(a, b)
        for other in self.near.pop(high):
            self.current.pop((min(high, other), max(high, other)), None)
            self.near[other].discard(high)
            if other != low:
                self.near[other].add(low)
                self.near[low].add(other)
        touched, edge = {low}, {low}
        for _ in range(self.ahead):
            edge = self._reached(edge) - touched
            touched |= edge
        self.weigh(
            list(
                {(min(entity, x), max(entity, x)) for entity in touched for x in self.near[entity]}
            )
        )


def greedy_merges(
    model: Model,
    pairs: ArrayLike,
    start: Partition | None = None,
    *,
    n: int | None = None,
    look_ahead: int = 0,
    estimator: Estimator | None = None,
) -> Agglomeration:
    """Merge the two entities that gain most until no merge gains anything (MLNAGG Algorithm 1).

    The result is a local optimum, and a start for `sample(model, found.state)`.

    Parameters
    ----------
    pairs
        Pairs of mentions in one canopy: entities without any between them are never merged.
    start
        The partition to begin with; by default all of `n` mentions alone.
    look_ahead
        How many further merges of the new entity are tried out before a merge is judged. A merge
        that loses by itself is made if those that follow gain more.
    estimator
        How many of the touched factors are examined; by default all of them.
    """
    if start is None:
        if n is None:
            raise InputError("there is no start; give start= or the number of mentions, n=")
        start = Partition.singletons(n)
    listed = different_mentions(pairs, start.entity.size, "greedy_merges")
    search = Search(Merging(model, start, estimator), listed, whole(look_ahead, "look_ahead", 0))
    merges, total = [], 0.0
    while (best := search.best()) is not None:
        a, b, gain = best
        search.merge(a, b)
        total += gain
        merges.append((a, b))
    merged: NDArray[np.int64] = np.array(merges, np.int64).reshape(-1, 2)
    return Agglomeration(search.merging.state, total, merged, search.scored)
