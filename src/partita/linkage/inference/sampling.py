"""Sampling: chains of the posterior over partitions, and the point estimate from their draws."""

from __future__ import annotations

from pathlib import Path

from partita.factors import Model
from partita.linkage.entity.full_posterior import full_model, sample_full
from partita.linkage.inference.active_set import ActiveSet, least_score
from partita.linkage.inference.chains import ChainLength, ChainPlan
from partita.linkage.inference.first_partition import FirstPartition
from partita.linkage.inference.model_choice import ModelChoice
from partita.linkage.inference.uncertain import find_uncertain
from partita.linkage.pairwise.scored_pairs import LINKED
from partita.linkage.settings import Settings
from partita.posterior import Posterior
from partita.states import Partition

__all__ = ["estimate_partition", "sample_posterior", "sample_uncertain"]

MAX_SWEEPS_PER_DRAW = 8
"""Sweeps over the uncertain records between two draws at most; half a sweep at least.
Origin: 0.1."""
STEPS_PER_DRAW = 5_000
"""Step budget between two draws where that many sweeps are affordable. A limit of CPU seconds."""
MIN_CHAIN_DRAWS = 30
"""Draws of a chain at least. A limit of CPU seconds."""
MAX_CHAIN_DRAWS = 200
"""Draws of a chain at most. Origin: 0.1."""
CHAIN_STEPS = 150_000
"""Step budget of a chain, which decides between the two limits. Origin: 0.1."""
TUNE_SHARE = 0.25
"""Discarded draws per kept draw of a chain. Origin: 0.1."""
CHAIN_SPLIT_MERGE_SHARE = 0.04
"""Share of split-merge moves in the chains. The pilot uses the share of the search: with fewer
it misses uncertain records. Origin: 0.1."""


def sample_posterior(
    active: ActiveSet,
    first: FirstPartition | None,
    choice: ModelChoice,
    settings: Settings,
    progress: bool,
    checkpoint: Path | None = None,
) -> tuple[Model | None, Posterior | None]:
    """Sample partitions of the active records; return the sampled model and its posterior.

    Chains are saved in the folder `checkpoint`, and continue those that it holds.

    With posterior = "full" the model is extended by priors on error rates and entity sizes.
    """
    model, best, uncertain = choice.model, choice.state, choice.uncertain
    if first is None or model is None or best is None:
        return None, None
    scored, problem, prepared = first.scored, first.problem, active.prepared
    # records that no pair connects could never leave each other in the chains
    best = problem.split_unconnected(best, LINKED)
    if uncertain is None:
        uncertain = find_uncertain(problem, model, best, settings.seed)
    plan = ChainPlan(problem, best, uncertain, active.make_feasible, settings, progress, checkpoint)
    if settings.posterior != "full":
        return model, sample_uncertain(model, plan)
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
    return model, sample_full(model, plan, least_score(settings), anywhere)


def sample_uncertain(model: Model, plan: ChainPlan) -> Posterior:
    """Run chains in which only uncertain records move; continue them once if they nearly agree."""
    n = plan.uncertain.size
    thin = max(1, n // 2, min(MAX_SWEEPS_PER_DRAW * n, STEPS_PER_DRAW))
    among = plan.uncertain if n else None
    length = ChainLength(MIN_CHAIN_DRAWS, MAX_CHAIN_DRAWS, CHAIN_STEPS, TUNE_SHARE)
    proposal = plan.problem.proposal(LINKED, among, CHAIN_SPLIT_MERGE_SHARE)
    posterior = plan.run(model, proposal, length, thin)
    return plan.continue_disagreeing(model, proposal, posterior, thin)


def estimate_partition(
    active: ActiveSet,
    choice: ModelChoice,
    posterior: Posterior | None,
    settings: Settings,
    is_new_reading: bool = False,
) -> Partition | None:
    """Choose the feasible partition of least expected loss; None where nothing was sampled.

    Links between sources, and records of one column, that another reading than EM scores are the
    likeliest partition: competing candidates share the probability of a record, so that the least
    expected loss would leave most records single.
    """
    if posterior is None:
        return None
    is_single = len(active.prepared.compared) == 1
    competes = active.prepared.source is not None or is_single
    if is_new_reading and competes and choice.state is not None:
        return choice.state
    return active.make_feasible(posterior.point(settings.false_merge_cost).entity)
