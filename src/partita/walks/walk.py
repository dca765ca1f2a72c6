"""The walk: all of inference, and all learning inside it, in one loop.

    move, log_q = propose
    score = estimate                          w . (phi(after) - phi(before))
    learn from (delta, score, gain)           when a training spec is given
    accept with probability min(1, exp(score / temperature + log_q))
    apply, commit

`decide` is the only acceptance test. Proposals that draw by score divide by the temperature, too.
The walk stops before a step that would fail and writes the reason into the status.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from partita.estimators import Estimator, build_estimate, exact
from partita.factors import Model
from partita.factors.conjugate import build_clusters
from partita.factors.gibbs_weights import build_gibbs_weights
from partita.factors.split_scores import build_split_scores
from partita.kernel import (
    BAD_SCORE,
    CODE,
    COMPONENT,
    EXAMINED,
    NO_ROOM,
    OK,
    ORIGIN,
    Context,
    Floats,
    Ints,
    Rng,
    clear,
    entry,
    kernel,
    record,
)
from partita.proposals import Engine, Proposal
from partita.proposals.canopies import Canopies
from partita.states import SPACES
from partita.walks.training import LearnerState, TrainingSpec, keep_gain, not_kept, not_moved

__all__ = ["Compiled", "build_engine", "compile_chain"]

PROPOSED, ACCEPTED = 0, 1
STATE = -1
"""In the status, the place of trouble that is in the state and not in a template."""


@dataclass(frozen=True)
class Compiled:
    """The compiled parts of a chain: `walk`, `sweep` over canopies, and `retrace` to a state."""

    walk: Any
    sweep: Any
    retrace: Any


@kernel
def no_commit(tables: Any, state: Any, move: Any) -> None:
    """The end of the fold of commits."""


@kernel
def no_training(context: Context, learner: Any) -> None:
    """A step without a change, where nothing is learned."""


@kernel
def all_room(context: Context) -> bool:
    """The end of the fold of capacity checks."""
    return True


def _fold_commit(number: int, commit: Any, rest: Any) -> Any:
    @kernel
    def both(tables: Any, state: Any, move: Any) -> None:
        commit(tables[number], state, move)
        rest(tables, state, move)

    return both


def _fold_room(number: int, room: Any, rest: Any) -> Any:
    @kernel
    def both(context: Context) -> bool:
        if not room(context.tables[number]):
            context.status[ORIGIN] = number
            return False
        return rest(context)

    return both


def build_engine(model: Model, estimator: Estimator) -> tuple[Engine, Any]:
    """Compile the kernels that the walk and its proposals share, and the check for room."""
    space = SPACES[model.state]
    commit, room = no_commit, all_room
    for number in reversed(range(len(model.templates))):
        template = model.templates[number]
        if template.cache.commit is not None:
            commit = _fold_commit(number, template.cache.commit, commit)
        if template.cache.room is not None:
            room = _fold_room(number, template.cache.room, room)
    folded = commit
    # sampled factors are drawn for one move at a time
    gibbs_weights = None if estimator.guesses else build_gibbs_weights(model.templates)
    estimate_all = build_estimate(exact(), model)

    @kernel(inline=False)
    def exact_score(rng: Rng, context: Context, state: Any, move: Any) -> float:
        # one copy, called: proposals that use the model would otherwise compile for minutes
        return estimate_all(rng, context, state, move)

    @kernel(inline=False)
    def keep_step(tables: Any, state: Any, move: Any) -> None:
        folded(tables, state, move)

    engine = Engine(
        apply=space.apply,
        undo=space.undo,
        idle=space.idle,
        reverse=space.reverse,
        commit=keep_step,
        estimate=build_estimate(estimator, model),
        exact=exact_score,
        clusters=build_clusters(model.templates),
        split_scores=build_split_scores(model.templates),
        gibbs_weights=gibbs_weights,
        other_estimate=build_estimate(estimator, model, batched=False) if gibbs_weights else None,
    )
    return engine, room


@kernel
def decide(rng: Rng, score: float, log_q: float, temperature: float) -> bool:
    """Accept with probability min(1, exp(score / temperature + log_q))."""
    ratio = score / temperature + log_q
    return ratio >= 0.0 or rng.random() < math.exp(ratio)


def _build_infer(engine: Engine) -> Any:
    """Compile the score of a move, unless `choose` has it already."""
    estimate = engine.estimate

    @kernel
    def infer(
        rng: Rng, state: Any, context: Context, learner: LearnerState, move: Any, log_q: float
    ) -> float:
        if log_q == math.inf:
            return context.chosen_score[0]
        return estimate(rng, context, state, move)

    return infer


def _build_study(engine: Engine, training_spec: TrainingSpec) -> Any:
    """Compile the score of a move, from which the learner learns."""
    estimate, learn, gain = engine.estimate, training_spec.learn, training_spec.gain
    judge: Any = training_spec.judge or keep_gain

    @kernel
    def study(
        rng: Rng, state: Any, context: Context, learner: LearnerState, move: Any, log_q: float
    ) -> float:
        # the gain first: measured, two loops over the same members are cheaper in this order
        reward = gain(learner.truth, state, move)
        for delta in context.deltas:
            clear(delta)
            record(delta, 1)
        score = estimate(rng, context, state, move)
        reward = judge(learner.truth, state, move, score, reward)
        learn(learner.memory, context.deltas, score, reward)
        for delta in context.deltas:
            record(delta, 0)
        return score

    return study


def _build_rest(training_spec: TrainingSpec) -> Any:
    """Compile the learner's update at a step that changes nothing."""
    learn = training_spec.learn

    @kernel
    def rest(context: Context, learner: LearnerState) -> None:
        for delta in context.deltas:
            clear(delta)
        learn(learner.memory, context.deltas, 0.0, 0.0)

    return rest


def _step(engine: Engine, propose: Any, training_spec: TrainingSpec | None) -> Any:
    """Compile one step; returns the change of score, and 1 if a move was accepted."""
    apply, idle, commit = engine.apply, engine.idle, engine.commit
    moved: Any = (training_spec.moved if training_spec else None) or not_moved
    kept: Any = (training_spec.kept if training_spec else None) or not_kept
    rest: Any = _build_rest(training_spec) if training_spec else no_training
    stays = training_spec is not None and training_spec.stays
    scored = _build_study(engine, training_spec) if training_spec else _build_infer(engine)

    @kernel
    def step(
        rng: Rng,
        state: Any,
        context: Context,
        proposal_table: Any,
        learner: LearnerState,
        temperature: float,
        tally: Ints,
    ) -> tuple[float, int]:
        move, log_q = propose(rng, proposal_table, state, context, temperature)
        component = context.status[COMPONENT]
        tally[component, PROPOSED] += 1
        if idle(move):
            rest(context, learner)
            return 0.0, 0
        score = scored(rng, state, context, learner, move, log_q)
        if not score < math.inf:
            context.status[CODE] = BAD_SCORE
            context.status[ORIGIN] = STATE
        if context.status[CODE] != OK or not decide(rng, score, log_q, temperature):
            return 0.0, 0
        moved(learner.memory, context.deltas)
        tally[component, ACCEPTED] += 1
        if stays:
            return 0.0, 1
        apply(state, move)
        commit(context.tables, state, move)
        kept(learner.truth, state, move)
        return score, 1

    return step


def compile_chain(
    model: Model,
    proposal: Proposal,
    estimator: Estimator,
    training_spec: TrainingSpec | None = None,
) -> Compiled:
    """Compile the walk of a chain, its sweep over canopies, and the retracing of a state."""
    space = SPACES[model.state]
    engine, table_room = build_engine(model, estimator)
    state_room = space.room
    step = _step(engine, proposal.bind(engine), training_spec)

    @kernel
    def ready(state: Any, context: Context) -> bool:
        if not state_room(state):
            context.status[CODE] = NO_ROOM
            context.status[ORIGIN] = STATE
            return False
        if not table_room(context):
            context.status[CODE] = NO_ROOM
            return False
        return context.status[CODE] == OK

    @entry
    def walk(
        rng: Rng,
        state: Any,
        context: Context,
        proposal_table: Any,
        learner: LearnerState,
        temperature: float,
        steps: int,
        budget: int,
        score: float,
        tally: Ints,
    ) -> tuple[int, float]:
        """Add to `score` over up to `steps` steps, or until `budget` factors are examined."""
        for done in range(steps):
            if context.status[EXAMINED] >= budget or not ready(state, context):
                return done, score
            gained, _ = step(rng, state, context, proposal_table, learner, temperature, tally)
            score += gained
            if context.status[CODE] != OK:
                return done, score
        return steps, score

    return Compiled(walk, _build_sweep(step, ready), _build_retrace(engine, space, ready))


def _build_sweep(step: Any, ready: Any) -> Any:
    """Compile rounds over canopies: of fixed length, or each canopy to its own convergence."""

    @entry
    def sweep(
        rng: Rng,
        state: Any,
        context: Context,
        table: Any,
        learner: LearnerState,
        canopies: Canopies,
        temperatures: Floats,
        settle: float,
        short: bool,
        until: int,
        budget: int,
        score: float,
        at: Ints,
        tally: Ints,
    ) -> float:
        """Go on from canopy at[0], round at[1]; at[2] counts steps, at[3] canopies that settled.

        A canopy of n mentions has one round of n (2 + log2 n) steps at each temperature, or up to
        1 + log2 n `short` rounds of n steps; at[4] steps are done and at[5] were accepted. The
        canopy is left after its last round, or once a round accepts at most `settle` n moves (a
        short one only from the second on). The sweep stops after `until` steps or `budget` factors.
        """
        while at[0] < canopies.start.size - 1:
            canopies.window[0] = canopies.start[at[0]]
            canopies.window[1] = canopies.start[at[0] + 1]
            size = canopies.window[1] - canopies.window[0]
            doublings = int(math.log2(size))
            length = size if short else size * (2 + doublings)
            rounds = 1 + doublings if short else 1
            while size > 1 and at[1] < rounds * temperatures.size:
                heat = temperatures[at[1] // rounds]
                while at[4] < length:
                    spent = at[2] >= until or context.status[EXAMINED] >= budget
                    if spent or not ready(state, context):
                        return score
                    gained, accepted = step(rng, state, context, table, learner, heat, tally)
                    if context.status[CODE] != OK:
                        return score
                    score += gained
                    at[5] += accepted
                    at[4] += 1
                    at[2] += 1
                at[1] += 1
                quiet = at[5] <= settle * size and (at[1] > 1 or not short)
                at[4] = 0
                at[5] = 0
                if quiet:
                    at[3] += 1
                    break
            at[0] += 1
            at[1] = 0
        canopies.window[0] = 0
        canopies.window[1] = canopies.order.size
        return score

    return sweep


def _build_retrace(engine: Engine, space: Any, ready: Any) -> Any:
    """Compile the walk from the origin to a goal, whose deltas sum to the goal's total score."""
    apply, commit, exact_score = engine.apply, engine.commit, engine.exact
    idle, toward = engine.idle, space.toward

    @entry
    def retrace(
        rng: Rng, state: Any, context: Context, goal: Any, first: int, last: int, record_on: int
    ) -> tuple[int, float]:
        score = 0.0
        for delta in context.deltas:
            record(delta, record_on)
        for k in range(first, last):
            if not ready(state, context):
                return k, score
            move = toward(state, goal, k)
            if not idle(move):
                score += exact_score(rng, context, state, move)
                apply(state, move)
                commit(context.tables, state, move)
        return last, score

    return retrace
