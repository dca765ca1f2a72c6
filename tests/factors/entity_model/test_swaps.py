"""Mentions that show two fields in each other's place."""

import numpy as np
import pytest

from partita.errors import InputError
from partita.estimators import exact
from partita.factors import Field, FieldSwap, Model, hit_miss_model
from partita.factors.entity_model.moves import field_score
from partita.factors.entity_model.swaps import SWAP_PRIOR
from partita.proposals import gibbs_mention
from partita.states import Partition
from partita.walks import compile_chain, start_chain

PHI = np.array([0.6, 0.3, 0.05, 0.05])
RATIOS = np.log([0.9, 0.1])


def named(codes, phi=PHI, **more):
    return Field(codes, phi, RATIOS, [], [], 5.0, **more)


def chain_of(left, right, turned, some, labels, own=None):
    fields = {"left": named(left, own=own), "right": named(right, PHI[::-1])}
    model = Model(hit_miss_model(fields, swaps=[FieldSwap("left", "right", turned, some)]))
    proposal = gibbs_mention()
    compiled = compile_chain(model, proposal, exact())
    rng = np.random.default_rng(3)
    return start_chain(model, Partition.of(labels), proposal, rng=rng, compiled=compiled)


def shares(chain, draws=400):
    found = []
    for _ in range(draws):
        chain.update_parameters()
        found.append(chain.context.tables[0].swaps.swapped[0].copy())
    return np.mean(found, 0)


def test_a_lone_mention_is_turned_by_how_frequent_its_values_are():
    # 3 is common on the right and rare on the left; 0 the other way round; 1 and 2 between
    found = shares(chain_of([3, 0, -1], [0, 3, -1], [0, 0, 0], [0, 1, 2], [0, 1, 2]))
    assert found[0] > 0.9
    assert found[1] < 0.05
    # nothing is shown, so the prior speaks
    assert found[2] == pytest.approx((SWAP_PRIOR[0] + 1) / (sum(SWAP_PRIOR) + 2), abs=0.08)


def test_a_mention_is_turned_by_the_others_of_its_entity():
    left, right = [1, 1, 1, 2], [2, 2, 2, 1]
    assert shares(chain_of(left, right, [0] * 4, [0, 1, 2, 3], [0] * 4))[3] > 0.9
    assert shares(chain_of(left, right, [0] * 4, [0, 1, 2], [0] * 4))[3] == 0.0


@pytest.mark.parametrize("own", [None, np.log([0.3, 0.9, 0.2, 0.1])], ids=["phi", "own"])
def test_the_score_is_kept(own):
    chain = chain_of([3, 0, 1, -1], [0, 3, 2, 1], [1, 0, 0, 0], [0, 1, 2, 3], [0, 0, 1, 1], own)

    def score():
        table = chain.context.tables[0]
        many = table.swaps.swapped.sum()
        alone = np.log([SWAP_PRIOR[0] + k for k in range(many)]).sum()
        alone += np.log([SWAP_PRIOR[1] + k for k in range(4 - many)]).sum()
        return sum(field_score(table, chain.state, q) for q in range(2)) + alone

    before, change = score(), -chain.score
    for _ in range(20):
        chain.update_parameters()
    assert score() - before == pytest.approx(chain.score + change)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (FieldSwap("left", "middle", [0, 0], [0]), "no field 'middle'"),
        (FieldSwap("left", "other", [0, 0], [0]), "different numbers"),
        (FieldSwap("left", "right", [0], [0]), "one indicator per mention"),
    ],
)
def test_exchanges_that_cannot_be(given, words):
    fields = {
        "left": named([0, 1]),
        "right": named([0, 1]),
        "other": named([0, 1], PHI[:2]),
    }
    with pytest.raises(InputError, match=words):
        hit_miss_model(fields, swaps=[given])
