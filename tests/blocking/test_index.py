import numpy as np
import pytest

from partita.blocking.index import build_index, count_features, make_scratch, measure_reach, search
from partita.blocking.ngrams import ValueFeatures

NO_SOURCES = np.empty(0, np.int32)
PLENTY = 10**6


def world(seed, n=60, columns=3, values=25, features=30):
    """Random rows of value numbers, and a few features for each value."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(-1, values, (n, columns)).astype(np.int32)
    lists = [np.unique(rng.integers(0, features, rng.integers(1, 5))) for _ in range(values)]
    start = np.concatenate([[0], np.cumsum([neighbours.size for neighbours in lists])])
    return rows, ValueFeatures(start, np.concatenate(lists).astype(np.int32), features)


def vectors(rows, traits):
    """Records as dense binary rows over features."""
    dense = np.zeros((rows.shape[0], traits.total))
    for i, row in enumerate(rows):
        for v in row[row >= 0]:
            dense[i, traits.feature[traits.start[v] : traits.start[v + 1]]] = 1
    return dense


def scores(rows, traits):
    """Cosines of idf-weighted vectors."""
    dense = vectors(rows, traits)
    weighted = dense * (np.log(len(rows) / np.maximum(dense.sum(0), 1)) + 0.05)
    length = np.linalg.norm(weighted, axis=1)
    weighted /= np.where(length > 0, length, 1)[:, None]
    return weighted @ weighted.T


def nearest(rows, traits, k, *, source=NO_SOURCES, budget=PLENTY, cap=PLENTY, seed=0, parts=1):
    index = build_index(rows, traits, *count_features(rows, traits))
    near = np.full((rows.shape[0], k), -7, np.int32)
    for block in np.array_split(np.arange(rows.shape[0]), parts):
        scratch = make_scratch(index, k, budget)
        search(index, scratch, source, near, block[0], block[-1] + 1, budget, cap, seed)
        assert not scratch.sum.any()
    return near


@pytest.mark.parametrize("linked", [False, True])
def test_search_finds_the_nearest_by_cosine(linked):
    rows, traits = world(1)
    source = np.random.default_rng(2).integers(0, 3, len(rows)).astype(np.int32)
    cosine = scores(rows, traits)
    np.fill_diagonal(cosine, 0)
    if linked:
        cosine[source[:, None] == source] = 0
    near = nearest(rows, traits, 5, source=source if linked else NO_SOURCES)
    for i, result in enumerate(near):
        result = result[result >= 0]
        best = np.sort(cosine[i])[::-1]
        assert result.size == min(5, (cosine[i] > 0).sum())
        assert np.allclose(np.sort(cosine[i, result])[::-1], best[: result.size], atol=1e-6)
        assert len(set(result)) == result.size


def test_lists_hold_the_records_of_each_feature_rarest_first():
    rows, traits = world(4)
    dense = vectors(rows, traits)
    times, widest = count_features(rows, traits)
    assert times.tolist() == dense.sum(0).tolist()
    index = build_index(rows, traits, times, widest)
    lengths = np.diff(index.first)
    assert (np.diff(lengths) >= 0).all()
    assert lengths.tolist() == sorted(times[times > 1])
    lists = [index.record[a:b].tolist() for a, b in zip(index.first, index.first[1:], strict=False)]
    assert sorted(lists) == sorted(np.flatnonzero(c).tolist() for c in dense.T if c.sum() > 1)


def test_parts_and_repeats_change_nothing():
    rows, traits = world(5)
    once = nearest(rows, traits, 4, budget=50)
    assert np.array_equal(once, nearest(rows, traits, 4, budget=50, parts=7))
    index = build_index(rows, traits, *count_features(rows, traits))
    scratch = make_scratch(index, 4, 50)
    for _ in range(2):
        near = np.empty_like(once)
        search(index, scratch, NO_SOURCES, near, 0, len(rows), 50, PLENTY, 0)
        assert np.array_equal(once, near)


def test_the_seed_breaks_ties():
    rows = np.zeros((40, 1), np.int32)
    traits = ValueFeatures(np.array([0, 1]), np.zeros(1, np.int32), 1)
    first, again, other = (nearest(rows, traits, 3, seed=seed) for seed in (0, 0, 1))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    # equals are spread over all records, not heaped on the first
    assert np.unique(first).size > 20


def test_a_budget_bounds_the_work_but_leaves_no_record_out():
    rows = np.zeros((500, 1), np.int32)
    traits = ValueFeatures(np.array([0, 1]), np.zeros(1, np.int32), 1)
    near = nearest(rows, traits, 4, budget=10, cap=50)
    # only common features: a window of the list around the record itself
    assert (near >= 0).all()
    assert (np.abs(near - np.arange(500)[:, None]) <= 10).all()


def test_common_features_are_not_read_beside_rare_ones():
    rows = np.column_stack([np.zeros(20), np.arange(20) // 2 + 1]).astype(np.int32)
    traits = ValueFeatures(np.arange(12), np.arange(11, dtype=np.int32), 11)
    near = nearest(rows, traits, 3, cap=5)
    assert near[:, 0].tolist() == (np.arange(20) ^ 1).tolist()
    assert (near[:, 1:] == -1).all()
    assert (nearest(rows, traits, 3, cap=20) >= 0).all()


def test_reach_is_the_share_of_lists_within_the_budget():
    rows = np.column_stack([np.zeros(20), np.arange(20) // 2 + 1]).astype(np.int32)
    traits = ValueFeatures(np.arange(12), np.arange(11, dtype=np.int32), 11)
    times, _ = count_features(rows, traits)
    assert [measure_reach(rows, traits, times, b) for b in (1, 2, 21, 22)] == [0.0, 0.5, 0.5, 1.0]
    assert measure_reach(np.full((3, 2), -1, np.int32), traits, times, 5) == 1.0


def test_records_without_values_have_no_neighbours():
    rows, traits = world(6)
    rows[3] = -1
    near = nearest(rows, traits, 4)
    assert (near[3] == -1).all()
    assert not (near == 3).any()
