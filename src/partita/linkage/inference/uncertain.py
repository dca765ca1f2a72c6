"""The uncertain records: those that a short chain at a raised temperature moves.

Only uncertain records are sampled; the others move only in a split or merge. The posterior lacks
alternatives that are too improbable to occur in that pilot chain.
"""

from __future__ import annotations

import numpy as np

from partita.estimators import exact
from partita.factors import Model
from partita.linkage.inference.search import Problem
from partita.linkage.numbering import ActiveIds
from partita.linkage.pairwise.scored_pairs import LINKED
from partita.posterior.points import find_varying
from partita.states import Partition
from partita.walks import Settings, run_chains

__all__ = ["find_uncertain"]

PILOT_TEMPERATURE = 1.5
"""Temperature of the pilot chain. Origin: 0.1."""
MIN_PILOT_SWEEPS = 2
"""Sweeps of the pilot over all records at least. A limit of CPU seconds."""
MAX_PILOT_SWEEPS = 12
"""Sweeps of the pilot over all records at most. Origin: 0.1."""
PILOT_STEPS = 150_000
"""Step budget of the pilot, which decides between the two limits. A limit of CPU seconds."""


def find_uncertain(problem: Problem, model: Model, best: Partition, seed: int) -> ActiveIds:
    """Find the records whose entity changes in a hot chain from the best state."""
    pilot = Settings(
        temperature=PILOT_TEMPERATURE,
        draws=min(MAX_PILOT_SWEEPS, max(MIN_PILOT_SWEEPS, PILOT_STEPS // problem.n)),
        tune=0,
        chains=1,
        seed=seed,
        progressbar=False,
        measured=False,
    )
    run = run_chains(model, best, problem.proposal(LINKED), exact(), pilot)
    return ActiveIds(find_varying(np.stack([best.entity.astype(np.int32), *run.chains[0].draws])))
