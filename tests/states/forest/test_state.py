"""Forests: construction, and rejected input."""

import numpy as np
import pytest

from partita.errors import InputError
from partita.states import SPACES, Forest

SPACE = SPACES[Forest]


def test_flat_trees_have_one_root_for_each_entity():
    state = Forest.of(["a", "b", "a", "c"])
    SPACE.check(state)
    assert state.entities.tolist() == [0, 1, 0, 2]
    assert SPACE.facts(state) == {"entities": 3.0, "largest": 2.0, "nodes": 1.0}
    assert state.mentions == 4


def test_the_values_of_a_root_are_those_most_mentions_have():
    state = Forest.of([0, 0, 0], attributes=[[1], [2], [2]])
    assert state.value[state.parent[0], 0] == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"canopies": ["x"]}, "1 canopy labels for 3 mentions"),
        ({"attributes": [[0], [1]]}, "one row for each of 3"),
        ({"attributes": [[0], [1], [-2]]}, "-1 for a missing one"),
        ({"attributes": [[0], [1], [2]], "domain": [2]}, "sizes above every value"),
        ({"attributes": np.zeros((3, 4), int), "domain": [1 << 16] * 4}, "more than 2"),
    ],
)
def test_what_is_no_forest_is_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        Forest.singletons(3, **arguments)
