"""Further pairs: all inside small clusters, some between linked ones, none twice."""

import itertools

import numpy as np
import pytest

from partita.kernel import generators
from partita.linkage.pairwise.scored_pairs import (
    LEAST,
    MAX_CLUSTER_COMPARED_IN_FULL,
    PAIRS_BETWEEN_CLUSTERS,
    PAIRS_PER_RECORD,
    _further,
    group_records,
)
from partita.linkage.resolve import resolve
from tests.linkage.made import persons, two_sources


@pytest.fixture(scope="module")
def resolved():
    """The one resolution from end to end that runs as plain Python too."""
    return resolve(persons(200)[0], seed=1, draws=4)


def keys(pairs):
    return {tuple(pair) for pair in np.asarray(pairs).tolist()}


def test_groups_list_every_cluster():
    labels = np.array([2, 0, 2, 1, 0, 2])
    order, starts, sizes = group_records(labels)
    for cluster in range(3):
        members = order[starts[cluster] : starts[cluster] + sizes[cluster]]
        assert members.tolist() == np.flatnonzero(labels == cluster).tolist()


def test_all_pairs_of_a_cluster_are_added_and_none_twice(resolved):
    found = resolved.scored
    few = np.arange(0, len(found.pairs), 3)
    (rng,) = generators(0, 1)
    before = keys(found.pairs[few])
    labels = resolved.labels[resolved.first_rows]
    more = _further(found.pairs[few], labels, np.zeros(few.size, bool), rng)
    inside = {
        pair
        for cluster in np.unique(labels)
        for pair in itertools.combinations(np.flatnonzero(labels == cluster).tolist(), 2)
    }
    assert keys(more) == inside - before
    assert len(keys(more)) == len(more)


def test_enriched_scores_what_it_adds(resolved):
    found = resolved.scored
    (rng,) = generators(0, 1)
    together = np.arange(found.n) // 2
    more = found.add_pairs_of(together, rng)
    old = len(found.pairs)
    np.testing.assert_array_equal(more.pairs[:old], found.pairs)
    assert len(keys(more.pairs)) == len(more.pairs) > old
    assert (more.pairs[:, 0] < more.pairs[:, 1]).all()
    assert {(2 * k, 2 * k + 1) for k in range(found.n // 2)} <= keys(more.pairs)
    again = found.model.score(found.comparisons, more.pairs)
    np.testing.assert_allclose(more.scores.total, again.total, rtol=1e-12)
    np.testing.assert_array_equal(more.scores.levels, again.levels)
    assert more.add_pairs_of(np.arange(found.n), rng).n == found.n


def test_some_pairs_of_linked_clusters():
    labels = np.array([0, 0, 0, 1, 1, 2])
    (rng,) = generators(0, 1)
    pairs = np.array([[0, 3], [1, 5]])
    more = _further(pairs, labels, np.array([True, False]), rng)
    between = more[labels[more[:, 0]] != labels[more[:, 1]]]
    assert len(between) <= PAIRS_BETWEEN_CLUSTERS
    assert all({int(labels[a]), int(labels[b])} == {0, 1} for a, b in between)


def test_large_clusters_are_compared_in_part():
    n = 3 * MAX_CLUSTER_COMPARED_IN_FULL
    (rng,) = generators(0, 1)
    nothing = np.zeros((0, 2), np.int64)
    more = _further(nothing, np.zeros(n, np.int64), np.zeros(0, bool), rng)
    assert n < len(more) <= n * PAIRS_PER_RECORD < n * (n - 1) / 2
    assert len(_further(nothing, np.arange(n), np.zeros(0, bool), rng)) == 0


def test_pruned_candidates_are_left_out(resolved):
    first, made = resolved.blocking.pairs.astype(np.int64), resolved.scored
    scored = made.model.score(made.comparisons, first)
    assert made.likely.shape == (len(first),)
    np.testing.assert_array_equal(made.likely, scored.total > 0)
    assert keys(first[scored.total > LEAST]) <= keys(made.pairs)


def test_clean_sources_are_not_compared_with_themselves():
    found = resolve(two_sources(120)[0], one_to_one=True, seed=1, draws=4)
    source, scored = found.prepared.source, found.scored
    (rng,) = generators(0, 1)
    more = scored.add_pairs_of(np.arange(scored.n) // 5, rng)
    assert len(more.pairs) > len(scored.pairs)
    assert (source[more.pairs[:, 0]] != source[more.pairs[:, 1]]).all()
