"""Joint links: calibration of pairs of rows, shared candidates, sampled partitions."""

import numpy as np
import pytest
import scipy

from partita.knowledge.candidates import Candidates, link_probabilities
from partita.knowledge.joint import (
    RowPairs,
    calibrate_row_pairs,
    fit_row_pairs,
    sample_links,
    share_candidates,
    summarise_rows,
)
from partita.linkage.settings import Settings


def sparse(cells, shape):
    rows, columns, values = zip(*cells, strict=True)
    return scipy.sparse.csr_array((values, (rows, columns)), shape=shape)


def test_settled_rows_decide_whether_similar_rows_are_one_entity():
    n = 40
    pairs = np.array([[k, k + 1] for k in range(0, n, 2)])
    scores = np.full(len(pairs), 5.0)
    same = sparse([(k, k // 2, 1.0) for k in range(n)], (n, n))
    different = sparse([(k, k, 1.0) for k in range(n)], (n, n))
    for links, sign in ((same, 1), (different, -1)):
        slope, intercept = calibrate_row_pairs(RowPairs(pairs, scores), links)
        assert sign * (slope * 5.0 + intercept) > 2


def test_logistic_regression_recovers_its_parameters():
    rng = np.random.default_rng(1)
    x = rng.normal(size=20_000) * 4
    y = rng.random(x.size) < 1 / (1 + np.exp(-(0.6 * x - 1.0)))
    slope, intercept = fit_row_pairs(x, y)
    assert slope == pytest.approx(0.6, abs=0.05)
    assert intercept == pytest.approx(-1.0, abs=0.1)


def test_rows_take_the_likely_candidates_of_their_neighbours():
    candidates = Candidates(sparse([(0, 0, 9.0)], (2, 3)), 0.5, 0.0)
    alone = link_probabilities(candidates)
    found = share_candidates(
        candidates, alone, np.array([[0, 1]]), lambda rows, records: np.full(rows.size, 2.5)
    )
    assert found.scores[1, 0] == 2.5


def test_an_uncertain_row_links_like_the_row_it_is_one_entity_with():
    scores = sparse([(0, 0, 12.0), (1, 0, 3.0), (1, 1, 3.0), (2, 1, 12.0)], (3, 2))
    candidates = Candidates(scores, 0.9, 0.0)
    alone = link_probabilities(candidates)
    assert alone[1, 0] == pytest.approx(alone[1, 1])
    pairs = RowPairs(np.array([[0, 1], [1, 2]]), np.array([6.0, -9.0]))
    joint = sample_links(candidates, alone, pairs, Settings(seed=2), progress=False)
    assert joint.probabilities[1, 0] > 0.9
    best, nil = summarise_rows(joint.probabilities)
    assert (best > 0.9).all()
    assert (nil >= 0).all()
    none = sample_links(
        candidates, alone, RowPairs(np.zeros((0, 2), int), np.zeros(0)), Settings(), False
    )
    assert none.posterior is None
