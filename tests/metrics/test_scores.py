"""Pairwise, B-cubed, MUC, exact and Rand scores against twins and the literature."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given

from partita import metrics
from tests.metrics import naive
from tests.metrics.partitions import LUO, LUO_TRUTH, all_partitions, two_partitions

SCORES = ("pairwise", "bcubed", "muc", "ceaf_e", "exact_clusters")


def numbers(score):
    return score.precision, score.recall, score.f1


def check(found, truth):
    for name in SCORES:
        expected = [float(one) for one in getattr(naive, name)(found, truth)]
        assert numbers(getattr(metrics, name)(found, truth)) == pytest.approx(expected), name
    expected = float(naive.adjusted_rand(found, truth))
    assert metrics.adjusted_rand(found, truth) == pytest.approx(expected)


def test_every_pair_of_partitions_of_four():
    every = all_partitions(4)
    assert len(every) == 15
    for found, truth in product(every, every):
        check(found, truth)


@pytest.mark.parametrize("n", [1, 2])
def test_the_smallest_partitions(n):
    for found, truth in product(all_partitions(n), repeat=2):
        check(found, truth)


@given(two_partitions())
def test_random_partitions(both):
    check(*both)


@given(two_partitions())
def test_symmetry(both):
    found, truth = both
    for name in SCORES:
        metric = getattr(metrics, name)
        one, other = metric(found, truth), metric(truth, found)
        assert numbers(one) == pytest.approx((other.recall, other.precision, other.f1))
    there, back = metrics.adjusted_rand(found, truth), metrics.adjusted_rand(truth, found)
    assert there == pytest.approx(back)


@given(two_partitions())
def test_names_and_order_do_not_matter(both):
    found, truth = map(np.array, both)
    order = np.random.default_rng(len(found)).permutation(len(found))
    renamed = [f"entity {7 * label}" for label in found[order]]
    for name in SCORES:
        metric = getattr(metrics, name)
        assert numbers(metric(renamed, -2 - truth[order])) == pytest.approx(
            numbers(metric(found, truth))
        )


@pytest.mark.parametrize("found", all_partitions(5))
def test_equal_partitions_are_perfect(found):
    for name in SCORES:
        assert numbers(getattr(metrics, name)(found, found)) == (1, 1, 1)
    assert metrics.adjusted_rand(found, found) == 1


def test_only_equal_partitions_are_perfect():
    for found, truth in product(all_partitions(4), repeat=2):
        if found != truth:
            assert metrics.bcubed(found, truth).f1 < 1
            assert metrics.ceaf_e(found, truth).f1 < 1
            assert metrics.exact_clusters(found, truth).f1 < 1
            assert metrics.adjusted_rand(found, truth) < 1


def test_nothing_over_nothing_is_one():
    apart, together = [0, 1, 2], [0, 0, 0]
    assert numbers(metrics.pairwise(apart, together)) == (1, 0, 0)
    assert numbers(metrics.pairwise(together, apart)) == (0, 1, 0)
    assert numbers(metrics.muc(apart, together)) == (1, 0, 0)
    assert metrics.adjusted_rand(apart, together) == 0


@pytest.mark.parametrize(
    ("answer", "muc", "bcubed"),
    [("a", 0.947, 0.865), ("b", 0.947, 0.737), ("c", 0.900, 0.545), ("d", 0.000, 0.400)],
)
def test_table_1_of_luo_2005(answer, muc, bcubed):
    found, truth = list(LUO[answer]), list(LUO_TRUTH)
    assert round(metrics.muc(found, truth).f1, 3) == muc
    assert round(metrics.bcubed(found, truth).f1, 3) == bcubed


def test_bagga_and_baldwin_1998():
    # the same twelve mentions: both answers have MUC precision 90 %, B-cubed 76 % and 58 %
    truth = list(LUO_TRUTH)
    for answer, precision in (("a", 16 / 21), ("b", 7 / 12)):
        assert metrics.muc(list(LUO[answer]), truth).precision == pytest.approx(0.9)
        score = metrics.bcubed(list(LUO[answer]), truth)
        assert (score.precision, score.recall) == pytest.approx((precision, 1))


def test_vilain_1995():
    # key A-B-C-D, response A-B, C-D: one of three links is missing, none is wrong
    score = metrics.muc(list("1122"), list("aaaa"))
    assert (score.precision, score.recall) == pytest.approx((1, 2 / 3))
    # key A-B, C-D, response A-B-C-D: one of three links is wrong, none is missing
    score = metrics.muc(list("1111"), list("aabb"))
    assert (score.precision, score.recall) == pytest.approx((2 / 3, 1))


def test_adjusted_rand_of_yeung_and_ruzzo_2001():
    # their table of ten objects: rows (1 1 0), (1 2 1), (0 0 4); index 0.313
    cells = {("u1", "v1"): 1, ("u1", "v2"): 1, ("u2", "v1"): 1, ("u2", "v2"): 2}
    cells |= {("u2", "v3"): 1, ("u3", "v3"): 4}
    found = [u for (u, _), count in cells.items() for _ in range(count)]
    truth = [v for (_, v), count in cells.items() for _ in range(count)]
    assert round(metrics.adjusted_rand(found, truth), 3) == 0.313


def test_documented_examples_of_other_libraries():
    # scikit-learn: adjusted_rand_score([0, 0, 1, 1], [0, 0, 1, 2])
    assert metrics.adjusted_rand([0, 0, 1, 1], [0, 0, 1, 2]) == pytest.approx(4 / 7)
    # er-evaluation: cluster_precision and cluster_recall
    score = metrics.exact_clusters([1, 1, 2, 3, 2, 4, 4, 5], list("aaabbccd"))
    assert numbers(score) == pytest.approx((0.4, 0.5, 4 / 9))


def test_pairs_of_many_records_do_not_overflow():
    n = 200_000
    found, truth = np.zeros(n, np.int64), np.arange(n) // (n // 2)
    every, half = n * (n - 1) // 2, n // 2 * (n // 2 - 1)
    assert metrics.pairwise(found, truth).precision == half / every
    # (shared * all) passes 2^63
    assert half * every > 2**63
    assert metrics.adjusted_rand(found, truth) == 0


def test_bcubed_of_records_has_the_means_of_bcubed():
    found, truth = [1, 1, 2, 3, 2, 4, 4, 4], list("aaabbccd")
    precision, recall = metrics.bcubed_by_record(found, truth)
    score = metrics.bcubed(found, truth)
    assert (precision.mean(), recall.mean()) == pytest.approx((score.precision, score.recall))
    assert precision[:3].tolist() == [1.0, 1.0, 0.5]
