"""Batched Gibbs weights equal the scores of single moves."""

from dataclasses import replace

import numpy as np
import pytest

from partita.estimators import exact, uniform
from partita.factors import Model, affinity, ewens, repulsion
from partita.factors.gibbs_weights import build_gibbs_weights
from partita.proposals import gibbs_neighbour
from partita.states import Partition
from partita.walks.walk import build_engine
from tests.walks.chains import chain_of

N = 30


def model():
    rng = np.random.default_rng(4)
    pairs = np.array([(i, j) for i in range(N) for j in range(i) if rng.random() < 0.4])
    half = len(pairs) // 2
    two = rng.normal(size=(half, 2))
    return pairs, Model(
        affinity(pairs[:half], two, N, features=["a", "b"], weights=[1.0, 2.0]),
        repulsion(pairs[half:], rng.normal(size=len(pairs) - half), N),
        ewens(2.0),
    )


def test_the_walk_is_the_same_in_one_pass_and_one_by_one():
    pairs, at_once = model()
    slow = [replace(t, fast=t.fast._replace(gibbs_weights=None)) for t in at_once.templates]
    each = Model(*slow)
    assert build_gibbs_weights(at_once.templates) is not None
    assert build_gibbs_weights(each.templates) is None
    # candidates are not all pairs with a score: other entities are not weighed
    proposal = gibbs_neighbour(pairs[::2], N)
    here, there = (chain_of(one, Partition.singletons(N), proposal) for one in (at_once, each))
    for _ in range(20):
        here.run(50)
        there.run(50)
        assert here.state.entity.tolist() == there.state.entity.tolist()
        assert here.score == pytest.approx(there.score)
    assert here.tally[0, 1] > 100
    assert here.examined < there.examined / 2


def test_sampled_factors_are_drawn_for_one_move_at_a_time():
    _, at_once = model()
    assert build_engine(at_once, exact())[0].gibbs_weights is not None
    assert build_engine(at_once, uniform(0.5))[0].gibbs_weights is None
