"""The first partition: correlation clustering of the scored pairs of active records."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from partita.factors import Model
from partita.kernel import Ints, generators
from partita.linkage.inference.active_set import ActiveSet
from partita.linkage.inference.search import Problem
from partita.linkage.pairwise.scored_pairs import ScoredPairs
from partita.states import Partition

__all__ = ["FirstPartition", "find_first_partition"]

ROUGH_STEPS = 4
"""Steps per record of the first search, which only selects further pairs to compare. A limit of
CPU seconds."""
ROUNDS = 1
"""Times that pairs inside and between the clusters are added before the final search.
Origin: 0.1."""


class FirstPartition(NamedTuple):
    """A partition of the active records, with the pairs and the problem it comes from."""

    scored: ScoredPairs
    problem: Problem
    model: Model
    """The pairwise model."""
    state: Partition


def find_first_partition(
    scored: ScoredPairs, active: ActiveSet, seed: int, labels: Ints | None = None
) -> FirstPartition | None:
    """Cluster by the pairwise model and compare the further pairs that its clusters need.

    A search begins at singletons. With the `labels` of the active records another one begins there,
    and the better partition counts: a walk rarely leaves a partition of earlier records, although
    the records since may contradict it. None if no record is active.
    """
    if active.n == 0:
        return None
    problem = active.make_problem(scored)
    start = active.make_feasible(np.arange(active.n))
    starts = [start]
    if labels is not None:
        present = active.make_feasible(labels)
        # the score of a partition contains no predicates
        starts = [present] if active.predicates else [present, start]
    model = problem.pair_model(0.0)
    state = problem.search(model, start, steps=ROUGH_STEPS, seed=seed)
    for rng in generators(seed, ROUNDS):
        scored = scored.add_pairs_of(active.extend(state).entity, rng)
        problem = active.make_problem(scored)
        # restart from the same partitions: clusters that the rough search merged in error persist
        model = problem.pair_model()
        states = [problem.polish(model, problem.search(model, s, seed=seed), seed) for s in starts]
        state = max(states, key=problem.score)
    return FirstPartition(scored, problem, model, state)
