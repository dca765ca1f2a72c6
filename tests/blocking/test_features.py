"""Rows of value numbers, and n-grams of a length that suits the number of records."""

import pytest

from partita.blocking import features as module
from partita.blocking.features import choose_ngrams, encode_values
from partita.blocking.index import count_features
from partita.blocking.ngrams import extract_ngrams
from tests.blocking.test_candidates import column, people


def test_rows_number_the_values_of_all_columns():
    rows, texts, ends = encode_values(
        {"a": column(["x", None, "yy"]), "b": column(["z", "z", "w"])}
    )
    assert rows.tolist() == [[0, 2], [-1, 2], [1, 3]]
    assert bytes(texts) == b"xyyzw"
    assert ends.tolist() == [1, 3, 4, 5]


def test_columns_without_any_value():
    rows, texts, ends = encode_values({"a": column([None, None])})
    assert rows.tolist() == [[-1], [-1]]
    assert texts.size == ends.size == 0


@pytest.mark.parametrize("budget", [5, 40, 10_000])
def test_a_sample_gives_the_same_length_as_all_records(budget, monkeypatch):
    columns, _ = people(300)
    rows, texts, ends = encode_values(columns)
    length, features, (times, widest) = choose_ngrams(rows, texts, ends, budget)
    # a budget that reads nearly everything is met by the shortest grams, a small one is not
    assert (length == 3) == (budget == 10_000)
    monkeypatch.setattr(module, "SAMPLE_RECORDS", 150)
    sampled, again, (counts, most) = choose_ngrams(rows, texts, ends, budget)
    assert abs(sampled - length) <= 1
    # the grams themselves are those of all records
    whole = extract_ngrams(texts, ends, sampled)
    assert again.total == whole.total
    assert (counts.tolist(), most) == (
        count_features(rows, whole)[0].tolist(),
        count_features(rows, whole)[1],
    )
    if sampled == length:
        assert (features.total, times.tolist(), widest) == (again.total, counts.tolist(), most)
