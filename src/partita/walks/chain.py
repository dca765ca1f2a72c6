"""Chain: one walk with its state, tables, generator and counters; it never loses its place."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from partita.errors import InputError, ModelError
from partita.estimators import Estimator
from partita.factors import Model
from partita.kernel import (
    BAD_BOUND,
    BAD_FEATURE,
    EXAMINED,
    NO_ROOM,
    STATUS,
    WELL,
    WHERE,
    Floats,
    Ints,
    Rng,
    World,
    deltas,
    dump,
    load,
)
from partita.proposals import Proposal
from partita.states import SPACES
from partita.walks.ramp import Ramp
from partita.walks.training import Lesson, Teaching
from partita.walks.walk import STATE, Compiled

__all__ = ["Chain", "total_score", "total_statistics"]

SLICE = 1 << 20
"""Steps of one call into compiled code: short enough for Ctrl-C to be answered."""

DECK = 1 << 16
"""Cards of the deck from which sampled factors are dealt."""

UNLIMITED = 1 << 62


class Chain:
    """One Markov chain.

    Parameters
    ----------
    model, proposal, estimator, compiled
        What is sampled and how; `compiled` is made once and shared by all chains.
    start
        The start state; it is copied.
    rng
        The chain's own generator.
    teaching
        Set for a chain that learns; its weights are then a copy of the model's.
    ramp
        Set for a chain whose weights rise to the model's while it tunes; they are a copy, too.
    """

    def __init__(
        self,
        model: Model,
        proposal: Proposal,
        estimator: Estimator,
        compiled: Compiled,
        start: Any,
        rng: Rng,
        teaching: Teaching | None = None,
        ramp: Ramp | None = None,
    ) -> None:
        self.model, self.proposal, self.estimator = model, proposal, estimator
        self.compiled, self.rng = compiled, rng
        self.space = SPACES[model.state]
        self.state = self.space.copy(start)
        self.weights = model.weights.copy() if teaching or ramp else model.weights
        self.ramp = ramp
        if ramp is not None:
            self.weights[:] = ramp.first
        self.lesson = Lesson((), ())
        if teaching is not None:
            memory = teaching.lesson.memory
            own = teaching.equip(load(memory, dump(memory)), self.weights)
            self.lesson = Lesson(teaching.begin(teaching.lesson.truth, self.state), own)
        self.teaching = teaching
        self.world = new_world(model, estimator, self.state, self.weights)
        guide = proposal.guide
        self.canopies = proposal.canopies
        if self.canopies is not None:
            # the window moves while a chain sweeps, so each chain has its own
            window = self.canopies.window.copy()
            guide = replaced(guide, self.canopies.window, window)
            self.canopies = self.canopies._replace(window=window)
        self.guide = proposal.prepare(guide, self.state) if proposal.prepare else guide
        self.tally: Ints = np.zeros((len(proposal.counted), 2), np.int64)
        self.place: Ints = np.zeros(6, np.int64)
        """Where a sweep over canopies stands; all zero between two sweeps."""
        self.halted: Callable[[], bool] = lambda: False
        """Asked from time to time whether to stop in the middle."""
        self.steps = 0
        self.score = 0.0
        """Change of the model's score since the start, by the estimator's own account."""

    @property
    def examined(self) -> int:
        """Factors examined so far."""
        return int(self.world.alarm[EXAMINED])

    @property
    def keeps_score(self) -> bool:
        """Whether `score` is exact: nothing is guessed, and no weight changes on the way."""
        risen = self.ramp is not None and np.array_equal(self.weights, self.model.weights)
        return not self.estimator.guesses and (self.weights is self.model.weights or risen)

    @property
    def learned(self) -> Floats:
        """The weights as they are now, by the learner's account (such as their average)."""
        if self.teaching is None:
            return self.weights
        return self.teaching.finish(self.lesson.memory, self.weights)

    def join(self, other: Chain) -> None:
        """Learn from now on with the weights, the deltas and the memory of another chain."""
        self.weights = other.weights
        self.lesson = self.lesson._replace(memory=other.lesson.memory)
        self.world = self.world._replace(deltas=other.world.deltas, alarm=other.world.alarm)

    def restart(self, start: Any) -> None:
        """Stand at another state, with weights and counters as they are."""
        self.state = self.space.copy(start)
        self.world = self.world._replace(tables=self.model.tables(self.state))
        if self.teaching is not None:
            truth = self.teaching.begin(self.teaching.lesson.truth, self.state)
            self.lesson = self.lesson._replace(truth=truth)

    def compile(self) -> None:
        """Compile the walk without taking a step."""
        self._walk(0, 1.0, 0)

    def _walk(self, steps: int, temperature: float, factors: int) -> int:
        # one running sum: where the walk is interrupted does not change a bit of it
        done, self.score = self.compiled.walk(
            self.rng,
            self.state,
            self.world,
            self.guide,
            self.lesson,
            temperature,
            steps,
            factors,
            self.score,
            self.tally,
        )
        self.steps += done
        return int(done)

    def tune(self, progress: float) -> None:
        """Set the estimator's knobs for a fraction of the run."""
        if self.estimator.moving:
            self.world.knobs[:] = self.estimator.knobs(self.model, progress)

    def climb(self, tuned: float) -> bool:
        """Set the weights for a fraction of tuning; whether they have just become the model's."""
        if self.ramp is None or np.array_equal(self.weights, self.ramp.last):
            return False
        self.weights[:] = self.ramp.at(tuned)
        return bool(np.array_equal(self.weights, self.ramp.last))

    def redraw(self) -> None:
        """Draw the parameters of templates that have some, given the state."""
        for template, table in zip(self.model.templates, self.world.tables, strict=True):
            if template.redraw is not None:
                self.score += template.redraw(self.rng, table, self.state)

    def facts(self) -> dict[str, float]:
        """Scalars of the state and of the templates, by name."""
        found = self.space.facts(self.state)
        for template, table in zip(self.model.templates, self.world.tables, strict=True):
            if template.facts is not None:
                found = {**found, **template.facts(table)}
        return found

    def run(self, steps: int, temperature: float = 1.0, factors: int = UNLIMITED) -> int:
        """Take up to `steps` steps, or until `factors` are examined in all; returns how many."""
        left = steps
        while left > 0 and self.examined < factors and not self.halted():
            left -= self._walk(min(left, SLICE), temperature, factors)
            self._recover()
        return steps - left

    def sweep(
        self,
        temperatures: Floats,
        settle: float,
        steps: int = UNLIMITED,
        factors: int = UNLIMITED,
        *,
        short: bool = False,
    ) -> int | None:
        """Visit canopy after canopy; returns how many of them settled before their last round.

        None if it had to stop before the end, after `steps` steps or `factors` factors of the
        chain or because it was halted; the next call goes on from there.
        """
        at = self.place
        while at[0] < self.canopies.count:
            if self.steps >= steps or self.examined >= factors or self.halted():
                return None
            before = int(at[2])
            self.score = self.compiled.sweep(
                self.rng,
                self.state,
                self.world,
                self.guide,
                self.lesson,
                self.canopies,
                temperatures,
                settle,
                short,
                before + min(SLICE, steps - self.steps),
                factors,
                self.score,
                at,
                self.tally,
            )
            self.steps += int(at[2]) - before
            self._recover()
        settled = int(at[3])
        at[:] = 0
        return settled

    def _recover(self) -> None:
        """Enlarge a full pool and go on; raise for everything else that stops a walk."""
        alarm = self.world.alarm
        status, where = int(alarm[STATUS]), int(alarm[WHERE])
        alarm[STATUS] = WELL
        if status == NO_ROOM:
            self.state, self.world = roomier(self.model, self.state, self.world, where)
        elif status != WELL:
            raise ModelError(self._trouble(status, where))

    def _trouble(self, status: int, where: int) -> str:
        name = self.model.names[where] if where >= 0 else ""
        when = f"at step {self.steps}"
        if status == BAD_FEATURE:
            width = self.model.widths[where]
            return (
                f"{when} the template {name!r} pushed a feature outside 0..{width - 1}; "
                "its emit kernel and its features do not agree"
            )
        if status == BAD_BOUND:
            return (
                f"{when} a factor of {name!r} changed the score by more than its bound; "
                "give the template a larger bound, or use exact()"
            )
        return (
            f"{when} the score became NaN or infinite; a factor or a user's function returned it: "
            "make sure that it returns finite numbers for every pair"
        )


def replaced(value: Any, old: Any, new: Any) -> Any:
    """A nested tuple with one of its arrays, found by identity, replaced wherever it stands."""
    if value is old:
        return new
    if not isinstance(value, tuple):
        return value
    parts = [replaced(part, old, new) for part in value]
    return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)


def new_world(model: Model, estimator: Estimator, state: Any, weights: Floats) -> World:
    """Tables, deltas and scratch of one chain."""
    alarm = np.zeros(4, np.int64)
    cards = DECK if estimator.samples else 0
    return World(
        tables=model.tables(state),
        deltas=deltas(weights, model.widths, alarm),
        knobs=estimator.knobs(model, 0.0),
        deck=np.tile(np.arange(cards), (3, 1)),
        found=np.zeros(1),
        alarm=alarm,
    )


def roomier(model: Model, state: Any, world: World, where: int) -> tuple[Any, World]:
    """The same state and world with the pool that is full made longer."""
    if where == STATE:
        return SPACES[model.state].grow(state), world
    grow = model.templates[where].grow
    assert grow is not None
    tables = list(world.tables)
    tables[where] = grow(tables[where])
    return state, world._replace(tables=tuple(tables))


def _retraced(
    model: Model,
    estimator: Estimator,
    compiled: Compiled,
    goal: Any,
    record: int,
    weights: Floats | None = None,
) -> tuple[float, Floats]:
    space = SPACES[model.state]
    state = space.origin(goal)
    world = new_world(model, estimator, state, model.weights if weights is None else weights)
    rng = np.random.Generator(np.random.PCG64DXSM(0))
    score, done, last = 0.0, 0, space.path(goal)
    while done < last:
        done, gained = compiled.retrace(rng, state, world, goal, done, last, record)
        score += gained
        where = int(world.alarm[WHERE])
        if world.alarm[STATUS] == NO_ROOM:
            world.alarm[STATUS] = WELL
            state, world = roomier(model, state, world, where)
        elif world.alarm[STATUS] != WELL:
            raise ModelError(
                f"the template {model.names[where]!r} pushed a feature that it does not have"
            )
    statistics = np.concatenate([delta.change for delta in world.deltas])
    return score, statistics


def total_score(
    model: Model,
    estimator: Estimator,
    compiled: Compiled,
    goal: Any,
    weights: Floats | None = None,
) -> float:
    """Score of a state above that of its origin (singletons, or all labels 0).

    The weights are the model's, unless others are given.
    """
    score, _ = _retraced(model, estimator, compiled, goal, 0, weights)
    if not math.isfinite(score):
        raise InputError(
            f"the state has the score {score}; start from one to which every factor gives a number"
        )
    return score


def total_statistics(model: Model, estimator: Estimator, compiled: Compiled, goal: Any) -> Floats:
    """Sufficient statistics of a state above those of its origin, by feature."""
    return _retraced(model, estimator, compiled, goal, 1)[1]
