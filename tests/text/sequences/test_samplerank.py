import numpy as np
import pytest

from partita.errors import ModelError
from partita.estimators import exact
from partita.text.sequences import encoded, samplerank, structured_perceptron
from partita.text.sequences.samplerank import instance_of, neighbours, parts
from partita.walks import compile_chain, total_score
from tests.text.sequences.small import corpus, letters
from tests.text.sequences.test_margin import right


def test_edges_join_neighbours_of_one_sequence():
    assert neighbours(np.array([0, 2, 2, 3, 6])).tolist() == [[0, 1], [3, 4], [4, 5]]


def test_the_model_of_the_walk_is_the_chain():
    """The walk's score of a labeling is the tagger's, for the same weights."""
    task = encoded(*corpus(4), letters)
    one = instance_of(task)
    rng = np.random.default_rng(0)
    one.model.set_weights(rng.normal(size=one.model.weights.size))
    emission, transition = parts(one.model.weights, task.encoder.width, 3)
    compiled = compile_chain(one.model, one.proposal, exact())
    found = task.sequences
    scores = found.matrix(task.encoder.width).toarray() @ emission

    def by_hand(label):
        total = scores[np.arange(label.size), label].sum()
        return total + sum(transition[label[a], label[b]] for a, b in neighbours(found.start))

    gap = by_hand(found.label) - by_hand(np.zeros_like(found.label))
    assert total_score(one.model, exact(), compiled, one.start) == pytest.approx(gap)


def test_samplerank_labels_as_well_as_exact_decoding():
    words, labels = corpus(300)
    task = encoded(words, labels, letters)
    found = samplerank(task, 5, random_seed=1)
    exactly = structured_perceptron(task, 5, random_seed=1)
    assert right(found, words, labels) > right(exactly, words, labels) - 0.03
    assert np.array_equal(found.emission, samplerank(task, 5, random_seed=1).emission)


def test_weights_must_fit():
    with pytest.raises(ModelError, match="5 weights do not fit"):
        parts(np.zeros(5), 2, 3)
