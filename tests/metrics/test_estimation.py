"""Estimates from samples: equal to the truth when all is known, unbiased, and covered."""

import json
from itertools import combinations
from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given

from partita.errors import InputError
from partita.metrics import contingency, estimate, evaluate
from partita.metrics.estimation import cluster_sums
from tests.metrics import naive
from tests.metrics.partitions import two_partitions


def values(intervals):
    return [intervals.precision.value, intervals.recall.value, intervals.f1.value]


def population(n, seed):
    """Entities of some four records, of which one in ten records is lost to another."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, n // 4, n)
    found = np.where(rng.random(n) < 0.1, rng.integers(0, n // 4, n), truth)
    return found, truth, rng


@given(two_partitions())
def test_all_labelled_is_the_score(both):
    found, truth = both
    if len(set(truth)) < 2:
        return
    exact = evaluate(found, truth)
    for sampled in ("records", "clusters"):
        result = estimate(found, truth, sampled=sampled, draws=5)
        for own, pairs in (("precision", "pairs_found"), ("recall", "pairs_true")):
            expected = getattr(exact.pairwise, own) if getattr(exact, pairs) else nan
            value = getattr(result.pairwise, own).value
            assert value == pytest.approx(expected, nan_ok=True)
        assert result.bcubed.precision.value == pytest.approx(exact.bcubed.precision)
    assert result.bcubed.recall.value == pytest.approx(exact.bcubed.recall)
    assert result.bcubed.f1.value == pytest.approx(exact.bcubed.f1)


def test_the_example_of_er_evaluation():
    # pairwise_precision_design_estimate is 0.3889 with its adjustment, 1/3 without
    found, truth = [1, 1, 2, 3, 2, 4, 4, 4], ["a", "a", "a", "b", "b", None, None, "d"]
    result = estimate(found, truth, sampled="clusters")
    assert result.pairwise.precision.value == pytest.approx(1 / 3)
    assert result.pairwise.recall.value == pytest.approx(1 / 4)
    assert (result.labelled, result.records, result.clusters) == (6, 8, 3)


@given(two_partitions())
def test_whole_clusters(both):
    found, truth = both
    hidden = [None if label % 3 == 2 else label for label in truth]
    if len(set(hidden) - {None}) < 2:
        return
    result = estimate(found, hidden, sampled="clusters", draws=5)
    touched = any(hidden[i] is not None or hidden[j] is not None for i, j in naive.pairs(found))
    expected = float(naive.design_pairwise_precision(found, hidden)) if touched else nan
    assert result.pairwise.precision.value == pytest.approx(expected, nan_ok=True)
    homes = [(naive.home(found, k), naive.home(truth, k)) for k, own in enumerate(hidden)]
    kept = [pair for pair, own in zip(homes, hidden, strict=True) if own is not None]
    purity = np.mean([len(a & b) / len(a) for a, b in kept])
    cover = np.mean([len(a & b) / len(b) for a, b in kept])
    assert result.bcubed.precision.value == pytest.approx(purity)
    assert result.bcubed.recall.value == pytest.approx(cover)


def test_samples_of_records_are_unbiased():
    # over all 35 samples of 4 out of 7 records
    found, truth = [0, 0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 1, 2]
    sums = []
    for chosen in combinations(range(7), 4):
        hidden = [label if k in chosen else -1 for k, label in enumerate(truth)]
        sums.append(cluster_sums(contingency(found, hidden), "records").sum(axis=0))
    shared, claimed, true, right, _, records = np.mean(sums, axis=0)
    exact = evaluate(found, truth)
    assert shared / claimed == pytest.approx(exact.pairwise.precision)
    assert shared / true == pytest.approx(exact.pairwise.recall)
    assert right / records == pytest.approx(exact.bcubed.precision)


def test_clusters_by_size_are_unbiased():
    # each true entity as often as it has records, weighed by the reverse
    found, truth = [0, 0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 1, 2]
    table = contingency(found, truth)
    plain, weighed = cluster_sums(table, "clusters"), cluster_sums(table, "clusters by size")
    assert weighed * table.true_sizes[:, None] == pytest.approx(plain)


@pytest.mark.parametrize("sampled", ["records", "clusters", "clusters by size"])
def test_intervals_cover(sampled):
    found, truth, rng = population(3000, 1)
    exact = evaluate(found, truth, ceaf=False)
    hits = []
    for repeat in range(60):
        if sampled == "records":
            known = rng.random(len(truth)) < 0.4
        elif sampled == "clusters":
            known = np.isin(truth, rng.choice(750, 150, replace=False))
        else:
            known = np.isin(truth, truth[rng.choice(len(truth), 80)])
        result = estimate(found, truth, known, seed=repeat, sampled=sampled, draws=200)
        pairs = [(result.pairwise.precision, exact.pairwise.precision)]
        pairs += [(result.pairwise.recall, exact.pairwise.recall)]
        pairs += [(result.pairwise.f1, exact.pairwise.f1)]
        pairs += [(result.bcubed.precision, exact.bcubed.precision)]
        if sampled != "records":
            pairs += [(result.bcubed.recall, exact.bcubed.recall)]
            pairs += [(result.bcubed.f1, exact.bcubed.f1)]
        hits.append([one.low <= value <= one.high for one, value in pairs])
    assert np.mean(hits, axis=0).min() > 0.8


def test_bounds_are_ordered_and_repeat_by_seed():
    found, truth, rng = population(500, 2)
    known = rng.random(500) < 0.5
    one, other = (estimate(found, truth, known, seed=3, draws=100) for _ in range(2))
    assert one.as_dict() == other.as_dict()
    assert one != estimate(found, truth, known, seed=4, draws=100)
    narrow = estimate(found, truth, known, interval=0.5, seed=3, draws=100).pairwise.f1
    wide = one.pairwise.f1
    assert wide.low < narrow.low < narrow.value == wide.value < narrow.high < wide.high


def test_what_a_sample_does_not_show_is_nan():
    result = estimate([1, 1, 2, 2], [5, None, 6, None], draws=10)
    assert all(isnan(value) for value in values(result.pairwise))
    assert isnan(result.bcubed.recall.value) and isnan(result.bcubed.f1.value)
    plain = json.loads(json.dumps(result.as_dict(), allow_nan=False))
    assert plain["pairwise"]["f1"] == {"value": None, "low": None, "high": None}
    assert plain["bcubed"]["precision"]["value"] == 0.5
    assert plain["sampled"] == "records"


def test_all_wrong_is_zero():
    result = estimate([1, 1, 2, 2], [5, 6, 5, 6], draws=10)
    assert values(result.pairwise) == [0, 0, 0]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"interval": 95}, "interval is 95; give a probability between 0 and 1"),
        ({"sampled": "rows"}, "sampled is 'rows'; give one of 'records', 'clusters'"),
        ({"draws": 0}, "draws is 0; give at least 1"),
    ],
)
def test_refused(given, message):
    with pytest.raises(InputError, match=message):
        estimate([1, 2], [1, 2], **given)


def test_one_entity_is_refused():
    with pytest.raises(InputError, match=r"truth labels 1 entity.*label at least two"):
        estimate([1, 2], [1, 1])
