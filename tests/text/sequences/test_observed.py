"""Pairs of labels with attributes: what is seen, what a move changes, and that it is learned."""

import numpy as np
import pytest
from scipy.optimize import check_grad

from partita.estimators import exact
from partita.kernel import interpreted
from partita.states import Labels
from partita.text.sequences import Tagger, encoded, maximum_likelihood, samplerank
from partita.text.sequences.likelihood import Likelihood
from partita.text.sequences.observed import seen_pairs, unfold
from partita.text.sequences.samplerank import instance_of
from partita.walks import compile_chain
from partita.walks.chain import total_score
from tests.text.sequences.small import corpus, letters


def test_seen_pairs_are_counted_by_hand():
    task = encoded([["a", "b"], ["b"]], [["x", "y"], ["x"]], letters)
    names = task.encoder.names
    found = {(names[k // 4], k // 2 % 2, k % 2) for k in seen_pairs(task)}
    assert found == {("word=b", 0, 1), ("bias", 0, 1)}


def test_the_model_of_the_walk_scores_as_the_tagger_does():
    words, labels = corpus(8)
    task = encoded(words, labels, letters)
    seen, rng = seen_pairs(task), np.random.default_rng(0)
    one = instance_of(task, seen=seen)
    weights = rng.normal(size=one.model.weights.size)
    one.model.set_weights(weights)
    width, many = task.encoder.width, 3
    cut = width * many
    emission = weights[:cut].reshape(many, width).T
    transition = weights[cut : cut + 9].reshape(3, 3)
    pairs = unfold(weights[cut + 9 :], seen, width, many)
    tagger = Tagger(task.encoder, emission, transition, observed=pairs)
    compiled = compile_chain(one.model, one.proposal, exact())

    def score(label):
        scores, steps = tagger.scores(task.sequences), tagger.steps(task.sequences)
        total = sum(scores[t, y] for t, y in enumerate(label))
        inside = np.setdiff1d(np.arange(label.size), task.sequences.start)
        return total + sum(steps[t, label[t - 1], label[t]] for t in inside)

    origin = score(np.zeros(task.sequences.label.size, int))
    for _ in range(3):
        label = rng.integers(0, 3, task.sequences.label.size)
        found = total_score(one.model, exact(), compiled, Labels.of(label, 3))
        assert found == pytest.approx(score(label) - origin)


def test_the_gradient_is_that_of_the_likelihood():
    words, labels = corpus(6)
    task = encoded(words, labels, letters)
    aim = Likelihood(task, 0.3, observed=True)
    point = np.random.default_rng(1).normal(size=aim.true.size)
    assert check_grad(lambda w: aim(w)[0], lambda w: aim(w)[1], point) < 1e-4


def xor(n, seed):
    """A label that depends on its left neighbour and on the word together, never on one alone."""
    rng = np.random.default_rng(seed)
    words, labels = [], []
    for _ in range(n):
        row = rng.integers(0, 2, 6)
        truth = [0]
        for bit in row[1:]:
            truth.append(truth[-1] ^ int(bit))
        words.append([f"w{bit}" for bit in row])
        labels.append(["xy"[one] for one in truth])
    return words, labels


@pytest.mark.skipif(interpreted(), reason="too slow without the compiler")
def test_only_pairs_with_attributes_learn_what_depends_on_both(tmp_path):
    words, labels = xor(80, 0)

    def first(sentence, i):
        return [f"{sentence[i]}", *(["first"] if i == 0 else [])]

    task = encoded(words, labels, first)
    test, truth = xor(40, 1)
    right = {}
    for name, learn in {
        "likelihood": lambda observed: maximum_likelihood(task, 0.1, observed=observed),
        # from the truth each time: far from it, the right label of one token breaks two pairs
        "samplerank": lambda observed: samplerank(
            task, 20, observed=observed, restart="truth", steps=20, random_seed=0
        ),
    }.items():
        for observed in (False, True):
            guess = np.concatenate(learn(observed).predict(test))
            right[name, observed] = np.mean(guess == np.concatenate(truth))
    assert right["likelihood", False] < 0.8 < 0.99 < right["likelihood", True]
    assert right["samplerank", False] < 0.8 < 0.9 < right["samplerank", True]
    tagger = learn(True)
    again = Tagger.load(tagger.save(tmp_path / "model.json"), first)
    assert again.predict(test) == tagger.predict(test)
    assert any("|" in name and "->" in name for name in tagger.named())
