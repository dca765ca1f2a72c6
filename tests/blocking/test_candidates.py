import logging
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

from partita.blocking import nearest
from partita.blocking.candidates import Candidates, collapse, find_candidates, summarise_blocking
from partita.data import row_order
from partita.errors import InputError

LETTERS = np.array(list("abcdefghijklmnopqrstuvwxyz"))


def column(values):
    coded = pa.array(values, pa.string()).dictionary_encode()
    codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int32)
    return SimpleNamespace(codes=codes, values=coded.dictionary)


def word(rng, length):
    return "".join(rng.choice(LETTERS, length))


def spoilt(rng, text):
    at = int(rng.integers(0, len(text)))
    return text[:at] + str(rng.choice(LETTERS)) + text[at + 1 :]


def people(entities, seed=0, errors=0.4):
    """Two records of each entity, with errors in the second; columns and the truth."""
    rng = np.random.default_rng(seed)
    names, towns = [word(rng, 6) for _ in range(entities // 2)], [word(rng, 7) for _ in range(9)]
    rows = []
    for _ in range(entities):
        row = [rng.choice(names), rng.choice(names), rng.choice(towns), f"{rng.integers(1e6):06d}"]
        again = [spoilt(rng, pair) if rng.random() < errors else str(pair) for pair in row]
        rows += [row, [None if rng.random() < 0.1 else pair for pair in again]]
    truth = np.repeat(np.arange(entities), 2)
    order = rng.permutation(2 * entities)
    table = [[rows[i][c] and str(rows[i][c]) for i in order] for c in range(4)]
    keys = ("first", "last", "town", "number")
    return dict(zip(keys, map(column, table), strict=True)), truth[order]


def matching(found, truth):
    return truth[found.pairs[:, 0]] == truth[found.pairs[:, 1]]


def test_pairs_are_ordered_unique_and_mostly_keep_the_matches():
    columns, truth = people(120)
    candidates = find_candidates(columns, k=8)
    low, high = candidates.pairs.T.astype(np.int64)
    assert (low < high).all()
    assert (np.diff(low * 1000 + high) > 0).all()
    assert (
        candidates.counts.tolist()
        == np.bincount(candidates.pairs.reshape(-1), minlength=240).tolist()
    )
    assert matching(candidates, truth).sum() >= 0.97 * 120
    # far fewer than all pairs, and never more than both searches can give
    assert len(candidates.pairs) <= 2 * 8 * 240
    assert ((candidates.flags > 0) & (candidates.flags < 4)).all()
    assert (
        matching(candidates, truth)[candidates.found_by("exact values")].sum()
        < matching(candidates, truth).sum()
    )


def test_the_number_of_threads_changes_nothing(monkeypatch):
    monkeypatch.setattr(nearest, "CHUNK_RECORDS", 16)
    columns, _ = people(60)
    shares = []
    candidates = find_candidates(columns, k=5, seed=3, cores=1, progress=shares.append)
    three = find_candidates(columns, k=5, seed=3, cores=3)
    assert np.array_equal(candidates.pairs, three.pairs)
    assert np.array_equal(candidates.flags, three.flags)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert 0 < shares[0] < 1


def test_linked_records_are_paired_across_sources_only():
    columns, _ = people(40)
    source = np.arange(80, dtype=np.int32) % 2
    candidates = find_candidates(columns, source=source, k=5, rules=[["town"]])
    assert len(candidates.pairs)
    assert (source[candidates.pairs[:, 0]] != source[candidates.pairs[:, 1]]).all()


def test_a_small_budget_makes_ngrams_longer():
    columns, truth = people(150, errors=0.6)
    assert find_candidates(columns, k=5).ngram_length == 3
    short, long = (find_candidates(columns, k=5, budget=b) for b in (2000, 30))
    assert long.ngram_length > short.ngram_length
    assert matching(long, truth).sum() >= 0.95 * 150


def test_records_without_a_candidate_are_listed():
    columns = {"a": column(["anna", "anne", None, "qqqq"]), "b": column(["x", "x", None, "z"])}
    candidates = find_candidates(columns)
    assert candidates.unblocked.tolist() == [2, 3]
    assert candidates.pairs.tolist() == [[0, 1]]
    assert find_candidates({"a": column(["one"])}).unblocked.tolist() == [0]


def test_rules_add_to_the_searches_and_the_summary_adds_up(caplog):
    columns, _ = people(60)
    with caplog.at_level(logging.WARNING):
        candidates = find_candidates(
            columns, k=4, rules=[["town"], ["last", "first[:2]"]], largest_block=10
        )
    assert "'town'" in caplog.text
    rows = summarise_blocking(candidates)
    assert [row.rule for row in rows] == ["exact values", "n-grams", "town", "last & first[:2]"]
    assert [row.pairs for row in rows] == [int(candidates.found_by(row.rule).sum()) for row in rows]
    assert rows[-1].cumulative == len(candidates.pairs) == sum(row.new for row in rows)
    assert rows[0].new == rows[0].pairs
    assert rows[2].message and rows[2].largest[0].size > 10
    assert not rows[3].message
    reached = np.unique(candidates.pairs[candidates.found_by("last & first[:2]")]).size
    assert rows[3].unblocked == 120 - reached > 0


def test_a_column_may_have_the_name_of_a_search():
    columns = {"n-grams": column(["ab", "ab", "cd", "ce"]), "x": column(["p", "q", "r", "s"])}
    candidates = find_candidates(columns, rules=[["n-grams"]])
    assert candidates.names == ("exact values", "n-grams", "short columns", "rule n-grams")
    assert candidates.pairs[candidates.found_by("rule n-grams")].tolist() == [[0, 1]]


def test_rules_alone():
    columns, _ = people(30)
    candidates = find_candidates(columns, k=0, rules=[["last"]])
    assert candidates.names == ("last",)
    codes = columns["last"].codes
    assert (codes[candidates.pairs[:, 0]] == codes[candidates.pairs[:, 1]]).all()
    with pytest.raises(InputError, match="no searches"):
        candidates.estimate_completeness(np.ones(len(candidates.pairs), bool))


def made(pairs, bits, n):
    pairs = np.array(pairs, np.int32).reshape(-1, 2)
    counts = np.bincount(pairs.reshape(-1), minlength=n).astype(np.int32)
    return Candidates(pairs, np.array(bits, np.uint8), counts, ("exact values", "n-grams"), 3)


def test_completeness_is_chapman_on_records_times_transitivity_on_pairs():
    # a path of three records, and three separate pairs of which each search misses one
    candidates = made([[0, 1], [1, 2], [3, 4], [5, 6], [7, 8]], [3, 3, 1, 2, 3], 10)
    share = candidates.estimate_completeness(np.ones(5, bool))
    a, b, c, seen = 7, 7, 5, 9
    assert share.records == pytest.approx(seen / ((a + 1) * (b + 1) / (c + 1) - 1))
    assert share.records_low < share.records < share.records_high <= 1
    assert share.within == pytest.approx(5 / 6)
    assert share.pairs == pytest.approx(share.records * 5 / 6)
    # record 9 has no candidate at all
    assert share.paired == 0.9
    # an unlikely pair counts for nothing
    assert candidates.estimate_completeness([0.9, 0.1, 0.9, 0.9, 0.9]).within == 1.0


def test_completeness_recovers_the_share_when_searches_are_independent():
    rng = np.random.default_rng(8)
    n = 4000
    bits = (rng.random(n) < 0.8) + 2 * (rng.random(n) < 0.6)
    pairs = np.arange(2 * n).reshape(n, 2)
    share = made(pairs[bits > 0], bits[bits > 0], 2 * n).estimate_completeness(
        np.ones((bits > 0).sum(), bool)
    )
    assert share.records_low < (bits > 0).mean() < share.records_high
    assert share.records_high - share.records_low < 0.02


def test_completeness_is_nan_without_a_common_match():
    share = made([[0, 1], [2, 3]], [1, 2], 4).estimate_completeness(np.ones(2, bool))
    assert np.isnan([share.pairs, share.records, share.within]).all()
    assert (share.records_low, share.records_high) == (0.0, 1.0)
    with pytest.raises(InputError, match="2 truth values"):
        made([[0, 1], [2, 3]], [1, 2], 4).estimate_completeness(np.ones(3, bool))


def test_collapse_points_to_the_first_identical_record():
    columns = {
        "a": column(["x", "y", "x", None, None, "x", "y"]),
        "b": column(["1", "1", "1", None, None, None, "1"]),
    }
    # 3 and 4 are empty: there is no evidence that they are one
    assert collapse(columns).tolist() == [0, 1, 0, 3, 4, 5, 1]


def test_collapse_is_exact_when_hashes_collide(monkeypatch):
    monkeypatch.setattr(row_order, "HASH_MULTIPLIER", np.uint64(0))
    rng = np.random.default_rng(1)
    columns = {name: column([str(v) for v in rng.integers(0, 3, 50)]) for name in "abc"}
    rows = np.stack([item.codes for item in columns.values()], 1)
    expected = [int((rows == row).all(1).argmax()) for row in rows]
    assert collapse(columns).tolist() == expected


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"k": -1}, "k is -1"),
        ({"k": 2.5}, "k is 2.5"),
        ({"seed": True}, "seed is True"),
        ({"budget": 0}, "budget is 0"),
        ({"largest_block": 1}, "largest_block is 1"),
        ({"cores": 0}, "cores is 0"),
        ({"source": [0, 1]}, "source is"),
        ({"source": [2, 2, 2, 2]}, "all records come from source 2"),
        ({"rules": [["a"], ["a"]]}, "none of them twice"),
        ({"rules": [["c"]]}, "the columns are a, b"),
    ],
)
def test_wrong_settings_are_refused(change, message):
    columns = {"a": column(["x", "y", "z", "x"]), "b": column(["p", "q", "p", "q"])}
    with pytest.raises(InputError, match=message):
        find_candidates(columns, **change)


def test_wrong_columns_are_refused():
    good = column(["x", "y"])
    bad = SimpleNamespace(codes=np.array([0, 5], np.int32), values=good.values)
    floats = SimpleNamespace(codes=np.array([0.0, 1.0]), values=good.values)
    for columns, message in (
        ({}, "at least one"),
        ({"a": good, "b": column(["x"])}, "all of one length"),
        ({"a": bad}, "run from 0 to 5"),
        ({"a": floats}, "float64"),
    ):
        with pytest.raises(InputError, match=message):
            find_candidates(columns)


def test_values_may_be_sliced_large_chunked_or_without_text():
    values = ["anna", "anne", "otto", "ottó"]
    codes = np.arange(4, dtype=np.int32)
    plain = pa.array(values)
    forms = (
        plain,
        plain.cast(pa.large_string()),
        pa.chunked_array([values[:1], values[1:]]),
        pa.array(["left", *values, "right"])[1:5],
    )
    expected = find_candidates({"a": SimpleNamespace(codes=codes, values=plain)}).pairs
    assert expected.tolist() == [[0, 1], [2, 3]]
    for form in forms:
        candidates = find_candidates({"a": SimpleNamespace(codes=codes, values=form)})
        assert np.array_equal(candidates.pairs, expected)
    none = SimpleNamespace(codes=np.full(3, -1, np.int32), values=pa.array([], pa.string()))
    assert find_candidates({"a": none}).unblocked.tolist() == [0, 1, 2]
