import pytest

from partita.errors import InputError
from partita.text.sequences import iob2, iobes, span_score, spans


def test_spans_of_both_ways_to_write_them():
    # IOB1: B- only between two entities of one type
    assert spans(["I-PER", "I-PER", "B-PER", "O", "I-LOC"]) == [
        ("PER", 0, 2),
        ("PER", 2, 3),
        ("LOC", 4, 5),
    ]
    assert spans(["B-PER", "I-LOC", "O"]) == [("PER", 0, 1), ("LOC", 1, 2)]
    assert spans([]) == []


def test_iob2_opens_every_entity():
    assert iob2(["I-PER", "I-PER", "B-PER", "O"]) == ["B-PER", "I-PER", "B-PER", "O"]


def test_iobes_says_the_same():
    labels = ["B-PER", "I-PER", "B-PER", "O", "B-LOC", "I-LOC", "I-LOC"]
    made = iobes(labels)
    assert made == ["B-PER", "E-PER", "S-PER", "O", "B-LOC", "I-LOC", "E-LOC"]
    assert spans(made) == spans(labels)
    assert iob2(made) == labels


def test_scores_by_hand():
    truth = [["B-PER", "I-PER", "O", "B-LOC"], ["O"]]
    guess = [["B-PER", "O", "O", "B-LOC"], ["B-ORG"]]
    # one of three guesses is right, one of two entities is found
    assert span_score(truth, guess) == pytest.approx((1 / 3, 1 / 2, 0.4))
    assert span_score([["O"]], [["O"]]) == (0.0, 0.0, 0.0)
    with pytest.raises(InputError, match="2 true and 1 guessed"):
        span_score(truth, guess[:1])
