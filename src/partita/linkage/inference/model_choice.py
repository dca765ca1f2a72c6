"""Model choice: entities with latent values, unless the data contradict that model.

The pairwise model adds the score of every two records of an entity. The entity model has latent
values (see `entity.model`), so that evidence is not multiplied by the number of pairs.
"""

from __future__ import annotations

from typing import NamedTuple

from partita.factors import Model
from partita.linkage.entity.model import entity_model
from partita.linkage.inference.active_set import ActiveSet
from partita.linkage.inference.first_partition import FirstPartition
from partita.linkage.inference.search import Problem
from partita.linkage.inference.uncertain import find_uncertain
from partita.linkage.numbering import ActiveIds
from partita.linkage.pairwise.scored_pairs import LINKED
from partita.linkage.settings import Settings
from partita.states import Partition
from partita.walks import greedy_merges

__all__ = [
    "MAX_SURE_PAIRS_SPLIT",
    "ModelChoice",
    "choose_model",
    "count_sure_pairs_split",
    "find_best_entities",
    "share_of_sure_pairs_split",
]

START_TEMPERATURE = 1.0
"""Temperature at which a search from a good partition begins. Origin: 0.1."""
ENTITY_STEPS_PER_RECORD = 6
"""Steps per uncertain record of the search for the best state of the entity model. A limit of
CPU seconds."""
MIN_ENTITY_STEPS = 40_000
"""Steps of that search at least. A limit of CPU seconds."""
TRIAL_STEPS = 2_000, 8_000
"""Steps of the two searches that test whether the entity model fits. A limit of CPU seconds."""
SURE_LOG_ODDS = 4.0
"""Log-odds (nats) above which a pair is sure. Origin: 0.1."""
MAX_SURE_PAIRS_SPLIT = 0.05
"""Share of the sure pairs that a fitting entity model may split. Origin: 0.1."""


class ModelChoice(NamedTuple):
    """The chosen model, the reason, and its best state."""

    name: str
    """"entities" or "pairs"."""
    why: str
    model: Model | None
    """None where no record is active."""
    state: Partition | None
    uncertain: ActiveIds | None = None
    """Records that may leave their entity; None if they were not searched for."""


def choose_model(
    active: ActiveSet, first: FirstPartition | None, settings: Settings
) -> ModelChoice:
    """Choose the entity model, unless it splits pairs that are sure or cannot apply."""
    if first is None:
        return ModelChoice("pairs", "no pair has a score that allows a match", None, None)
    pairs = ModelChoice("pairs", "the settings require it", first.model, first.state)
    required = "entities" if settings.posterior == "full" else settings.model
    if required == "pairs":
        return pairs
    if required == "auto" and active.has_pairs_only:
        why = "an entity has at most two records, so that no pair score counts twice"
        return pairs._replace(why=why)
    if required == "auto" and first.scored.scorer is not None:
        return pairs._replace(why="the reading scores pairs, not the values of entities")
    if required == "auto" and first.scored.model.household is not None:
        why = (
            "many pairs share a household but are not duplicates; the quick entity model has "
            "no household class"
        )
        return pairs._replace(why=why)
    problem, start = first.problem, first.state
    model = _build_entity_model(active, first)
    best, uncertain = _try_entities(problem, model, start, settings.seed), None
    split = share_of_sure_pairs_split(problem, start, best)
    if required == "entities" or split <= MAX_SURE_PAIRS_SPLIT:
        best, uncertain = find_best_entities(problem, model, best, settings.seed)
        split = share_of_sure_pairs_split(problem, start, best)
    if required == "entities":
        full = settings.posterior == "full" and settings.model != "entities"
        why = 'posterior = "full" needs the entity model' if full else "the settings require it"
        return ModelChoice("entities", why, model, best, uncertain)
    if split > MAX_SURE_PAIRS_SPLIT:
        why = f"the entity model does not fit: it splits {split:.1%} of the sure pairs"
        return pairs._replace(why=why)
    why = f"the entity model fits: it splits {split:.1%} of the sure pairs"
    return ModelChoice("entities", why, model, best, uncertain)


def _build_entity_model(active: ActiveSet, first: FirstPartition) -> Model:
    scored = first.scored
    return entity_model(
        active.prepared.compared,
        scored.pairs,
        scored.scores.levels,
        scored.model,
        active.extend(first.state),
        rows=active.numbering.wide,
        constraints=first.problem.constraints,
    )


def _try_entities(problem: Problem, model: Model, start: Partition, seed: int) -> Partition:
    """Search briefly with the entity model; stop after the first trial if it does not fit."""
    best = start
    # with many records the short trial examines too few of them to decide
    for steps in TRIAL_STEPS if problem.n < TRIAL_STEPS[-1] else TRIAL_STEPS[-1:]:
        best = problem.search(
            model, start, hot=START_TEMPERATURE, steps=0, cheap=steps, seed=seed, least=LINKED
        )
        if share_of_sure_pairs_split(problem, start, best) > MAX_SURE_PAIRS_SPLIT:
            break
    return best


def find_best_entities(
    problem: Problem, model: Model, start: Partition, seed: int
) -> tuple[Partition, ActiveIds]:
    """Find the best state of the entity model, and the uncertain records that were searched.

    Whole entities are merged greedily first: most improvements are such merges, and a walk
    proposes few of them.
    """
    merged = greedy_merges(model, problem.near(LINKED), start).state
    uncertain = find_uncertain(problem, model, merged, seed)
    best = problem.search(
        model,
        merged,
        hot=START_TEMPERATURE,
        steps=ENTITY_STEPS_PER_RECORD,
        cheap=MIN_ENTITY_STEPS,
        seed=seed,
        least=LINKED,
        among=uncertain if uncertain.size else None,
    )
    return best, uncertain


def share_of_sure_pairs_split(problem: Problem, start: Partition, state: Partition) -> float:
    """Of the sure pairs that `start` has in one entity, the share that `state` splits."""
    split, merged = count_sure_pairs_split(problem, start, state)
    return split / max(1, merged)


def count_sure_pairs_split(problem: Problem, start: Partition, state: Partition) -> tuple[int, int]:
    """Count the sure pairs within entities of `start` that `state` splits, and all such pairs."""
    a, b = problem.pairs[problem.scores > SURE_LOG_ODDS].T
    merged = start.entity[a] == start.entity[b]
    split = state.entity[a] != state.entity[b]
    return int((merged & split).sum()), int(merged.sum())
