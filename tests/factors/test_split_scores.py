"""Splits from split scores equal splits by moving members in the state."""

from dataclasses import replace

import numpy as np
import pytest

from partita.factors import (
    Model,
    affinity,
    agreement,
    entities_prior,
    entity_cost,
    ewens,
    repulsion,
    size_prior,
)
from partita.factors.split_scores import build_split_scores
from partita.proposals import one_canopy, split_merge
from partita.states import Partition
from tests.factors.entity_model.test_moves import crowded
from tests.walks.chains import chain_of

N = 24


def scored_pairs():
    rng = np.random.default_rng(3)
    pairs = np.array([(i, j) for i in range(N) for j in range(i) if rng.random() < 0.5])
    return pairs, rng


def of_pairs():
    pairs, rng = scored_pairs()
    two = rng.normal(size=(len(pairs), 2))
    return Model(
        affinity(pairs, two, N, features=["a", "b"], weights=[1, 2]),
        repulsion(pairs, rng.normal(size=len(pairs)), N),
        *(ewens(2.0), entity_cost(0.3)),
        *(size_prior(-0.1 * np.arange(8.0) ** 2), entities_prior(-0.2 * np.arange(6.0))),
    )


def of_urn():
    own, _ = crowded(N, 12, True)
    return Model(*own.templates, size_prior(0.1 * np.arange(N + 1.0)))


@pytest.mark.parametrize("make", [of_pairs, of_urn])
def test_the_walk_is_the_same_with_split_scores_and_without(make):
    model = make()
    assert build_split_scores(model.templates) is not None
    slow = [replace(t, fast=t.fast._replace(split_scores=None)) for t in model.templates]
    moved = Model(*slow)
    start = Partition.of(np.arange(N) % 4)
    here, there = (chain_of(one, start, split_merge(one_canopy(N))) for one in (model, moved))
    for k in range(20):
        here.run(20, temperature=1.0 + k % 2)
        there.run(20, temperature=1.0 + k % 2)
        assert here.state.entity.tolist() == there.state.entity.tolist()
        assert here.score == pytest.approx(there.score)
    assert here.tally[0, 1] > 20
    # one pass reads both sides
    assert there.examined / 4 < here.examined < there.examined


def test_one_template_without_split_scores_is_enough_to_do_without():
    values = agreement({"a": np.arange(N) % 3})
    assert build_split_scores(Model(values, ewens(1.0)).templates) is None
