"""CDRANK on chains: objectives of unlabelled sequences, from generated sentences and rules."""

import numpy as np
import pytest

from partita.errors import InputError
from partita.factors import Model, unary
from partita.text.sequences import (
    constraint_driven,
    encoded,
    maximum_likelihood,
    samplerank,
    structured_perceptron,
    take,
    train_labelled,
)
from partita.text.sequences.constrained import OBJECTIVES
from tests.text.sequences.small import corpus, letters
from tests.text.sequences.test_margin import right

LABELS = ("x", "y", "z")
WORD_OF = {"a": 0, "b": 1, "c": 2}


def rules_of(words, strength=1.0):
    """Constrain each word to its commonest label: a is x, b is y, c is z."""
    flat = [WORD_OF[word] for row in words for word in row]
    weights = strength * (2.0 * np.eye(3) - 1.0)
    return Model(unary(np.eye(3)[flat], list(LABELS), weights=weights, name="rules"))


def partly_labelled(n=80, labelled=1):
    words, labels = corpus(n)
    truth = [row if k < labelled else None for k, row in enumerate(labels)]
    return words, labels, encoded(words, truth, letters, labels=LABELS)


def test_sequences_may_have_no_labels():
    words, labels, task = partly_labelled(6, 2)
    cut = task.sequences.start[2]
    assert (task.sequences.label[:cut] >= 0).all() and (task.sequences.label[cut:] == -1).all()
    assert task.encoder.labels == LABELS
    chosen = take(task, [1])
    assert chosen.sequences.start.tolist() == [0, len(words[1])]
    assert [LABELS[k] for k in chosen.sequences.label] == labels[1]
    whole = task.sequences.matrix(task.encoder.width).toarray()
    part = slice(task.sequences.start[1], task.sequences.start[2])
    assert np.array_equal(chosen.sequences.matrix(task.encoder.width).toarray(), whole[part])


@pytest.mark.parametrize("learn", [samplerank, maximum_likelihood, structured_perceptron])
def test_other_learners_need_labels(learn):
    _, _, task = partly_labelled(6, 2)
    with pytest.raises(InputError, match="sequence 2 has no labels; give them, or train by"):
        learn(task)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_every_objective_trains(objective):
    words, _, task = partly_labelled()
    tagger = constraint_driven(task, rules_of(words), objective, random_seed=1)
    assert np.isfinite(tagger.emission).all()
    assert tagger.about["learner"] == f"CDRANK {objective}"
    again = constraint_driven(task, rules_of(words), objective, random_seed=1)
    assert np.array_equal(tagger.emission, again.emission)


@pytest.mark.parametrize("objective", ["cons", "model+cons"])
def test_rules_raise_the_accuracy_of_one_label(objective):
    words, labels, task = partly_labelled()
    alone = train_labelled(take(task, [0]), 1)
    tagger = constraint_driven(task, rules_of(words), objective, first=alone, random_seed=1)
    assert right(tagger, words, labels) > right(alone, words, labels) + 0.1


def test_weights_are_the_mean_over_the_steps_of_both_walks(monkeypatch):
    words, _, task = partly_labelled(40, 10)
    first = train_labelled(task, 1)
    mean = constraint_driven(task, rules_of(words), first=first, epochs=3, random_seed=1)
    monkeypatch.setattr("partita.text.sequences.constrained.FIRST_EPOCHS", 0)
    last = constraint_driven(task, rules_of(words), first=first, epochs=3, random_seed=1)
    steps = 20 * sum(map(len, words[:10])), 3 * sum(map(len, words))
    for name in ("emission", "transition"):
        parts = (getattr(first, name), getattr(last, name))
        assert np.allclose(getattr(mean, name), np.average(parts, 0, steps))


def test_rules_suffice_without_labels():
    words, _ = corpus(80)
    task = encoded(words, [None] * len(words), letters, labels=LABELS)
    tagger = constraint_driven(task, rules_of(words), "cons", random_seed=1)
    obeyed = [
        label == LABELS[WORD_OF[word]]
        for row, labels in zip(words, tagger.predict(words), strict=True)
        for word, label in zip(row, labels, strict=True)
    ]
    assert np.mean(obeyed) > 0.95


def test_bad_arguments_are_named():
    words, _, task = partly_labelled(6, 2)
    with pytest.raises(InputError, match="the objective is 'truth'; give one of self, cons"):
        constraint_driven(task, None, "truth")
    with pytest.raises(InputError, match="'model\\+cons' needs constraints"):
        constraint_driven(task)
    with pytest.raises(InputError, match="all training labels are 'missing'"):
        encoded(words, [None] * len(words), letters)
