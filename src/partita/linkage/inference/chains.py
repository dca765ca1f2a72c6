"""Chains of the posterior: where they start, how long they run and how often they draw."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from partita.factors import Model
from partita.kernel import Ints
from partita.linkage.inference.search import Problem
from partita.linkage.numbering import ActiveIds
from partita.linkage.settings import Settings
from partita.posterior import Posterior, sample
from partita.proposals import Proposal
from partita.states import Partition

__all__ = ["ChainLength", "ChainPlan"]


class ChainLength(NamedTuple):
    """Limits on the draws of a chain, used where the settings give no number of draws."""

    min_draws: int
    max_draws: int
    target_steps: int
    """Step budget, which decides between the two limits."""
    tune_share: float
    """Draws that are discarded at the start, as a share of those kept."""


class ChainPlan(NamedTuple):
    """Starts and settings of the chains over the active records."""

    problem: Problem
    best: Partition
    uncertain: ActiveIds
    make_feasible: Callable[[Ints], Partition]
    """Changes a partition until it obeys the constraints."""
    settings: Settings
    progress: bool

    def run(self, model: Model, proposal: Proposal, length: ChainLength, thin: int) -> Posterior:
        """Run chains from the best state and from one with every uncertain record a singleton."""
        settings = self.settings
        alone = self.best.entity.copy()
        alone[self.uncertain] = self.problem.n + np.arange(self.uncertain.size)
        starts = [self.best, self.make_feasible(alone)]
        draws = settings.draws or min(
            length.max_draws, max(length.min_draws, length.target_steps // thin)
        )
        return sample(
            model,
            [starts[k % 2] for k in range(settings.chains)],
            proposal=proposal,
            draws=draws,
            tune=int(draws * length.tune_share) if settings.tune is None else settings.tune,
            thin=thin,
            chains=settings.chains,
            cores=settings.threads,
            random_seed=settings.seed,
            progressbar=self.progress,
        )
