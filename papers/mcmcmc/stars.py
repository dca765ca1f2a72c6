"""Star models of MCMCMC section 4.1, and chains on them that keep a running marginal.

A star is one binary variable with many unary factors. Each model is a state and a chain of its
own, so that the factors examined are those of one model, as in the paper's Figure 2. The walk is
the engine's; a proposal that counts visits is all that is added to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from partita import Labels, Model
from partita.estimators import Estimator
from partita.factors import unary
from partita.kernel import Context, Floats, Ints, Rng, generators, kernel
from partita.proposals import Proposal
from partita.proposals.proposal import Engine
from partita.walks import compile_chain, start_chain

__all__ = ["PER_OCTAVE", "Stars", "Track", "draw_stars", "grid", "track", "watched"]

PER_OCTAVE = 4
"""Points of a curve for each doubling of the factors examined."""

MANY = 1 << 40
"""Steps without end: a chain stops at its budget of factors."""


@dataclass(frozen=True)
class Stars:
    """Scores of all factors (models by labels by factors) and a start label for each model."""

    scores: Floats
    start: Ints

    @property
    def models(self) -> list[Model]:
        """One model per star: a variable whose factors are features of value 1."""
        ones = np.ones((1, self.scores.shape[2]))
        return [Model(unary(ones, 2, weights=scores)) for scores in self.scores]

    @property
    def log_odds(self) -> Floats:
        """Score of label 1 over that of label 0 (equation 2), for each star."""
        return (self.scores[:, 1] - self.scores[:, 0]).sum(1)

    @property
    def marginals(self) -> Floats:
        """P(label = 1) of each star: equations 1-3 with two labels are a logistic function."""
        return expit(self.log_odds)

    @property
    def spread(self) -> float:
        """Standard deviation of a factor's change when the label changes, over all stars."""
        return float((self.scores[:, 1] - self.scores[:, 0]).std(axis=1, ddof=1).mean())


def draw_stars(
    seed: int,
    models: int,
    factors: int,
    mean: float,
    deviation: float,
    within: tuple[float, float] = (0.0, 1.0),
) -> Stars:
    """Draw stars with scores N(+mean, deviation) for label 1 and N(-mean, deviation) for label 0.

    Stars whose marginal is outside `within` are drawn again.
    """
    rng = np.random.default_rng(seed)
    centres = np.array([[-mean], [mean]])
    kept: list[Floats] = []
    while len(kept) < models:
        scores = centres + deviation * rng.standard_normal((2, factors))
        stars = Stars(scores[None], np.zeros(1, np.int64))
        if within[0] <= stars.marginals[0] <= within[1]:
            kept.append(scores)
    return Stars(np.array(kept), rng.integers(0, 2, models))


class Watch(NamedTuple):
    """The table of the watched proposal, and how many steps began at each label."""

    table: Any
    visits: Ints


def watched(proposal: Proposal) -> Proposal:
    """The same proposal, counting the label of the only variable before every step."""

    def bind(engine: Engine) -> Any:
        inner = proposal.bind(engine)

        @kernel
        def propose(
            rng: Rng, table: Watch, state: Any, context: Context, temperature: float
        ) -> Any:
            table.visits[state.label[0]] += 1
            return inner(rng, table.table, state, context, temperature)

        return propose

    def prepare(table: Watch, state: Labels) -> Watch:
        # every chain counts for itself
        return table._replace(visits=np.zeros(2, np.int64))

    table = Watch(proposal.table, np.zeros(2, np.int64))
    return Proposal(f"watched {proposal.name}", Labels, bind, table, prepare=prepare)


@dataclass(frozen=True)
class Track:
    """By model and point: factors examined, and of `visits` states how many had label 1.

    The start counts as the first state, so that every chain has a marginal from the beginning.
    """

    examined: Floats
    ones: Floats
    visits: Floats

    def later(self, octaves: int = 1) -> Track:
        """The same with only the states since a half of the factors; the earlier are burn-in."""
        back = octaves * PER_OCTAVE
        return Track(
            self.examined[:, back:],
            self.ones[:, back:] - self.ones[:, :-back],
            self.visits[:, back:] - self.visits[:, :-back],
        )


def grid(budget: int, first: int = 5) -> Ints:
    """Budgets at which a curve has points, equally spaced in their logarithm."""
    octaves = int(np.log2(budget / first))
    powers = np.arange(-octaves * PER_OCTAVE, 1) / PER_OCTAVE
    return np.round(budget * 2.0**powers).astype(np.int64)


def track(
    stars: Stars, proposal: Proposal, estimator: Estimator, points: Sequence[int] | Ints, seed: int
) -> Track:
    """Run one chain per star by the engine; record its position at each number of factors."""
    models, watching = stars.models, watched(proposal)
    # scores are data of the chain, not code: one compilation serves all stars
    compiled = compile_chain(models[0], watching, estimator)
    errors = np.zeros((3, len(models), len(points)))
    for k, rng in enumerate(generators(seed, len(models))):
        start = Labels.of([stars.start[k]], 2)
        chain = start_chain(
            models[k], start, watching, rng=rng, estimator=estimator, compiled=compiled
        )
        for at, budget in enumerate(points):
            chain.tune(min(1.0, chain.examined / points[-1]))
            chain.run(MANY, factors=int(budget))
            label = chain.state.label[0]
            errors[:, k, at] = (
                chain.examined,
                chain.proposal_table.visits[1] + label,
                chain.steps + 1,
            )
    return Track(*errors)
