"""Joint inference over records: a start, a model, its best state, and chains of its posterior.

Two models of the same evidence. "pairs" adds the score S of every two records of an entity.
"entities" has latent values (see `entities`), so that evidence is not multiplied by the number of
pairs. Only records with a possible partner are open; all others are entities of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from partita.factors import Model
from partita.kernel import Ints, generators
from partita.linkage.entity.full_posterior import draw_full, full_model
from partita.linkage.entity.model import entity_model
from partita.linkage.inference.active_set import ActiveSet, find_active_set, least_score
from partita.linkage.inference.marginals import Marginals
from partita.linkage.inference.sampling import draw, unsettled
from partita.linkage.inference.search import Problem
from partita.linkage.pairwise.scored_pairs import LINKED, ScoredPairs
from partita.linkage.prepare import Prepared
from partita.linkage.settings import Settings
from partita.linkage.stages import Clock
from partita.linkage.supervision.constraints import Constraints
from partita.posterior import Posterior
from partita.states import Partition
from partita.walks import greedy_merges

__all__ = ["Answer", "infer"]

HOT = 1.0
"""The temperature at which a search begins that starts from a good partition."""
ROUGH = 4
"""Steps per record of the first search, which only finds out what else is worth comparing."""
ENTITY_STEPS, ENTITY_CHEAP = 6, 40_000
"""Steps per record of the search for the best state of the entity model, and at least in all."""
TRIALS = 2_000, 8_000
"""Steps of searches that only find out whether the entity model fits."""
SURE, MOST_CONTRADICTED = 4.0, 0.05
"""Log-odds of a pair that is sure, and the share of such pairs that a fitting model may part."""
ROUNDS = 1
"""How often pairs that the partition makes relevant are added before it is final."""


@dataclass(frozen=True, eq=False)
class Answer:
    """What inference says of distinct records."""

    labels: Ints
    """The cluster of each distinct record."""
    marginals: Marginals
    scored: ScoredPairs
    chosen_model: str
    why_model: str
    model: Model | None
    """The model of the open records."""
    state: Partition | None
    """The partition of the open records."""


class First(NamedTuple):
    """A first partition, with the evidence and the problem that it solves."""

    scored: ScoredPairs
    problem: Problem
    model: Model
    state: Partition


def first_partition(scored: ScoredPairs, active: ActiveSet, seed: int) -> First:
    """Correlation clustering, with further pairs compared where its clusters need them."""
    problem = active.make_problem(scored)
    start = active.make_feasible(np.arange(active.n))
    model = problem.pair_model(0.0)
    found = problem.search(model, start, steps=ROUGH, seed=seed)
    for rng in generators(seed, ROUNDS):
        scored = scored.enriched(active.extend(found).entity, rng)
        problem = active.make_problem(scored)
        # from the beginning again: what the first pass joined too freely would hold together
        model = problem.pair_model()
        found = problem.search(model, start, seed=seed)
    return First(scored, problem, model, found)


def infer(
    scored: ScoredPairs,
    prepared: Prepared,
    constraints: Constraints,
    settings: Settings,
    clock: Clock,
    *,
    progress: bool = False,
) -> Answer:
    """Entities of distinct records, with the posterior of those that are open."""
    active = find_active_set(scored, prepared, constraints, settings)
    if active.n == 0:
        marginals = Marginals(active.numbering, None)
        alone = np.arange(prepared.n)
        why = "no pair is likely enough to be one entity"
        return Answer(alone, marginals, scored, "pairs", why, None, None)
    with clock.stage("cluster", "clustering pairs"):
        first = first_partition(scored, active, settings.seed)
    with clock.stage("entities", "searching for entities"):
        chosen = _choose(active, first, settings)
    with clock.stage("posterior"):
        chosen, posterior = _drawn(active, first, chosen, settings, progress)
    with clock.stage("point", "choosing the partition"):
        state = active.make_feasible(posterior.point(settings.join).entity)
    return Answer(
        active.extend(state).entity,
        Marginals(active.numbering, posterior),
        first.scored,
        chosen.name,
        chosen.why,
        chosen.model,
        state,
    )


class Choice(NamedTuple):
    """A model, why it was taken, and its best state."""

    name: str
    why: str
    model: Model
    state: Partition
    doubtful: Ints | None = None
    """Records that may leave their entity, if they were looked for."""


def _choose(active: ActiveSet, first: First, settings: Settings) -> Choice:
    """The model of entities, unless it contradicts what the pairs are sure of."""
    scored, problem, start = first.scored, first.problem, first.state
    pairs = Choice("pairs", "the settings say so", first.model, start)
    if settings.posterior == "full":
        settings = settings.replaced(model="entities")
    if settings.model == "pairs":
        return pairs
    if settings.model == "auto" and active.has_pairs_only:
        why = "entities have two records at most, where pairs count no evidence twice"
        return pairs._replace(why=why)
    if settings.model == "auto" and scored.model.related is not None:
        why = "many records are related without being one entity, of which only pairs can tell"
        return pairs._replace(why=why)
    model = entity_model(
        active.prepared.compared,
        scored.pairs,
        scored.scores.levels,
        scored.model,
        active.extend(start),
        rows=active.numbering.wide,
        constraints=problem.constraints,
    )
    best, doubtful = _tried(problem, model, start, settings.seed), None
    if settings.model == "entities" or contradicted(problem, start, best) <= MOST_CONTRADICTED:
        best, doubtful = best_entities(problem, model, best, settings.seed)
    share = contradicted(problem, start, best)
    said = f"parts {share:.1%} of the pairs that are surely one entity by themselves"
    if settings.model == "entities":
        return Choice("entities", "the settings say so", model, best, doubtful)
    if share > MOST_CONTRADICTED:
        return pairs._replace(why=f"the model of entities {said}, so it does not fit these data")
    return Choice("entities", f"it agrees with the clear pairs: it {said}", model, best, doubtful)


def _tried(problem: Problem, model: Model, start: Partition, seed: int) -> Partition:
    """Where a short search with the entity model leads, a shorter one where that does not fit."""
    best = start
    # of many records a short search sees too few to be worth its beginning
    for steps in TRIALS if problem.n < TRIALS[-1] else TRIALS[-1:]:
        best = problem.search(model, start, hot=HOT, steps=0, cheap=steps, seed=seed, least=LINKED)
        if contradicted(problem, start, best) > MOST_CONTRADICTED:
            break
    return best


def best_entities(
    problem: Problem, model: Model, start: Partition, seed: int
) -> tuple[Partition, Ints]:
    """The best state of the entity model, and the records in doubt, which the search is spent on.

    Most of what it changes are whole entities that become one, of which a walk tries few.
    """
    merged = greedy_merges(model, problem.near(LINKED), start).state
    rows = unsettled(problem, model, merged, seed)
    best = problem.search(
        model,
        merged,
        hot=HOT,
        steps=ENTITY_STEPS,
        cheap=ENTITY_CHEAP,
        seed=seed,
        least=LINKED,
        among=rows if rows.size else None,
    )
    return best, rows


def _drawn(
    active: ActiveSet, first: First, chosen: Choice, settings: Settings, progress: bool
) -> tuple[Choice, Posterior]:
    """The posterior, with the model that was sampled."""
    scored, problem, rows = first.scored, first.problem, chosen.doubtful
    if rows is None:
        rows = unsettled(problem, chosen.model, chosen.state, settings.seed)
    given = (problem, chosen.state, rows, active.make_feasible, settings, progress)
    if settings.posterior != "full":
        return chosen, draw(problem, chosen.model, *given[1:])
    whole = active.extend(chosen.state)
    prepared = active.prepared
    model = full_model(
        prepared.compared,
        scored,
        whole,
        active.numbering.wide,
        problem,
        prepared.turned,
        settings.seed,
    )
    # what relatives score is of those that a candidate links
    anywhere = scored.model.related is None
    return chosen._replace(model=model), draw_full(model, least_score(settings), *given, anywhere)


def contradicted(problem: Problem, start: Partition, found: Partition) -> float:
    """Of the pairs that are sure and together in one partition, the share apart in the other."""
    a, b = problem.pairs[problem.scores > SURE].T
    together = start.entity[a] == start.entity[b]
    apart = found.entity[a] != found.entity[b]
    return float((together & apart).sum() / max(1, together.sum()))
