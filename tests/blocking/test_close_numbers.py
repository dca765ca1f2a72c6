import numpy as np
import pytest

from partita.blocking import nearest
from partita.blocking.candidates import find_candidates
from partita.blocking.close_numbers import BUCKETS, build_number_index
from partita.errors import InputError
from tests.blocking.test_candidates import column, matching

WORDS = ("payment", "transfer", "money", "ann", "bob", "eve", "tom", "lee", "orr", "kay")


def transfers(count=1500, seed=0):
    """Two records of each transfer: other words around one name, a fee, some days between."""
    rng = np.random.default_rng(seed)
    name = rng.choice(WORDS[3:], (count, 2))
    amount, day = np.exp(rng.normal(5, 1.5, count)), rng.integers(0, 300, count)
    memos = [[f"{a} {b} {rng.choice(WORDS[:3])}" for a, b in name] for _ in range(2)]
    truth = np.tile(np.arange(count), 2)
    order = rng.permutation(2 * count)
    numbers = {
        "amount": np.r_[amount, amount * rng.uniform(0.97, 1.0, count)].round(2)[order],
        "day": np.r_[day, day + rng.integers(1, 4, count)].astype(float)[order],
    }
    columns = {"memo": column(memos[0] + memos[1])}
    columns["memo"].codes = columns["memo"].codes[order]
    columns |= {key: column([f"{x:g}" for x in values]) for key, values in numbers.items()}
    source = np.repeat([0, 1], count)[order]
    return columns, numbers, source, truth[order]


def recall(candidates, truth):
    return matching(candidates, truth).sum() / (truth.size // 2)


def test_close_numbers_find_transfers_with_a_fee_and_a_delay():
    columns, numbers, source, truth = transfers()
    without = find_candidates(columns, source=source)
    close = find_candidates(columns, numbers=numbers, source=source)
    assert close.names == ("exact values", "n-grams", "close numbers")
    assert recall(without, truth) < 0.6
    assert recall(close, truth) > recall(without, truth) + 0.25
    added = len(close.pairs) - len(without.pairs)
    assert 0 < added <= source.size * 20 // nearest.EXTRA_DIVISOR


def test_numbers_alone_are_paired_with_each_other():
    columns, numbers, source, truth = transfers(400)
    del columns["memo"]
    without = find_candidates(columns, source=source)
    close = find_candidates(columns, numbers=numbers, source=source)
    assert recall(close, truth) > recall(without, truth) + 0.2


def test_the_features_do_not_depend_on_the_order_of_records():
    columns, numbers, _, _ = transfers(100)
    turn = np.random.default_rng(1).permutation(200)
    texts = {k: np.array(c.values.to_pylist())[c.codes][turn] for k, c in columns.items()}
    turned = {key: column(list(values)) for key, values in texts.items()}
    index = build_number_index(columns, numbers)
    other = build_number_index(turned, {key: x[turn] for key, x in numbers.items()})
    assert np.array_equal(index.weight, other.weight)
    assert np.allclose(index.scale[turn], other.scale)


def test_values_nearer_than_half_a_bucket_share_a_feature():
    n = 10 * BUCKETS
    numbers = {"x": np.arange(n, dtype=float)}
    index = build_number_index(
        {"x": column(list(map(str, range(n)))), "w": column(["a"] * n)}, numbers
    )
    features = [set(index.feature[index.start[i] : index.start[i + 1]]) for i in range(n)]
    assert all(features[i] & features[i + 4] for i in range(n - 4))
    assert not features[0] & features[20]


def test_missing_numbers_and_constants_add_no_search():
    columns = {"x": column(["1", "1", "2"]), "w": column(["a", "a", "a"])}
    for numbers in ({"x": np.full(3, np.nan)}, {"x": np.ones(3)}, {}):
        assert find_candidates(columns, numbers=numbers).names == ("exact values", "n-grams")


def test_large_files_have_no_search_for_close_numbers(monkeypatch):
    columns, numbers, source, _ = transfers(400)
    monkeypatch.setattr(nearest, "SAMPLE_ABOVE", 700)
    monkeypatch.setattr(nearest, "SAMPLE_RECORDS", 100)
    assert "close numbers" not in find_candidates(columns, numbers=numbers, source=source).names


def test_numbers_must_fit_the_columns():
    columns = {"x": column(["1", "2", "3"])}
    for numbers in ({"y": np.ones(3)}, {"x": np.ones(2)}, {"x": np.ones(3, int)}):
        with pytest.raises(InputError, match="the numbers of"):
            find_candidates(columns, numbers=numbers)
