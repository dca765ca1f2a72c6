"""Correlation clustering of scored pairs: the partition from which joint inference starts.

It maximises the sum of S over pairs in one entity, where a pair that was never compared counts
as `unseen`: an affinity model of S - unseen over the listed pairs, and `unseen` for every pair by
size. The engine searches for its best state by cooling.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from partita.errors import InputError
from partita.estimators import exact
from partita.factors import Model, affinity, size_prior
from partita.factors.template import finite
from partita.proposals import gibbs_neighbour, mixture, split_merge_neighbour
from partita.states import Partition
from partita.walks import Settings, cooling, run_chains

__all__ = ["correlation_clustering"]

LEAST = -6.0
"""Pairs below this score are never worth joining for their own sake, and are not proposed."""

STEPS = 30
"""Steps of the search for each record."""


def correlation_clustering(
    pairs: ArrayLike, scores: ArrayLike, n: int, *, unseen: float = -1.0, seed: int = 0
) -> Partition:
    """The partition of n records that agrees best with the scores of candidate pairs."""
    listed, given = np.asarray(pairs, np.int64).reshape(-1, 2), finite(scores, "scores of pairs")
    if given.shape != (len(listed),):
        raise InputError(
            f"there are {given.size} scores for {len(listed)} pairs; give one for each"
        )
    kept = given > LEAST
    if not kept.any():
        return Partition.singletons(n)
    listed, given = listed[kept], given[kept]
    sizes = np.arange(n + 1, dtype=float)
    model = Model(affinity(listed, given - unseen, n), size_prior(unseen * sizes * (sizes - 1) / 2))
    proposal = mixture([gibbs_neighbour(listed, n), split_merge_neighbour(listed, n)], [0.9, 0.1])
    settings = Settings(
        mode="map",
        draws=30,
        chains=1,
        seed=seed,
        temperature=cooling(2.0, 0.05),
        steps=STEPS * n,
        progressbar=False,
    )
    run = run_chains(model, Partition.singletons(n), proposal, exact(), settings)
    return Partition.of(run.chains[0].best)
