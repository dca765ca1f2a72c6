import numpy as np
import pytest

from partita.states.scratch import (
    add_gibbs_weight,
    clear_gibbs_weights,
    gibbs_weight,
    new_gibbs_weights,
    new_groups,
)

pytestmark = pytest.mark.interpreted


def test_no_mention_is_on_a_side_at_first():
    groups = new_groups(3)
    assert not groups.sign.any()
    assert groups.size.tolist() == [0, 0]


def test_gibbs_weights_add_up_and_are_forgotten_for_the_next_mention():
    weights = new_gibbs_weights(4)
    clear_gibbs_weights(weights)
    for entity, score in ((2, 1.5), (2, -0.5), (0, 3.0)):
        add_gibbs_weight(weights, entity, score)
    assert [gibbs_weight(weights, entity) for entity in range(4)] == [3.0, 0.0, 1.0, 0.0]
    clear_gibbs_weights(weights)
    assert [gibbs_weight(weights, entity) for entity in range(4)] == [0.0] * 4
    add_gibbs_weight(weights, 2, 0.25)
    assert gibbs_weight(weights, 2) == 0.25
    assert np.count_nonzero(weights.stamp == weights.tick[0]) == 1
