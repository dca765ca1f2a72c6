"""Chains of the posterior: where they start, how long they run and how often they draw."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from partita.factors import Model
from partita.kernel import Ints
from partita.linkage.checkpoint_interval import checkpoint_seconds
from partita.linkage.inference.search import Problem
from partita.linkage.numbering import ActiveIds
from partita.linkage.settings import Settings
from partita.posterior import Posterior, sample
from partita.proposals import Proposal
from partita.states import Partition

__all__ = ["CONTINUATION", "MAX_R_HAT", "ChainLength", "ChainPlan", "worst_r_hat"]

MIN_CHECKPOINT_SECONDS = 0.01
"""Seconds between two checkpoints of a chain at least."""
MAX_R_HAT = 1.05
"""Chains agree when no trace has a larger R-hat."""
MAX_CONTINUED_R_HAT = 1.2
"""Largest R-hat of chains that are continued: chains further apart need many times the steps.
Origin: labelled sets, where chains above 1.5 stay above 1.2 after three times the steps."""
CONTINUATION = 2
"""Draws of a continued chain, as a multiple of its first draws: chains that do not agree cost three
times the steps. Origin: a choice; the CPU budget of the development sets."""


def worst_r_hat(diagnostics: Mapping[str, Mapping[str, float]]) -> float:
    """The largest R-hat of the traces; 0 where no trace changes."""
    return max((trace["r_hat"] for trace in diagnostics.values() if trace["r_hat"] > 0), default=0)


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
    checkpoint: Path | None = None
    """A folder in which the chains are saved, and from which they continue."""

    def run(self, model: Model, proposal: Proposal, length: ChainLength, thin: int) -> Posterior:
        """Run chains from the best state and from one with every uncertain record a singleton."""
        settings = self.settings
        alone = self.best.entity.copy()
        alone[self.uncertain] = self.problem.n + np.arange(self.uncertain.size)
        starts = [self.best, self.make_feasible(alone)]
        draws = settings.draws or min(
            length.max_draws, max(length.min_draws, length.target_steps // thin)
        )
        tune = int(draws * length.tune_share) if settings.tune is None else settings.tune
        first = [starts[k % 2] for k in range(settings.chains)]
        return self._sample(model, first, proposal, draws, tune, thin, "first")

    def continue_disagreeing(
        self, model: Model, proposal: Proposal, posterior: Posterior, thin: int
    ) -> Posterior:
        """Continue chains that nearly agree once; the draws before become burn-in.

        Chains are not continued if the settings fix the number of draws.
        """
        nearly_agree = MAX_R_HAT < worst_r_hat(posterior.diagnostics()) <= MAX_CONTINUED_R_HAT
        if not nearly_agree or self.settings.draws is not None:
            return posterior
        last = [self.make_feasible(draws[-1].astype(np.int64)) for draws in posterior.draws]
        draws = CONTINUATION * posterior.n_draws
        return self._sample(model, last, proposal, draws, 0, thin, "continued")

    def _sample(
        self,
        model: Model,
        starts: Sequence[Partition],
        proposal: Proposal,
        draws: int,
        tune: int,
        thin: int,
        name: str,
    ) -> Posterior:
        return sample(
            model,
            list(starts),
            proposal=proposal,
            draws=draws,
            tune=tune,
            thin=thin,
            chains=self.settings.chains,
            cores=self.settings.threads,
            random_seed=self.settings.seed,
            progressbar=self.progress,
            checkpoint=None if self.checkpoint is None else self.checkpoint / name,
            checkpoint_every=max(checkpoint_seconds(), MIN_CHECKPOINT_SECONDS),
        )
