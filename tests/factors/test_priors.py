import math

import numpy as np
import pytest

from partita.factors import entities_prior, entity_cost, ewens, size_prior
from partita.states import Partition, Regroup
from tests.factors.probe import Probe, follows

N = 9
SIZES = [0.0, 0.5, -1.0, 2.0, 7.0]
COUNTS = [0.0, 3.0, -2.0, 5.0]


def sizes(entity):
    return np.bincount(entity)[np.bincount(entity) > 0]


def clipped(table, values):
    return sum(table[min(int(v), len(table) - 1)] for v in values)


def phi(entity):
    found = sizes(entity)
    return np.array(
        [
            found.size,
            found.size,
            sum(math.log(math.factorial(s - 1)) for s in found),
            clipped(SIZES, found),
            clipped(COUNTS, [found.size]),
        ]
    )


@pytest.fixture(scope="module")
def all_priors():
    return Probe(entity_cost(1.5), ewens(0.3), size_prior(SIZES), entities_prior(COUNTS))


@pytest.mark.parametrize("seed", range(8))
def test_every_prior_against_the_sizes(all_priors, seed):
    start = Partition.of(np.random.default_rng(seed).integers(0, 4, N))
    assert follows(all_priors, phi, start, seed) > 3


def test_weights_are_those_of_the_definition(all_priors):
    named = all_priors.model.named()
    assert named["entity.count"] == -1.5
    assert named["ewens.entities"] == math.log(0.3)
    assert named["ewens.log_factorials"] == named["size.score"] == named["entities.score"] == 1.0


def test_ewens_is_the_chinese_restaurant(all_priors):
    # the probability of 0 1 0 0 at concentration a: a * a * 1 * 2 / (a (a+1) (a+2) (a+3))
    all_priors.start(Partition.singletons(4))
    total = 0.0
    for mention in (2, 3):
        source = int(all_priors.state.entity[mention])
        _, change = all_priors.advance(Regroup(mention, source, 0, 1))
        total += change[1:3] @ [math.log(0.3), 1.0]
    # singletons score 4 log a; two entities of sizes 3 and 1 score 2 log a + log 2!
    assert total == pytest.approx(2 * math.log(0.3) + math.log(2) - 4 * math.log(0.3))
