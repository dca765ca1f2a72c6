"""Sub-entities move together, and what cannot be is refused."""

import numpy as np
import pytest

from partita.errors import InputError
from partita.factors import Model, affinity
from partita.proposals import canopies_of, move_block, one_canopy
from partita.states import Partition
from tests.walks.chains import chain_of


def test_groups_are_never_split():
    groups = np.array([0, 0, 1, 1, 2])
    model = Model(affinity([[0, 2], [1, 4]], [[0.5], [0.4]], 5))
    chain = chain_of(model, Partition.of(groups), move_block(one_canopy(5), groups))
    seen = set()
    for _ in range(50):
        chain.run(5)
        entity = chain.state.entity
        assert entity[0] == entity[1]
        assert entity[2] == entity[3]
        seen.add(int(chain.state.live[0]))
    assert seen == {1, 2, 3}


def test_blocks_stay_within_canopies():
    canopies = canopies_of(["x", "x", "y", "y"])
    model = Model(affinity([[0, 1], [2, 3]], [[0.5], [0.4]], 4))
    chain = chain_of(model, Partition.singletons(4), move_block(canopies, [0, 1, 2, 3]))
    for _ in range(20):
        chain.run(5)
        assert not set(chain.state.entity[:2]) & set(chain.state.entity[2:])


def test_a_group_label_for_each_mention():
    with pytest.raises(InputError, match="3 group labels for 4 mentions"):
        move_block(one_canopy(4), [0, 1, 2])
