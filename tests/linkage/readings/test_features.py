"""Features of pairs: information, contradiction and words mean the same on every file."""

import numpy as np
import pytest

from partita import read
from partita.comparison.comparisons import Comparisons
from partita.linkage.readings.competitors import Competitors
from partita.linkage.readings.features import FEATURES, FeatureTables
from partita.linkage.readings.second_best import find_second_best_zero, match_greedily

ROWS = [{"name": f"person {k} street", "town": ["york", "bath"][k % 2]} for k in range(30)]


def features(rows, pairs, names=("name", "town"), types=("full name", "category")):
    records = read(rows)
    columns = [records.column(name) for name in names]
    comparisons = Comparisons(columns, types)
    sizes = [len(labels) for labels in comparisons.level_names]
    every = np.stack(np.triu_indices(len(rows), 1), 1)
    tables = FeatureTables(columns, types, sizes, comparisons.levels(every))
    table = tables.features(np.array(pairs), comparisons.levels(pairs))
    return {name: table[:, k] for k, name in enumerate(FEATURES)}


def test_agreement_on_a_rare_value_carries_more_information():
    rows = [*ROWS, {"name": "zoe quill", "town": "ely"}, {"name": "zoe quill", "town": "ely"}]
    rare, common = features(rows, [[30, 31], [0, 2]])["information"]
    assert rare > 1 > common


def test_a_missing_value_neither_agrees_nor_contradicts():
    rows = [*ROWS, {"name": "zoe quill", "town": None}, {"name": "zoe quill", "town": "ely"}]
    found = features(rows, [[30, 31]])
    assert found["contradiction"][0] == 0 and found["columns"][0] == 1
    assert np.isnan(found["category_share"][0])


def test_words_in_another_order_are_the_same_words():
    rows = [*ROWS, {"name": "fur seal", "town": "x"}, {"name": "seal fur", "town": "x"}]
    found = features(rows, [[30, 31], [0, 1]])
    assert found["same_words"].tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("one", "other", "is_paired"),
    [
        ("acme corp", "acme corporation", True),
        ("acme ltd", "acme limited", True),
        ("acme intl", "acme international", True),
        ("acme i", "acme international", True),
        ("acme co", "acme corporation", False),
        ("acme sun", "acme saturn", True),
        ("acme limb", "acme limited", False),
        ("acme orp", "acme corporation", False),
    ],
)
def test_abbreviations_are_paired_with_their_words(one, other, is_paired):
    rows = [*ROWS, {"name": one, "town": "x"}, {"name": other, "town": "x"}]
    found = features(rows, [[30, 31]])
    assert (found["unmatched_high"][0] == 0) == is_paired


def test_numbers_of_one_record_alone_contradict():
    rows = [*ROWS, {"name": "quest", "town": "x"}, {"name": "quest ii", "town": "x"}]
    found = features(rows, [[30, 31]])
    assert found["digits_high"][0] > 0 == found["digits_low"][0]


def test_features_do_not_depend_on_the_order_of_records():
    pairs = np.array([[0, 1], [3, 9], [5, 6]])
    order = np.random.default_rng(0).permutation(len(ROWS))
    place = np.argsort(order)
    one, other = features(ROWS, pairs), features([ROWS[k] for k in order], place[pairs])
    for name in FEATURES:
        assert one[name] == pytest.approx(other[name], nan_ok=True), name


def test_competitors_divide_the_odds():
    pairs = np.array([[0, 1], [0, 2], [0, 3], [4, 5]])
    scores = np.array([2.0, 2.0, -3.0, 2.0])
    found = Competitors.of(pairs, scores, 6).adjustment(pairs, scores)
    assert found[0] == found[1] < found[3] == 0
    assert found[2] < found[1]


def test_the_second_best_candidate_shows_the_zero():
    rng = np.random.default_rng(2)
    left = np.repeat(np.arange(300), 4)
    right = 300 + rng.integers(0, 300, left.size)
    right[::4] = 300 + np.arange(300)
    scores = rng.normal(-6, 1, left.size)
    scores[::4] = np.where(np.arange(300) < 200, rng.normal(-1, 0.7, 300), scores[::4])
    zero = find_second_best_zero(np.stack([left, right], 1), scores, np.repeat([0, 1], 300))
    assert -5 < zero < -2


@pytest.mark.parametrize(("matched", "moves"), [(0.0, False), (0.05, False), (0.8, True)])
def test_the_zero_stays_where_few_records_have_a_match(matched, moves):
    rng = np.random.default_rng(2)
    left = np.repeat(np.arange(1000), 6)
    pairs = np.stack([left, 1000 + rng.integers(0, 1000, left.size)], 1)
    pairs[::6, 1] = 1000 + np.arange(1000)
    scores = rng.exponential(1, left.size) - 9
    scores[::6] = np.where(np.arange(1000) < matched * 1000, 5.0, scores[::6])
    zero = find_second_best_zero(pairs, scores, np.repeat([0, 1], 1000))
    assert (zero != 0.0) == moves


def test_the_zero_of_few_records_stays():
    assert find_second_best_zero(np.array([[0, 1]]), np.array([1.0]), np.array([0, 1])) == 0.0


def test_the_zero_stays_where_most_non_matches_have_one_score():
    """Pairs that agree in no column have the score of the prior, so that medians are ties."""
    rng = np.random.default_rng(0)
    left = np.repeat(np.arange(300), 4)
    right = 300 + rng.integers(0, 300, 1200)
    right[::4] = 300 + np.arange(300)
    scores = np.full(1200, -9.8)
    scores[rng.random(1200) < 0.1] = -12.0
    scores[: 4 * 120 : 4] = rng.normal(4, 1, 120)
    zero = find_second_best_zero(np.stack([left, right], 1), scores, np.repeat([0, 1], 300))
    assert -9.8 < zero < 3


@pytest.mark.parametrize(("exclusive", "chosen"), [(True, [0, 3]), (False, [0, 2])])
def test_a_greedy_matching_takes_pairs_by_score(exclusive, chosen):
    record, other = np.array([0, 0, 1, 1]), np.array([2, 3, 2, 3])
    assert np.flatnonzero(match_greedily(record, other, 4, exclusive)).tolist() == chosen


def test_records_whose_best_candidate_has_a_better_match_do_not_lower_the_zero():
    """Relatives of matched records score between matches and non-matches."""
    rng = np.random.default_rng(4)
    n = 600
    left, right = np.repeat(np.arange(n), 4), n + rng.integers(0, n, 4 * n)
    scores = rng.normal(-12, 1, 4 * n)
    is_first = np.arange(4 * n) % 4 == 0
    matched = is_first & (left < 300)
    relative = is_first & (left >= 300)
    right[is_first] = n + left[is_first] % 300
    scores[matched] = rng.normal(4, 1, 300)
    scores[relative] = rng.normal(-5, 1, 300)
    zero = find_second_best_zero(np.stack([left, right], 1), scores, np.repeat([0, 1], n))
    assert -3 < zero < 4
