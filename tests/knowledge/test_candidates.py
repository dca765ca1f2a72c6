"""Candidates, the share of rows with a link, and P(link | entity)."""

import numpy as np
import pytest
import scipy

from partita.knowledge.candidates import (
    UNLISTED,
    Candidates,
    estimate_link_share,
    link_probabilities,
    list_candidates,
    weigh_candidates,
    weigh_presence,
)


def make(cells, shape):
    rows, columns, values = zip(*cells, strict=True)
    return list_candidates(np.array(rows), np.array(columns), np.array(values, float), shape)


def by_sum(candidates, members, record):
    """P(link | entity) by the definition: the sum over all records and NIL, of mean scores."""
    listed = np.diff(candidates.scores.indptr) > 0
    dense = np.zeros(candidates.scores.shape)
    for m in members:
        dense[m] = UNLISTED if listed[m] else 0.0
        for q in range(candidates.scores.indptr[m], candidates.scores.indptr[m + 1]):
            dense[m, candidates.scores.indices[q]] = candidates.scores.data[q]
    weights = candidates.prior * np.exp(dense[members].sum(0) / max(listed[members].sum(), 1))
    return weights[record] / (weights.sum() + 1 - candidates.share)


def test_the_best_form_of_a_record_counts_and_zero_is_a_score():
    matrix = make([(0, 1, 2.0), (0, 1, 3.0), (1, 0, 0.0)], (2, 3))
    assert matrix[0, 1] == 3.0
    assert matrix.nnz == 2


def test_probabilities_of_entities_equal_the_sum_over_all_links():
    scores = make([(0, 0, 5.0), (0, 1, 4.0), (1, 1, 2.5), (3, 2, -1.0)], (4, 3))
    candidates = Candidates(scores, 0.6, 0.0)
    alone = link_probabilities(candidates)
    assert alone[0, 0] == pytest.approx(by_sum(candidates, [0], 0))
    labels = np.array([0, 0, 0, 1])
    both = link_probabilities(candidates, labels)
    for record in range(2):
        assert both[0, record] == pytest.approx(by_sum(candidates, [0, 1, 2], record))
    # row 2 has no candidates and changes nothing
    without = link_probabilities(candidates, np.array([0, 0, 2, 1]))
    assert np.allclose(without.toarray()[0], both.toarray()[0])


def test_order_of_candidates_does_not_matter():
    cells = [(0, 0, 5.0), (0, 1, 4.0), (0, 2, 1.0)]
    one = link_probabilities(Candidates(make(cells, (1, 4)), 0.5, 0.0))
    other = link_probabilities(Candidates(make(cells[::-1], (1, 4)), 0.5, 0.0))
    assert np.allclose(one.toarray(), other.toarray())


def test_the_share_of_links_is_found_from_likelihood_ratios():
    rng = np.random.default_rng(3)
    n, records, mean = 4000, 50, 6.0
    linked = rng.random(n) < 0.7
    x = rng.normal(size=(n, records))
    true = rng.integers(0, records, n)
    x[np.arange(n)[linked], true[linked]] += mean
    ratios = mean * x - mean**2 / 2
    scores = scipy.sparse.csr_array(ratios)
    assert estimate_link_share(scores) == pytest.approx(0.7, abs=0.03)
    found = weigh_candidates(scores, 0.0, is_calibrated=False)
    nil = 1 - np.asarray(link_probabilities(found).sum(1)).reshape(-1)
    assert nil.mean() == pytest.approx(0.3, abs=0.03)


def test_rows_without_candidates_have_no_link():
    candidates = weigh_candidates(scipy.sparse.csr_array((3, 2)), -5.0, is_calibrated=False)
    assert link_probabilities(candidates).nnz == 0
    assert candidates.share == pytest.approx(1 / 4)


def test_rows_that_lack_the_naming_column_are_less_likely_linked():
    rng = np.random.default_rng(1)
    is_linked = np.arange(200) < 140
    has_name = is_linked | (rng.random(200) < 0.3)
    scores = np.where(is_linked, 9.0, -2.0)
    # rows 190 to 199 have a middling candidate: half of them have a name
    scores[190:] = 4.0
    has_name[190:] = np.arange(10) < 5
    matrix = list_candidates(np.arange(200), np.arange(200), scores, (200, 200))
    candidates = weigh_candidates(matrix, 0.0, False)
    has_value = np.stack([has_name, rng.random(200) < 0.5], 1)
    weighed = weigh_presence(candidates, has_value)
    change = weighed.scores.data - candidates.scores.data
    assert change[190:195].min() > 0 > change[195:].max()
    assert abs(weighed.share - candidates.share) < 0.1


def test_columns_that_all_rows_fill_have_no_weight():
    scores = np.where(np.arange(100) < 60, 9.0, -3.0)
    matrix = list_candidates(np.arange(100), np.arange(100), scores, (100, 100))
    candidates = weigh_candidates(matrix, 0.0, False)
    weighed = weigh_presence(candidates, np.ones((100, 2), bool))
    np.testing.assert_allclose(weighed.scores.data, candidates.scores.data, atol=1e-3)
