"""Moves of the urn: kept counts follow the formula, whatever the order of moves."""

import numpy as np
import pytest

from partita.estimators import exact
from partita.factors import Field, Model, hit_miss_model
from partita.proposals import gibbs_mention, mixture, one_canopy, split_merge
from partita.states import Partition
from partita.walks import compile_chain, start_chain, total_score
from tests.laws import naive


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
    twin.update({"theta": 2.0, "term_frequency": 0.5, **({"own": alone} if own else {})})
    return Model(hit_miss_model({"name": field})), naive.hit_miss([twin])


@pytest.mark.parametrize("own", [False, True])
def test_many_distinct_values_follow_the_formula_through_many_moves(own):
    n = 60
    model, twin = crowded(n, 20, own)
    proposal = mixture([gibbs_mention(), split_merge(one_canopy(n))], [0.8, 0.2])
    compiled = compile_chain(model, proposal, exact())
    start = np.arange(n) % 3
    chain = start_chain(
        model, Partition.of(start), proposal, rng=np.random.default_rng(1), compiled=compiled
    )
    first = twin(start)[0]
    for _ in range(10):
        chain.run(15)
        labels = np.array(chain.state.entity)
        assert total_score(model, exact(), compiled, chain.state) == pytest.approx(twin(labels)[0])
        assert chain.score == pytest.approx(twin(labels)[0] - first)
    assert max(np.bincount(labels)) > 9
