from itertools import chain

import numpy as np
import pytest

from partita.errors import InputError
from partita.text.sequences import encoded, structured_perceptron, structured_svm
from tests.text.sequences.small import corpus, letters


def right(tagger, words, labels):
    pairs = zip(chain(*tagger.predict(words)), chain(*labels), strict=True)
    return np.mean([a == b for a, b in pairs])


def test_the_perceptron_s_first_steps_by_hand():
    # one token at a time; at first all weights are 0 and the first label (x) is guessed
    task = encoded([["a"], ["b"]], [["y"], ["x"]], lambda s, i: [s[i]])
    found = structured_perceptron(task, 1, random_seed=0)
    # only the sentence "a" is ever wrong: y +1, x -1 from that step on, averaged over two steps
    a = found.encoder.names.index("a")
    assert abs(found.emission[a]).tolist() in ([1.0, 1.0], [0.5, 0.5])
    assert found.emission[a, 1] > 0 > found.emission[a, 0]
    assert not found.emission[1 - a].any()


@pytest.mark.parametrize("learn", [structured_perceptron, structured_svm])
def test_both_learn_and_give_the_same_by_seed(learn):
    words, labels = corpus(300)
    task = encoded(words, labels, letters)
    first = learn(task, epochs=5, random_seed=1)
    assert right(first, words, labels) > 0.62
    again = learn(task, epochs=5, random_seed=1)
    assert np.array_equal(first.emission, again.emission)
    assert first.about["epochs"] == 5


def test_the_svm_lowers_its_objective():
    """Its own objective falls, and less and less."""
    words, labels = corpus(120)
    task = encoded(words, labels, letters)
    strength = 1.0 / 120

    def objective(tagger):
        hinge = 0.0
        coded = task.sequences
        scores = tagger.scores(coded)
        for s in range(coded.start.size - 1):
            part = slice(coded.start[s], coded.start[s + 1])
            hinge += worst(scores[part], tagger.transition, coded.label[part])
        size = (tagger.emission**2).sum() + (tagger.transition**2).sum()
        return 0.5 * strength * size + hinge / 120

    early = objective(structured_svm(task, 1.0, 2, random_seed=0))
    late = objective(structured_svm(task, 1.0, 60, random_seed=0))
    longer = objective(structured_svm(task, 1.0, 300, random_seed=0))
    assert late < early
    assert late >= longer > 0.95 * late


def worst(scores, transition, truth):
    """max over labelings of loss + score, less the score of the truth, by dynamic programming."""
    augmented = scores + 1.0
    augmented[np.arange(truth.size), truth] -= 1.0
    reach = augmented[0]
    for row in augmented[1:]:
        reach = (reach[:, None] + transition).max(0) + row
    mine = scores[np.arange(truth.size), truth].sum()
    mine += transition[truth[:-1], truth[1:]].sum()
    return reach.max() - mine


def test_what_cannot_be():
    task = encoded(*corpus(5), letters)
    with pytest.raises(InputError, match="c is 0"):
        structured_svm(task, 0)
    with pytest.raises(InputError, match="epochs is 0"):
        structured_perceptron(task, 0)
