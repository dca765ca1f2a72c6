"""The space of forests: enumeration, canopies, records and pools."""

import numpy as np
import pytest

from partita.errors import InputError
from partita.states import SPACES, Forest

SPACE = SPACES[Forest]


@pytest.mark.parametrize(
    ("count", "trees"), [(1, 1), (2, 2), (3, 8), (4, 52)], ids=["one", "two", "three", "four"]
)
def test_small_forests_are_all_enumerated(count, trees):
    found = {tuple(SPACE.observe(s)) for s in SPACE.enumerate(Forest.singletons(count))}
    assert len(found) == trees


def test_trees_do_not_cross_canopies():
    start = Forest.singletons(3, canopies=["x", "y", "x"])
    for state in SPACE.enumerate(start):
        labels = state.entities
        assert labels[0] != labels[1]
        assert labels[1] != labels[2]
    with pytest.raises(InputError, match="crosses canopies"):
        Forest.of([0, 0, 1], canopies=["x", "y", "x"])


def test_groups_of_a_record_are_its_entities():
    state = Forest.of([0, 1, 0, 2, 1], attributes=[[0], [1], [0], [1], [1]])
    np.testing.assert_array_equal(SPACE.grouping(state, SPACE.observe(state)), state.entities)


def test_a_pool_grows_without_a_change():
    state = Forest.of([0, 0, 1])
    larger = SPACE.grow(state)
    assert larger.children.size == 2 * state.children.size
    SPACE.check(larger)
