"""Draws of the posterior, spent on the records that are in doubt.

A short chain at a raised temperature shows which records ever leave their entity. Only these are
drawn afterwards; the others move only where a split or merge takes them along. What that leaves out
are alternatives too improbable to be seen in the pilot.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from partita.estimators import exact
from partita.factors import Model
from partita.kernel import Ints
from partita.linkage.inference.search import Problem
from partita.linkage.pairwise.scored_pairs import LINKED
from partita.linkage.settings import Settings
from partita.posterior import Posterior, sample
from partita.posterior.points import varying
from partita.states import Partition
from partita.walks import Settings as WalkSettings
from partita.walks import run_chains

__all__ = ["draw", "unsettled"]

PILOT_HEAT, LEAST_SWEEPS, PILOT_SWEEPS, PILOT_STEPS = 1.5, 2, 12, 150_000
"""The temperature of the pilot; its sweeps over all records, at least and at most; and the steps
that it takes in all where that lies between."""
MOST_SWEEPS, CHEAP = 8, 5_000
"""A draw is half a sweep over the unsettled records, and more of them where they are few: up to
the first figure, while it takes no more steps than the second."""
LEAST_DRAWS, MOST_DRAWS, STEPS = 30, 200, 150_000
"""Draws of a chain, at least and at most, and the steps that it takes where that lies between."""
SPLITS = 0.04
"""The share of splits and merges among the moves of the chains. The pilot has as many as a search:
with fewer it misses records in doubt."""


def unsettled(problem: Problem, model: Model, best: Partition, seed: int) -> Ints:
    """The records whose entity changes in a hot chain from the best state."""
    pilot = WalkSettings(
        temperature=PILOT_HEAT,
        draws=min(PILOT_SWEEPS, max(LEAST_SWEEPS, PILOT_STEPS // problem.n)),
        tune=0,
        chains=1,
        seed=seed,
        progressbar=False,
        measured=False,
    )
    run = run_chains(model, best, problem.proposal(LINKED), exact(), pilot)
    return varying(np.stack([best.entity.astype(np.int32), *run.chains[0].draws]))


def draw(
    problem: Problem,
    model: Model,
    best: Partition,
    rows: Ints,
    feasible: Callable[[Ints], Partition],
    settings: Settings,
    progress: bool,
) -> Posterior:
    """Chains of the posterior: from the best state, and from one with all unsettled rows alone.

    `feasible` makes a partition obey the constraints.
    """
    alone = best.entity.copy()
    alone[rows] = problem.n + np.arange(rows.size)
    starts = [best, feasible(alone)]
    thin = max(1, rows.size // 2, min(MOST_SWEEPS * rows.size, CHEAP))
    draws = settings.draws or min(MOST_DRAWS, max(LEAST_DRAWS, STEPS // thin))
    return sample(
        model,
        [starts[k % 2] for k in range(settings.chains)],
        proposal=problem.proposal(LINKED, rows if rows.size else None, SPLITS),
        draws=draws,
        tune=draws // 4 if settings.tune is None else settings.tune,
        thin=thin,
        chains=settings.chains,
        cores=settings.threads,
        random_seed=settings.seed,
        progressbar=progress,
    )
