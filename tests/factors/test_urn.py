"""The urn: evidence counted once, missing values neutral, and its input checks."""

import math

import numpy as np
import pytest

from partita.errors import InputError
from partita.estimators import exact
from partita.factors import Field, Model, urn
from partita.proposals import gibbs_mention, mixture, move_to_entity, one_canopy, split_merge
from partita.states import Partition
from partita.walks import Chain, compile_chain, total_score
from tests.laws import naive

PHI = np.array([0.5, 0.3, 0.2])
RATIOS = np.array([math.log(0.9), 1.0, -2.0])


def score(codes, labels, concentration=3.0):
    field = Field(codes, PHI, RATIOS, [[0, 1]], [1], concentration)
    model = Model(urn({"name": field}))
    compiled = compile_chain(model, move_to_entity(), exact())
    return total_score(model, exact(), compiled, Partition.of(labels))


def test_two_equal_values_by_hand():
    weight = 3.0 * 0.9
    product = math.log(0.5) + math.log(weight) + math.log(weight + 1.0)
    by_hand = product - math.log(3.0 * 4.0) - 2.0 * math.log(0.5)
    assert score([0, 0], [0, 0]) == pytest.approx(by_hand)


def test_missing_values_are_neutral():
    assert score([0, -1, -1], [0, 0, 0]) == 0.0
    assert score([0, 0, -1], [0, 0, 0]) == pytest.approx(score([0, 0], [0, 0]))


def test_a_variant_is_paid_for_once_and_then_copied():
    once = score([0, 0, 0, 2], [0] * 4) - score([0, 0, 0], [0] * 3)
    twice = score([0, 0, 0, 2, 2], [0] * 5) - score([0, 0, 0, 2], [0] * 4)
    assert once < 0 < twice


def test_alike_values_score_above_unlike_ones():
    assert score([0, 1], [0, 0]) > score([0, 2], [0, 0])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"codes": [0, 3]}, "code of 3 for 3 values"),
        ({"frequency": [0.5, 0.5, 0.0]}, "positive frequencies"),
        ({"levels": [2, 1]}, "level in 1..2"),
        ({"levels": [3]}, "level in 1..2"),
        ({"concentration": 0.0}, "concentration 0.0"),
        ({"frequency": [0.5, math.nan, 0.1]}, "nan"),
        ({"rarity": -1.0}, "rarity -1.0"),
        ({"own": [0.0, math.nan]}, "nan"),
        ({"own": [-1.0]}, "one log frequency per mention"),
        ({"own": [0.5, -1.0]}, "give logs of probabilities"),
    ],
)
def test_bad_fields_are_named(change, words):
    given = {"codes": [0, 1], "frequency": PHI, "ratios": RATIOS, "pairs": [[0, 1]], "levels": [1]}
    with pytest.raises(InputError, match=words):
        urn({"name": Field(**{**given, **change})})
    with pytest.raises(InputError, match="equal lengths"):
        urn({"a": Field(**given), "b": Field(**{**given, "codes": [0]})})


def crowded(n, values, own):
    """One field with many distinct values in few entities, so that latent values must compete."""
    rng = np.random.default_rng(5)
    codes = np.where(rng.random(n) < 0.1, -1, rng.integers(0, values, n))
    codes[: n // 4] = 3
    phi = rng.dirichlet(np.ones(values))
    pairs = np.array([(a, b) for a in range(values) for b in range(a) if rng.random() < 0.3])
    levels = rng.integers(1, 3, len(pairs))
    alone = np.log(phi)[codes] - rng.integers(0, 3, n) / 4.0 if own else None
    field = Field(codes, phi, [-0.2, 1.1, 0.4, -1.5], pairs, levels, 2.0, 0.5, alone)
    known = {(b, a): level for (a, b), level in zip(pairs.tolist(), levels, strict=True)}
    twin = {"codes": codes, "phi": phi, "ratios": field.ratios, "levels": known}
    twin.update({"theta": 2.0, "rarity": 0.5, **({"own": alone} if own else {})})
    return Model(urn({"name": field})), naive.urn([twin])


@pytest.mark.parametrize("own", [False, True])
def test_many_distinct_values_follow_the_formula_through_many_moves(own):
    n = 60
    model, twin = crowded(n, 20, own)
    proposal = mixture([gibbs_mention(), split_merge(one_canopy(n))], [0.8, 0.2])
    compiled = compile_chain(model, proposal, exact())
    start = np.arange(n) % 3
    chain = Chain(model, proposal, exact(), compiled, Partition.of(start), np.random.default_rng(1))
    first = twin(start)[0]
    for _ in range(10):
        chain.run(15)
        labels = np.array(chain.state.entity)
        assert total_score(model, exact(), compiled, chain.state) == pytest.approx(twin(labels)[0])
        assert chain.score == pytest.approx(twin(labels)[0] - first)
    assert max(np.bincount(labels)) > 9
