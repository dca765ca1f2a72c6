"""Best, n best, marginals and log Z equal enumeration of all labelings."""

import itertools

import numpy as np
import pytest

from partita.text.sequences.lattice import compute_marginals
from tests.text.sequences.small import enumerated, random_tagger

SENTENCES = [["a"], ["b", "c"], ["c", "a", "b", "b"], ["unseen", "a", "c"]]


@pytest.fixture(scope="module", params=[False, True])
def tagger(request):
    return random_tagger(0, observed=request.param)


def test_viterbi_finds_the_best_of_all(tagger):
    names = tagger.encoder.labels
    for sentence, found in zip(SENTENCES, tagger.predict(SENTENCES), strict=True):
        every = enumerated(tagger, sentence)
        best = max(every, key=every.get)
        assert found == [names[k] for k in best]


def test_n_best_are_in_order_and_have_their_probabilities(tagger):
    names = tagger.encoder.labels
    for sentence in SENTENCES:
        every = enumerated(tagger, sentence)
        z = sum(np.exp(score) for score in every.values())
        order = sorted(every, key=every.get, reverse=True)[:12]
        found = tagger.n_best(sentence, 12)
        assert len(found) == len(order) == min(12, 3 ** len(sentence))
        for (labels, p), path in zip(found, order, strict=True):
            assert labels == [names[k] for k in path]
            assert p == pytest.approx(np.exp(every[path]) / z)


def test_marginals_sum_over_all(tagger):
    found = tagger.marginals(SENTENCES)
    for sentence, got in zip(SENTENCES, found, strict=True):
        every = enumerated(tagger, sentence)
        z = sum(np.exp(score) for score in every.values())
        expected = np.zeros((len(sentence), 3))
        for path, score in every.items():
            for t, label in enumerate(path):
                expected[t, label] += np.exp(score) / z
        np.testing.assert_allclose(got, expected, atol=1e-12)


def test_log_z_and_expected_pairs(tagger):
    sequences = tagger.encoder.encode(SENTENCES)
    scores = tagger.scores(sequences)
    pairs, factor = np.zeros((1, 3, 3)), np.exp(tagger.steps(sequences))
    log_z = compute_marginals(
        sequences.start, scores, factor, np.zeros_like(scores), pairs, np.zeros(3)
    )
    total, expected = 0.0, np.zeros((3, 3))
    for sentence in SENTENCES:
        every = enumerated(tagger, sentence)
        z = sum(np.exp(score) for score in every.values())
        total += np.log(z)
        for path, score in every.items():
            for a, b in itertools.pairwise(path):
                expected[a, b] += np.exp(score) / z
    assert log_z == pytest.approx(total)
    np.testing.assert_allclose(pairs[0], expected, atol=1e-12)
