import numpy as np
import pytest

from partita.errors import InputError
from partita.estimators import exact
from partita.learning import perceptron, persistent_cd, samplerank_svm, train
from partita.learning.multilabel import (
    MultiLabel,
    combinations,
    instances_of,
    multilabel_likelihood,
    multilabel_svm,
)
from partita.walks import compile_chain, total_score


def drawn(n=800, seed=0):
    """Generate examples whose labels are drawn from a known field."""
    rng = np.random.default_rng(seed)
    known = MultiLabel(rng.normal(size=(3, 3)), np.triu(rng.normal(size=(3, 3)), 1) * 1.5)
    seen = rng.normal(size=(n, 2))
    every = combinations(3)
    scores = np.column_stack([np.ones(n), seen]) @ known.own.T @ every.T
    scores += np.einsum("ki,ij,kj->k", every, known.both, every)
    p = np.exp(scores - scores.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    truth = np.array([every[rng.choice(8, p=row)] for row in p]).astype(int)
    return known, seen, truth


def test_the_walk_s_score_is_the_classifier_s():
    _, seen, truth = drawn(5)
    one = instances_of(seen, truth)[3]
    rng = np.random.default_rng(1)
    one.model.set_weights(rng.normal(size=one.model.weights.size))
    made = MultiLabel.of(one.model.weights, 3, 3)
    compiled = compile_chain(one.model, one.proposal, exact())
    y = truth[3].astype(float)
    x = np.concatenate([[1.0], seen[3]])
    score = y @ made.own @ x + y @ made.both @ y
    assert total_score(one.model, exact(), compiled, one.start) == pytest.approx(score)


def test_known_weights_come_back_by_exact_likelihood():
    known, seen, truth = drawn(6000)
    found = multilabel_likelihood(seen, truth, 0.01)
    assert np.abs(found.own - known.own).max() < 0.25
    assert np.abs(found.both - known.both).max() < 0.25


@pytest.mark.parametrize(
    "learn",
    [
        lambda x, y: multilabel_svm(x, y, 1e-2, random_seed=0),
        lambda x, y: walked(x, y, perceptron(0.1, margin=1.0)),
        lambda x, y: walked(x, y, samplerank_svm(0.1)),
        lambda x, y: walked(x, y, persistent_cd(0.05)),
    ],
)
def test_all_learners_come_near_the_best_error(learn):
    known, seen, truth = drawn(400)
    best = (known.predict(seen) != truth).mean()
    assert (learn(seen, truth).predict(seen) != truth).mean() < best + 0.06


def walked(seen, truth, learner):
    found = train(
        instances_of(seen, truth), learner, epochs=8, steps=6, restart="never", random_seed=0
    )
    return MultiLabel.of(found.weights, 3, 3)


@pytest.mark.parametrize(
    ("seen", "truth", "said"),
    [
        (np.zeros((0, 2)), np.zeros((0, 2), int), "give one row per example"),
        (np.eye(2), [[0, 1]], "true labels have shape"),
        (np.eye(2), [[0, 2], [1, 0]], "a label is 2"),
        (np.eye(2), [[0, 1], [0, 1]], "same labels"),
        (np.ones((2, 2)), [[0, 1], [1, 0]], "same features"),
        ([[np.nan, 1.0]], [[0, 1]], "finite"),
    ],
)
def test_what_cannot_be_learned_from(seen, truth, said):
    with pytest.raises(InputError, match=said):
        multilabel_svm(seen, truth)


def test_too_many_labels_for_exact_sums():
    with pytest.raises(InputError, match="21 labels have too many combinations"):
        combinations(21)
