"""Choose: weigh candidate moves by their scores and draw one; Gibbs and multiple-try Metropolis.

Candidates are weighed one at a time: each replaces the current choice with its probability among
all candidates so far, so nothing is stored and nothing overflows.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from partita.errors import ModelError
from partita.kernel import (
    BAD_SCORE,
    CODE,
    ORIGIN,
    Context,
    Ints,
    NoTable,
    Rng,
    below,
    kernel,
)
from partita.proposals.moves import Neighbours, neighbours, next_entity
from partita.proposals.proposal import Engine, Proposal
from partita.states import Labels, Partition, Regroup, Relabel
from partita.states.checks import whole
from partita.states.scratch import (
    GibbsWeights,
    clear_gibbs_weights,
    gibbs_weight,
    new_gibbs_weights,
)

__all__ = ["gibbs_label", "gibbs_mention", "gibbs_neighbour", "multi_try"]

MAX_EXPONENT = 300.0
"""Score above which e^score is counted in larger units; e^709 overflows float64."""


@kernel
def log_add(a: float, b: float) -> float:
    """Return log(exp(a) + exp(b))."""
    top = max(a, b)
    if top == -math.inf:
        return top
    return top + math.log1p(math.exp(min(a, b) - top))


@kernel
def is_usable(context: Context, score: float) -> bool:
    """Return whether a candidate's score is usable; otherwise set the status to stop the walk."""
    if score < math.inf:
        return True
    context.status[CODE] = BAD_SCORE
    context.status[ORIGIN] = -1
    return False


@kernel
def add_weight(top: float, mass: float, score: float) -> tuple[float, float, float]:
    """Add a candidate to the total mass, in units of e^top; return its weight last.

    Proposals that need the log of the mass use `log_add` and `is_chosen` instead, which cost more.
    """
    if score > top + MAX_EXPONENT:
        mass *= math.exp(top - score)
        top = score
    weight = math.exp(score - top)
    return top, mass + weight, weight


@kernel
def is_chosen(rng: Rng, total: float, score: float) -> bool:
    """Return whether a candidate of log weight `score` is chosen; `total` includes it."""
    return rng.random() < math.exp(score - total)


def gibbs_label() -> Proposal:
    """Draw a random variable from its conditional distribution."""

    def bind(engine: Engine) -> Any:
        estimate = engine.estimate

        @kernel
        def propose(
            rng: Rng, table: NoTable, state: Labels, context: Context, temperature: float
        ) -> tuple[Relabel, float]:
            v = below(rng, state.label.size)
            old = state.label[v]
            held, top, mass = old, 0.0, 1.0
            context.chosen_score[0] = 0.0
            for new in range(state.domain[v]):
                if new != old:
                    score = estimate(rng, context, state, Relabel(v, old, new))
                    if not is_usable(context, score):
                        break
                    top, mass, weight = add_weight(top, mass, score / temperature)
                    if rng.random() * mass < weight:
                        held = new
                        context.chosen_score[0] = score
            return Relabel(v, old, held), math.inf

        return propose

    return Proposal("gibbs_label", Labels, bind, decides=True)


def gibbs_mention(*, new: bool = True) -> Proposal:
    """Draw a random mention from its conditional distribution over all entities and a new one.

    Without `new` the number of entities is constant: no new entity is a candidate, and a mention
    that is alone in its entity does not move.
    """

    def bind(engine: Engine) -> Any:
        estimate = engine.estimate

        @kernel
        def propose(
            rng: Rng, table: NoTable, state: Partition, context: Context, temperature: float
        ) -> tuple[Regroup, float]:
            i = below(rng, state.entity.size)
            source = state.entity[i]
            held, top, mass = source, 0.0, 1.0
            context.chosen_score[0] = 0.0
            # one more than the live entities: the next id is that of a new entity
            last = state.live[0] + 1 if new and state.size[source] > 1 else state.live[0]
            if not new and state.size[source] == 1:
                last = 0
            for k in range(last):
                target = state.ids[k]
                if target != source:
                    score = estimate(rng, context, state, Regroup(i, source, target, 1))
                    if not is_usable(context, score):
                        break
                    top, mass, weight = add_weight(top, mass, score / temperature)
                    if rng.random() * mass < weight:
                        held = target
                        context.chosen_score[0] = score
            return Regroup(i, source, held, 1), math.inf

        return propose

    name = "gibbs_mention" if new else "gibbs_mention(new=False)"
    return Proposal(name, Partition, bind, decides=True)


class Candidates(NamedTuple):
    """Candidate partners of each mention, and for each entity its last visit and Gibbs weight."""

    start: Ints
    other: Ints
    rows: Ints
    seen: Ints
    tick: Ints
    gibbs_weights: GibbsWeights


@kernel
def begin_nothing(context: Context, state: Partition, table: Candidates, i: int) -> None:
    """Do nothing: no template has batched Gibbs weights."""


def _targets(engine: Engine) -> tuple[Any, Any]:
    """Compile the preparation for a mention, and the score of each of its moves."""
    if engine.gibbs_weights is None:
        estimate = engine.estimate

        @kernel
        def each(
            rng: Rng, context: Context, state: Partition, table: Candidates, move: Regroup
        ) -> float:
            return estimate(rng, context, state, move)

        return begin_nothing, each
    gibbs_weights, rest = engine.gibbs_weights, engine.other_estimate

    @kernel
    def begin(context: Context, state: Partition, table: Candidates, i: int) -> None:
        clear_gibbs_weights(table.gibbs_weights)
        gibbs_weights(context, state, table.gibbs_weights, i)

    @kernel
    def score(
        rng: Rng, context: Context, state: Partition, table: Candidates, move: Regroup
    ) -> float:
        drawn = gibbs_weight(table.gibbs_weights, move.target) - gibbs_weight(
            table.gibbs_weights, move.source
        )
        return drawn + rest(rng, context, state, move)

    return begin, score


def gibbs_neighbour(
    pairs: ArrayLike | Neighbours, n: int, *, among: ArrayLike | None = None
) -> Proposal:
    """Draw a mention from its conditional over its candidates' entities and a new one.

    A mention that shares its entity with none of its candidates stays: no move could reverse it.
    """
    near, check = neighbours(pairs, n, "gibbs_neighbour", among)

    def bind(engine: Engine) -> Any:
        begin, estimate = _targets(engine)

        @kernel
        def propose(
            rng: Rng, table: Candidates, state: Partition, context: Context, temperature: float
        ) -> tuple[Regroup, float]:
            i = table.rows[below(rng, table.rows.size)]
            source = state.entity[i]
            table.tick[0] += 1
            tick = table.tick[0]
            begin(context, state, table, i)
            held, home = source, state.size[source] == 1
            top, mass = 0.0, 1.0
            context.chosen_score[0] = 0.0
            for k in range(table.start[i], table.start[i + 1] + 1):
                # the new entity follows the candidates' entities
                if k < table.start[i + 1]:
                    target = state.entity[table.other[k]]
                elif state.size[source] > 1:
                    target = next_entity(state)
                else:
                    break
                home = home or target == source
                if target == source or table.seen[target] == tick:
                    continue
                table.seen[target] = tick
                score = estimate(rng, context, state, table, Regroup(i, source, target, 1))
                if not is_usable(context, score):
                    break
                top, mass, weight = add_weight(top, mass, score / temperature)
                if rng.random() * mass < weight:
                    held = target
                    context.chosen_score[0] = score
            if not home:
                held = source
            return Regroup(i, source, held, 1), math.inf

        return propose

    def prepare(table: Candidates, state: Partition) -> Candidates:
        size = state.entity.size
        return table._replace(
            seen=np.zeros(size, np.int64),
            tick=np.zeros(1, np.int64),
            gibbs_weights=new_gibbs_weights(size),
        )

    empty = np.zeros(0, np.int64)
    table = Candidates(near.start, near.other, near.rows, empty, empty, new_gibbs_weights(0))
    return Proposal(
        "gibbs_neighbour", Partition, bind, table, check=check, prepare=prepare, decides=True
    )


def multi_try(proposal: Proposal, tries: int) -> Proposal:
    """Draw several moves of a proposal and choose one by score (Liu, Liang, Wong 2000; HCOREF 3.1).

    A try y of x weighs pi(y) sqrt(q(y,x) / q(x,y)), which only needs the ratio that proposals
    return; tries - 1 draws from the chosen state make the step reversible.
    """
    whole(tries, "the number of tries")
    if not proposal.blind:
        raise ModelError(
            f"multi_try cannot draw from {proposal.name!r}, which uses the model or is a mixture; "
            "give it one such as move_to_entity() or flip()"
        )

    def bind(engine: Engine) -> Any:
        draw = proposal.bind(engine)
        exact, apply, undo = engine.exact, engine.apply, engine.undo
        idle, reverse, commit = engine.idle, engine.reverse, engine.commit

        @kernel(inline=False)
        def weigh(rng: Rng, context: Context, state: Any, move: Any) -> float:
            score = 0.0 if idle(move) else exact(rng, context, state, move)
            return score if is_usable(context, score) else -math.inf

        @kernel
        def propose(rng: Rng, table: Any, state: Any, context: Context, temperature: float) -> Any:
            held, held_q = draw(rng, table, state, context, temperature)
            held_score = weigh(rng, context, state, held) / temperature
            forth = held_score + 0.5 * held_q
            for _ in range(tries - 1):
                move, log_q = draw(rng, table, state, context, temperature)
                score = weigh(rng, context, state, move) / temperature
                weight = score + 0.5 * log_q
                forth = log_add(forth, weight)
                if is_chosen(rng, forth, weight):
                    held, held_q, held_score = move, log_q, score
            if idle(held):
                return held, 0.0
            if forth == -math.inf:
                return held, -math.inf
            apply(state, held)
            commit(context.tables, state, held)
            back = -0.5 * held_q
            for _ in range(tries - 1):
                move, log_q = draw(rng, table, state, context, temperature)
                score = weigh(rng, context, state, move) / temperature
                back = log_add(back, held_score + score + 0.5 * log_q)
            undo(state, held)
            commit(context.tables, state, reverse(held))
            return held, forth - back - held_score

        return propose

    return Proposal(
        name=f"multi_try({proposal.name}, {tries})",
        state=proposal.state,
        bind=bind,
        table=proposal.table,
        check=proposal.check,
        prepare=proposal.prepare,
        canopies=proposal.canopies,
    )
