"""The search of HCOREF finds what is alike, and is refused as a sampler."""

import numpy as np
import pytest

import partita
from partita.errors import ModelError
from partita.factors import Model, child_parent, tree_shape
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


# compiled, the paper's delta is a second walk of many kernels; `make experiments` takes it
@pytest.mark.parametrize("delta", ["true", pytest.param("paper", marks=pytest.mark.interpreted)])
def test_the_search_of_the_paper_finds_what_is_alike(delta):
    model = Model(child_parent(TWO_PAIRS, delta=delta), tree_shape())
    found = sampled(model, hierarchical(one_canopy(4)), "map")
    assert found.run.chains[0].state.entities.tolist() == [0, 0, 1, 1]
