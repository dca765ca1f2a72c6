"""Settings from labelled mentions."""

import pytest

from partita.metrics import pairwise
from partita.scale import Settings, aggregated_pairwise, search
from partita.scale.fitting import likely_concentrations, start_weights, train_weights
from tests.scale.cases import authors

pytestmark = pytest.mark.compiled


def test_entities_repeat_their_names_and_not_their_words():
    mentions, truth = authors(3000)
    concentrations = likely_concentrations(mentions, truth)
    assert (
        concentrations["middle"]
        < concentrations["first"]
        < 1.0
        < concentrations["topic"]
        < concentrations["title"]
    )


def test_trained_weights_find_entities_of_another_seed():
    mentions, truth = authors(3000)
    weights, cost = train_weights(mentions, truth, visits=2, steps=4, chunk=1000)
    assert weights["first:match"] > weights["first:mismatch"]
    assert weights["title:dot"] > 0
    other, right = authors(3000, seed=2)
    short = Settings(temperatures=(0.3, 0.3))

    method = aggregated_pairwise(other.vocabulary, weights, cost=cost)
    assert pairwise(search(other, method, short).labels, right).f1 > 0.9
    assert start_weights(other).keys() == weights.keys()
