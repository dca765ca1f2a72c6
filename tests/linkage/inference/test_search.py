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


def test_polishing_makes_merges_of_hardly_any_gain():
    pairs = np.arange(400).reshape(-1, 2)
    problem = Problem(ActiveIds(pairs), np.full(200, 0.02), 400)
    found = problem.polish(problem.pair_model(), Partition.singletons(400))
    assert (found.entity[pairs[:, 0]] == found.entity[pairs[:, 1]]).all()


def test_entities_are_split_where_only_weak_pairs_connect_them():
    problem = Problem(ActiveIds(np.array([[0, 1], [1, 2]])), np.array([2.0, -4.0]), 3)
    whole = Partition.of(np.zeros(3, np.int64))
    assert problem.split_unconnected(whole).entity.tolist() == [0, 0, 0]
    assert problem.split_unconnected(whole, -3.0).entity.tolist() == [0, 0, 1]


def test_the_score_of_a_partition_sums_its_pairs():
    """Pairs that are not listed, and pruned ones, score `unseen`."""
    pairs, scores = np.array([[0, 1], [1, 2], [3, 4]]), np.array([2.0, -4.0, -9.0])
    problem = Problem(ActiveIds(pairs), scores, 5)
    assert problem.score(Partition.singletons(5)) == 0.0
    assert problem.score(Partition.of(np.array([0, 0, 0, 1, 1]))) == 2.0 - 4.0 - 1.0 - 1.0
