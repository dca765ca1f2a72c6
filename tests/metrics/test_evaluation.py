"""All scores at once: the same as one by one, plain in JSON, and at home among many records."""

import json

import numpy as np
import pytest
from hypothesis import given

from partita import metrics
from partita.metrics import evaluate
from tests.metrics import naive
from tests.metrics.partitions import LUO, LUO_TRUTH, two_partitions

SCORES = ("pairwise", "bcubed", "muc", "ceaf_e", "exact_clusters", "adjusted_rand")


@given(two_partitions())
def test_as_one_by_one(both):
    result = evaluate(*both)
    for name in SCORES:
        assert getattr(result, name) == getattr(metrics, name)(*both)
    found, truth = map(naive.pairs, both)
    assert (result.pairs_found, result.pairs_true) == (len(found), len(truth))
    assert result.pairs_shared == len(found & truth)
    assert result.found_entities == len(set(both[0]))
    assert result.largest_true == max(map(len, naive.clusters(both[1])))


def test_as_dict_is_json():
    result = evaluate(list(LUO["a"]), list(LUO_TRUTH))
    plain = json.loads(json.dumps(result.as_dict(), allow_nan=False))
    assert plain == result.as_dict()
    assert plain["bcubed"]["precision"] == pytest.approx(16 / 21)
    counts = {"records": 12, "unlabelled": 0, "found_entities": 2, "true_entities": 3}
    counts |= {"pairs_found": 31, "pairs_true": 21, "pairs_shared": 21}
    assert plain.items() >= (counts | {"largest_found": 7, "largest_true": 5}).items()


def test_without_ceaf():
    assert evaluate([1, 1], [1, 2], ceaf=False).ceaf_e is None


@given(two_partitions())
def test_labelled_records_only(both):
    found, truth = both
    hidden = [None if k % 3 == 1 else label for k, label in enumerate(truth)]
    kept = [k for k in range(len(found)) if k % 3 != 1]
    part = evaluate([found[k] for k in kept], [truth[k] for k in kept]).as_dict()
    whole = evaluate(found, hidden).as_dict()
    assert whole["unlabelled"] == len(found) - len(kept)
    for name, value in part.items():
        if name != "unlabelled":
            assert whole[name] == pytest.approx(value), name


def test_a_million_records():
    rng = np.random.default_rng(0)
    n = 1_000_000
    truth = rng.integers(0, n // 3, n)
    found = np.where(rng.random(n) < 0.1, rng.integers(0, n // 3, n), truth)
    result = evaluate(found, truth)
    assert result.records == n
    # a record stays with chance 0.9, a pair with its square
    assert result.pairwise.precision == pytest.approx(0.81, abs=0.01)
    assert 0.8 < result.ceaf_e.f1 < 1
    assert evaluate(truth, truth).ceaf_e.f1 == 1
