import numpy as np
import pytest

from partita.errors import InputError
from partita.text.sequences import encoded, maximum_likelihood
from partita.text.sequences.likelihood import Likelihood, pairs_of
from tests.text.sequences.small import corpus, enumerated, letters


@pytest.fixture(scope="module")
def task():
    return encoded(*corpus(), letters)


def test_the_gradient_is_the_slope(task):
    aim = Likelihood(task, 0.3)
    rng = np.random.default_rng(0)
    weights = rng.normal(size=task.encoder.width * 3 + 9)
    value, slope = aim(weights)
    for k in rng.choice(weights.size, 8, replace=False):
        step = np.zeros_like(weights)
        step[k] = 1e-5
        found = (aim(weights + step)[0] - aim(weights - step)[0]) / 2e-5
        assert found == pytest.approx(slope[k], abs=1e-5)
    assert np.isfinite(value)


def test_neighbours_do_not_cross_sequences():
    found = pairs_of(np.array([0, 1, 1, 0]), np.array([0, 2, 2, 4]), 2)
    assert found.tolist() == [[0.0, 1.0], [1.0, 0.0]]


def test_labels_drawn_from_known_weights_give_them_back():
    """Recovery: the probabilities of the learned chain are those of the one that drew."""
    known = maximum_likelihood(encoded(*corpus(200), letters), 1.0)
    rng = np.random.default_rng(3)
    words = [[str(w) for w in rng.choice(["a", "b", "c"], 3)] for _ in range(1500)]
    drawn, cache = [], {}
    for sentence in words:
        key = tuple(sentence)
        if key not in cache:
            every = enumerated(known, sentence)
            p = np.exp(list(every.values()))
            cache[key] = (list(every), p / p.sum())
        paths, p = cache[key]
        path = paths[rng.choice(len(paths), p=p)]
        drawn.append([known.encoder.labels[k] for k in path])
    found = maximum_likelihood(encoded(words, drawn, letters), 0.01, tolerance=1e-7)
    probe = [["a", "b", "c"], ["c", "c", "a"], ["b"]]
    for mine, theirs in zip(found.marginals(probe), known.marginals(probe), strict=True):
        assert np.abs(mine - theirs).max() < 0.07


@pytest.mark.parametrize("l2", [-1, float("nan"), "much"])
def test_strengths_that_cannot_be(task, l2):
    with pytest.raises(InputError, match="l2 is"):
        maximum_likelihood(task, l2)
