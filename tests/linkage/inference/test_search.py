"""The search for the best partition by scored pairs."""

import numpy as np

from partita.linkage.inference.search import Problem
from partita.linkage.numbering import ActiveIds
from partita.states import Partition


def test_polishing_separates_records_that_no_pair_connects():
    """Gibbs moves along pairs leave such records together; a rough search can hold hundreds."""
    rng = np.random.default_rng(0)
    n, good = 600, np.arange(200).reshape(-1, 2)
    bad = np.unique(np.sort(rng.integers(0, n, (1200, 2)), axis=1), axis=0)
    bad = bad[(bad[:, 0] != bad[:, 1]) & (bad[:, 0] // 2 != bad[:, 1] // 2)]
    pairs = ActiveIds(np.concatenate([good, bad]))
    scores = np.repeat([3.0, -2.9], [len(good), len(bad)])
    problem = Problem(pairs, scores, n)
    model = problem.pair_model()
    start = Partition.of(np.repeat(np.arange(n // 3), 3))
    found = problem.polish(model, start)
    assert (found.entity[good[:, 0]] == found.entity[good[:, 1]]).mean() > 0.97
    assert n - len(good) <= np.unique(found.entity).size < n - len(good) + 4
