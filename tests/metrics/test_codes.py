"""Labels of every kind to numbers, and the sentences that refuse the rest."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.errors import InputError
from partita.metrics import codes, evaluate, labels_to_codes, pairwise


@pytest.mark.parametrize(
    "labels",
    [
        [3, 9, -1, 3],
        np.array([3, 9, -1, 3], np.int8),
        np.array([2**62, -(2**62), -1, 2**62]),
        [3.0, 9.0, float("nan"), 3.0],
        ["x", "y", None, "x"],
        ["x", "y", "", "x"],
        [b"x", b"y", b"", b"x"],
        np.array(["x", "y", "", "x"]),
        np.array(["x", "y", "", "x"], dtype=np.dtypes.StringDType()),
        ["1", 1, None, "1"],
        [10**30, 1, -1, 10**30],
        pd.Series(["x", "y", pd.NA, "x"], index=[9, 8, 7, 6]),
        pd.Series([3, 9, None, 3]),
        pd.Categorical(["x", "y", None, "x"]),
        np.ma.MaskedArray([3, 9, 3, 3], mask=[False, False, True, False]),
    ],
    ids=lambda labels: f"{type(labels).__name__} {list(labels)}",
)
def test_kinds(labels):
    a, b, missing, again = labels_to_codes(labels).tolist()
    assert {a, b} == {0, 1} and missing == -1 and again == a


def test_kinds_without_missing():
    assert labels_to_codes([True, False, True]).tolist() == [1, 0, 1]
    assert labels_to_codes(np.array([2**64 - 1, 0, 2**64 - 1], np.uint64)).tolist() == [1, 0, 1]
    assert labels_to_codes(np.array([7, 5, 7], np.uint64)).tolist() == [1, 0, 1]
    # negative labels other than -1 are labels
    assert labels_to_codes([-2, -3, -2]).tolist() == [1, 0, 1]
    # a list that mixes kinds keeps 1 and "1" apart
    assert labels_to_codes([1, "1", float("nan")]).tolist() == [0, 1, -1]


@given(st.lists(st.one_of(st.integers(-5, 50), st.integers(-(2**62), 2**62)), min_size=1))
def test_integers_as_strings(labels):
    numbers = labels_to_codes(labels)
    texts = labels_to_codes(["" if one == -1 else str(one) for one in labels])
    assert (numbers[:, None] == numbers).tolist() == (texts[:, None] == texts).tolist()
    assert sorted(set(numbers) - {-1}) == list(range(len(set(labels) - {-1})))


def test_strings_in_pieces(monkeypatch):
    labels = np.array([f"e{k % 7}" for k in range(50)])
    whole = labels_to_codes(labels)
    monkeypatch.setattr(codes, "LABELS_PER_PIECE", 8)
    assert (labels_to_codes(labels) == whole).all()


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([], "labels are empty; give at least one record"),
        ([[1], [2]], r"labels have the shape \(2, 1\)"),
        ([[1], [2, 3]], "labels are nested unevenly"),
        ("abc", r"labels have the shape \(\)"),
        ([0.0, 0.5], "labels hold the number 0.5; give integers or strings"),
        ([1.0, np.inf], "labels hold the number inf"),
        ([1.0, 1e300], "labels hold the number 1e"),
        (np.array([1j]), "labels have the type complex128"),
        (np.array([{}, None]), "unhashable type: 'dict'.*; give integers or strings"),
    ],
)
def test_refused_labels(labels, message):
    with pytest.raises(InputError, match=message):
        labels_to_codes(labels)


@pytest.mark.parametrize(
    ("found", "truth", "known", "message"),
    [
        (
            [1, 2],
            [1, 2, 3],
            None,
            "there are 2 labels and 3 true labels; give one of each per record",
        ),
        ([1, -1], [1, 2], None, "labels: record 1 has -1; give every record"),
        (["a", None], [1, 2], None, "labels: record 1 has None"),
        ([1.0, np.nan], [1, 2], None, "labels: record 1 has nan"),
        ([1, 2], [-1, None], None, "truth labels none of the 2 records; label at least one"),
        ([1, 2], [1, 2], [False, False], "truth labels none of the 2 records"),
        ([1, 2], [1, None], [True, True], "truth: record 1 has None; set known"),
        ([1, 2], [1, 2], [1, 0], r"known is int64\[2\]; give 2 times True or False"),
        ([1, 2], [1, 2], [True], r"known is bool\[1\]; give 2 times True or False"),
        ([], [], None, "labels are empty"),
    ],
)
def test_refused_pairs(found, truth, known, message):
    with pytest.raises(InputError, match=message):
        evaluate(found, truth, known)


def test_known_hides_labels():
    found = [1, 1, 1, 2]
    shown = pairwise(found, ["a", "a", "b", "b"], known=np.array([True, True, False, True]))
    assert shown == pairwise(found, ["a", "a", None, "b"]) == pairwise([1, 1, 2], [1, 1, 2])
