"""Sampling: chains of the posterior over partitions, and the point estimate from their draws."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from partita.factors import Model
from partita.kernel import Ints
from partita.linkage.entity.full_posterior import full_model, sample_full
from partita.linkage.inference.active_set import ActiveSet, least_score
from partita.linkage.inference.first_partition import FirstPartition
from partita.linkage.inference.model_choice import ModelChoice
from partita.linkage.inference.search import Problem
from partita.linkage.inference.uncertain import find_uncertain
from partita.linkage.numbering import ActiveIds
from partita.linkage.pairwise.scored_pairs import LINKED
from partita.linkage.settings import Settings
from partita.posterior import Posterior, sample
from partita.states import Partition

__all__ = ["estimate_partition", "sample_posterior", "sample_uncertain"]

MAX_SWEEPS_PER_DRAW = 8
"""Sweeps over the uncertain records between two draws at most; half a sweep at least.
Origin: 0.1."""
STEPS_PER_DRAW = 5_000
"""Step budget between two draws where that many sweeps are affordable. Origin: 0.1."""
MIN_DRAWS = 30
"""Draws of a chain at least. Origin: 0.1."""
MAX_DRAWS = 200
"""Draws of a chain at most. Origin: 0.1."""
TARGET_STEPS = 150_000
"""Step budget of a chain, which decides between the two limits. Origin: 0.1."""
SPLIT_MERGE_SHARE = 0.04
"""Share of split-merge moves in the chains. The pilot uses the share of the search: with fewer
it misses uncertain records. Origin: 0.1."""


def sample_posterior(
    active: ActiveSet,
    first: FirstPartition | None,
    choice: ModelChoice,
    settings: Settings,
    progress: bool,
) -> tuple[Model | None, Posterior | None]:
    """Sample partitions of the active records; return the sampled model and its posterior.

    With posterior = "full" the model is extended by priors on error rates and entity sizes.
    """
    model, best, uncertain = choice.model, choice.state, choice.uncertain
    if first is None or model is None or best is None:
        return None, None
    scored, problem, prepared = first.scored, first.problem, active.prepared
    if uncertain is None:
        uncertain = find_uncertain(problem, model, best, settings.seed)
    chain = (problem, best, uncertain, active.make_feasible, settings, progress)
    if settings.posterior != "full":
        return model, sample_uncertain(model, *chain)
    model = full_model(
        prepared.compared,
        scored,
        active.extend(best),
        active.numbering.wide,
        problem,
        prepared.swapped,
        settings.seed,
    )
    # household scores apply only to records that a candidate pair links
    anywhere = scored.model.household is None
    return model, sample_full(model, least_score(settings), *chain, anywhere)


def sample_uncertain(
    model: Model,
    problem: Problem,
    best: Partition,
    uncertain: ActiveIds,
    make_feasible: Callable[[Ints], Partition],
    settings: Settings,
    progress: bool,
) -> Posterior:
    """Run chains from the best state and from one with every uncertain record a singleton.

    `make_feasible` changes a partition until it obeys the constraints.
    """
    n = uncertain.size
    alone = best.entity.copy()
    alone[uncertain] = problem.n + np.arange(n)
    starts = [best, make_feasible(alone)]
    thin = max(1, n // 2, min(MAX_SWEEPS_PER_DRAW * n, STEPS_PER_DRAW))
    draws = settings.draws or min(MAX_DRAWS, max(MIN_DRAWS, TARGET_STEPS // thin))
    return sample(
        model,
        [starts[k % 2] for k in range(settings.chains)],
        proposal=problem.proposal(LINKED, uncertain if n else None, SPLIT_MERGE_SHARE),
        draws=draws,
        tune=draws // 4 if settings.tune is None else settings.tune,
        thin=thin,
        chains=settings.chains,
        cores=settings.threads,
        random_seed=settings.seed,
        progressbar=progress,
    )


def estimate_partition(
    active: ActiveSet, posterior: Posterior | None, false_merge_cost: float
) -> Partition | None:
    """Choose the feasible partition of least expected loss; None where nothing was sampled."""
    if posterior is None:
        return None
    return active.make_feasible(posterior.point(false_merge_cost).entity)
