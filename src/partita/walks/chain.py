"""Chain: one walk with its state, tables, generator and counters."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError, ModelError
from partita.estimators import Estimator
from partita.factors import Model
from partita.kernel import (
    BAD_BOUND,
    BAD_FEATURE,
    CODE,
    EXAMINED,
    NO_ROOM,
    OK,
    ORIGIN,
    Context,
    Floats,
    Ints,
    Rng,
    deltas,
    dump,
    load,
)
from partita.proposals import Proposal
from partita.states import SPACES
from partita.walks.parameters import update_block
from partita.walks.ramp import Ramp
from partita.walks.training import LearnerState, TrainingSpec
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
        Model, moves and machine code; `compiled` is made once and shared by all chains.
    start
        The start state; it is copied.
    rng
        The chain's own generator.
    training_spec
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
        training_spec: TrainingSpec | None = None,
        ramp: Ramp | None = None,
    ) -> None:
        self.model, self.proposal, self.estimator = model, proposal, estimator
        self.compiled, self.rng = compiled, rng
        self.space = SPACES[model.state]
        self.state = self.space.copy(start)
        self.weights = model.weights.copy() if training_spec or ramp else model.weights
        self.ramp = ramp
        if ramp is not None:
            self.weights[:] = ramp.first
        self.learner_state = LearnerState((), ())
        if training_spec is not None:
            memory = training_spec.learner_state.memory
            own = training_spec.equip(load(memory, dump(memory)), self.weights)
            self.learner_state = LearnerState(
                training_spec.begin(training_spec.learner_state.truth, self.state), own
            )
        self.training_spec = training_spec
        self.context = new_context(model, estimator, self.state, self.weights)
        proposal_table = proposal.table
        self.canopies = proposal.canopies
        if self.canopies is not None:
            # the window moves while a chain sweeps, so each chain has its own
            window = self.canopies.window.copy()
            proposal_table = replaced(proposal_table, self.canopies.window, window)
            self.canopies = self.canopies._replace(window=window)
        self.proposal_table = (
            proposal.prepare(proposal_table, self.state) if proposal.prepare else proposal_table
        )
        self.tally: Ints = np.zeros((len(proposal.counted), 2), np.int64)
        self.place: Ints = np.zeros(6, np.int64)
        """The position of a sweep over canopies; all zero between two sweeps."""
        self.halted: Callable[[], bool] = lambda: False
        """Called from time to time; True stops the run."""
        self.steps = 0
        self.score = 0.0
        """Change of the model's score since the start, by the estimator's own account."""

    @property
    def examined(self) -> int:
        """Factors examined so far."""
        return int(self.context.status[EXAMINED])

    @property
    def keeps_score(self) -> bool:
        """Whether `score` is exact: nothing is guessed, and no weight changes on the way."""
        risen = self.ramp is not None and np.array_equal(self.weights, self.model.weights)
        return not self.estimator.guesses and (self.weights is self.model.weights or risen)

    @property
    def learned(self) -> Floats:
        """The weights as they are now, by the learner's account (such as their average)."""
        if self.training_spec is None:
            return self.weights
        return self.training_spec.finish(self.learner_state.memory, self.weights)

    def join(self, other: Chain) -> None:
        """Learn from now on with the weights, the deltas and the memory of another chain."""
        self.weights = other.weights
        self.learner_state = self.learner_state._replace(memory=other.learner_state.memory)
        self.context = self.context._replace(
            deltas=other.context.deltas, status=other.context.status
        )

    def restart(self, start: Any) -> None:
        """Move to another state and keep weights and counters."""
        self.state = self.space.copy(start)
        self.context = self.context._replace(tables=self.model.tables(self.state))
        if self.training_spec is not None:
            truth = self.training_spec.begin(self.training_spec.learner_state.truth, self.state)
            self.learner_state = self.learner_state._replace(truth=truth)

    def compile(self) -> None:
        """Compile the walk without taking a step."""
        self._walk(0, 1.0, 0)

    def _walk(self, steps: int, temperature: float, factors: int) -> int:
        # one running sum: where the walk is interrupted does not change a bit of it
        done, self.score = self.compiled.walk(
            self.rng,
            self.state,
            self.context,
            self.proposal_table,
            self.learner_state,
            temperature,
            steps,
            factors,
            self.score,
            self.tally,
        )
        self.steps += done
        return int(done)

    def tune(self, progress: float) -> None:
        """Set the estimator's parameters for a fraction of the run."""
        if self.estimator.moving:
            self.context.parameters[:] = self.estimator.parameters(self.model, progress)

    def climb(self, tuned: float) -> bool:
        """Set the weights for a fraction of tuning; whether they have just become the model's."""
        if self.ramp is None or np.array_equal(self.weights, self.ramp.last):
            return False
        self.weights[:] = self.ramp.at(tuned)
        return bool(np.array_equal(self.weights, self.ramp.last))

    def update_parameters(self) -> None:
        """Update the unknown parameters of all templates, given the state."""
        tables = list(self.context.tables)
        for _, number, block in self.model.blocks():
            grow = self.model.templates[number].cache.grow
            tables[number], change = update_block(self.rng, block, tables[number], self.state, grow)
            self.score += change
        self.context = self.context._replace(tables=tuple(tables))

    def parameters(self) -> dict[str, NDArray[Any]]:
        """The current values of all parameter blocks, by name."""
        blocks = self.model.blocks()
        return {name: block.read(self.context.tables[number]) for name, number, block in blocks}

    def facts(self) -> dict[str, float]:
        """Scalars of the state and of the parameters, by name."""
        facts = self.space.facts(self.state)
        for _, number, block in self.model.blocks():
            facts |= block.summary(self.context.tables[number])
        return facts

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
        chain or because it was halted; the next call continues there.
        """
        at = self.place
        while at[0] < self.canopies.count:
            if self.steps >= steps or self.examined >= factors or self.halted():
                return None
            before = int(at[2])
            self.score = self.compiled.sweep(
                self.rng,
                self.state,
                self.context,
                self.proposal_table,
                self.learner_state,
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
        """Enlarge a full pool; raise an error for any other status that stops a walk."""
        status = self.context.status
        code, where = int(status[CODE]), int(status[ORIGIN])
        status[CODE] = OK
        if code == NO_ROOM:
            self.state, self.context = roomier(self.model, self.state, self.context, where)
        elif code != OK:
            raise ModelError(self._trouble(code, where))

    def _trouble(self, code: int, where: int) -> str:
        name = self.model.names[where] if where >= 0 else ""
        when = f"at step {self.steps}"
        if code == BAD_FEATURE:
            width = self.model.widths[where]
            return (
                f"{when} the template {name!r} pushed a feature outside 0..{width - 1}; "
                "its emit kernel and its features do not agree"
            )
        if code == BAD_BOUND:
            return (
                f"{when} a factor of {name!r} changed the score by more than its bound; "
                "give the template a larger bound, or use exact()"
            )
        return (
            f"{when} the score became NaN or infinite; a factor or a user's function returned it: "
            "make sure that it returns finite numbers for every pair"
        )


def replaced(value: Any, old: Any, new: Any) -> Any:
    """A nested tuple with one of its arrays, found by identity, replaced in every place."""
    if value is old:
        return new
    if not isinstance(value, tuple):
        return value
    parts = [replaced(part, old, new) for part in value]
    return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)


def new_context(model: Model, estimator: Estimator, state: Any, weights: Floats) -> Context:
    """Tables, deltas and scratch of one chain."""
    status = np.zeros(4, np.int64)
    cards = DECK if estimator.samples else 0
    return Context(
        tables=model.tables(state),
        deltas=deltas(weights, model.widths, status),
        parameters=estimator.parameters(model, 0.0),
        deck=np.tile(np.arange(cards), (3, 1)),
        chosen_score=np.zeros(1),
        status=status,
    )


def roomier(model: Model, state: Any, context: Context, where: int) -> tuple[Any, Context]:
    """The same state and context with the pool that is full made longer."""
    if where == STATE:
        return SPACES[model.state].grow(state), context
    grow = model.templates[where].cache.grow
    assert grow is not None
    tables = list(context.tables)
    tables[where] = grow(tables[where])
    return state, context._replace(tables=tuple(tables))


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
    context = new_context(model, estimator, state, model.weights if weights is None else weights)
    rng = np.random.Generator(np.random.PCG64DXSM(0))
    score, done, last = 0.0, 0, space.path(goal)
    while done < last:
        done, gained = compiled.retrace(rng, state, context, goal, done, last, record)
        score += gained
        where = int(context.status[ORIGIN])
        if context.status[CODE] == NO_ROOM:
            context.status[CODE] = OK
            state, context = roomier(model, state, context, where)
        elif context.status[CODE] != OK:
            raise ModelError(
                f"the template {model.names[where]!r} pushed a feature that it does not have"
            )
    statistics = np.concatenate([delta.change for delta in context.deltas])
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
