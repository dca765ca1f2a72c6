"""The search of HCOREF finds what is alike, and is refused as a sampler."""

import numpy as np
import pytest

import partita
from partita.errors import ModelError
from partita.factors import Model, child_parent, tree_agreement, tree_shape
from partita.proposals import hierarchical, mixture, one_canopy, tree_moves
from partita.states import Forest


def sampled(model, proposal, mode):
    return partita.sample(
        model,
        Forest.singletons(4),
        proposal=proposal,
        mode=mode,
        draws=20,
        tune=10,
        chains=1,
        random_seed=1,
        progressbar=False,
    )


TWO_PAIRS = {"bag": np.array([[1.0, 0], [1, 0], [0, 1], [0, 1]])}


def test_a_posterior_is_refused_to_what_can_only_search():
    everyone = one_canopy(4)
    with pytest.raises(ModelError, match="'hierarchical' has no ratio"):
        sampled(Model(child_parent(TWO_PAIRS)), hierarchical(everyone), "posterior")
    with pytest.raises(ModelError, match="'child_parent' changes the score by approximate"):
        sampled(Model(child_parent(TWO_PAIRS, delta="paper")), tree_moves(everyone), "posterior")
    mixed = mixture([tree_moves(everyone), hierarchical(everyone)])
    with pytest.raises(ModelError, match="has no ratio"):
        sampled(Model(child_parent(TWO_PAIRS)), mixed, "posterior")


def search(template):
    found = sampled(Model(template, tree_shape()), hierarchical(one_canopy(4)), "map")
    return found.run.chains[0].state.entities.tolist()


# compiled, these are two walks of many kernels; `make experiments` takes them
@pytest.mark.interpreted
@pytest.mark.parametrize("delta", ["true", "paper"])
def test_the_search_of_the_paper_finds_equal_bags(delta):
    assert search(child_parent(TWO_PAIRS, delta=delta)) == [0, 0, 1, 1]


def test_the_search_finds_equal_values():
    assert search(tree_agreement({"a": [0, 0, 1, 1]}, match=2.0, mismatch=-3.0)) == [0, 0, 1, 1]
