import numpy as np
import pytest

from partita.errors import InputError
from partita.text.sequences import columns, encoded

WORDS, LABELS = [["a", "b"], ["b"]], [["x", "y"], ["y"]]


def by_word(sentence, i):
    yield f"word={sentence[i]}"
    if i:
        yield f"after={sentence[i - 1]}"


def test_attributes_are_numbered_as_they_come():
    task = encoded(WORDS, LABELS, by_word)
    assert task.encoder.names == ("word=a", "word=b", "after=a")
    assert task.sequences.matrix(3).toarray().tolist() == [[1, 0, 0], [0, 1, 1], [0, 1, 0]]
    assert task.sequences.start.tolist() == [0, 2, 3]
    assert task.sequences.label.tolist() == [0, 1, 1]


def test_unknown_and_rare_attributes_are_left_out():
    task = encoded(WORDS, LABELS, by_word, least=2)
    assert task.encoder.names == ("word=b",)
    assert task.encoder.encode([["z", "b"]]).row.tolist() == [0, 0, 1]


def test_values_and_columns():
    rows = [[{"word": "a", "length": 2.5}, {"word": "", "length": None}]]
    task = encoded(rows, [["x", "y"]], ["word", "length"])
    assert task.encoder.names == ("word=a", "length")
    assert task.sequences.matrix(2).toarray().tolist() == [[1, 2.5], [0, 0]]
    listed = columns(["word", "length"])([("a", 2.5)], 0)
    assert listed == {"word=a": 1.0, "length": 2.5}


def test_hashed_attributes_need_no_index():
    task = encoded(WORDS, LABELS, by_word, hashed=8)
    assert task.encoder.names == () and task.encoder.width == 8
    same = task.encoder.encode(WORDS)
    assert np.array_equal(same.attribute, task.sequences.attribute)
    assert task.sequences.attribute.max() < 8


@pytest.mark.parametrize(
    ("words", "labels", "features", "options", "said"),
    [
        ([], [], by_word, {}, "no training sequences"),
        (WORDS, LABELS[:1], by_word, {}, "2 sequences and 1 rows of labels"),
        (WORDS, [["x"], ["y"]], by_word, {}, "sequence 0 has 2 tokens and 1 labels"),
        (WORDS, [["x", "x"], ["x"]], by_word, {}, "all training labels are 'x'"),
        (WORDS, LABELS, lambda s, i: ["same"], {}, "same features"),
        (WORDS, LABELS, lambda s, i: "same", {}, "return a list of names"),
        (WORDS, LABELS, lambda s, i: {"x": float("nan")}, {}, "not finite"),
        (WORDS, LABELS, by_word, {"least": 9}, "no attribute occurs 9 times"),
        (WORDS, LABELS, by_word, {"hashed": 1}, "hashed is 1"),
        (WORDS, LABELS, [], {}, "columns are"),
    ],
)
def test_what_cannot_be_learned_from(words, labels, features, options, said):
    with pytest.raises(InputError, match=said):
        encoded(words, labels, features, **options)


def test_labels_unknown_in_training():
    task = encoded(WORDS, LABELS, by_word)
    with pytest.raises(InputError, match="the label 'q', unknown in training"):
        task.encoder.encode([["a"]], [["q"]])
