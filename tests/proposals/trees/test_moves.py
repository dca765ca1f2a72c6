"""Moves of trees: what they are mixed of, and what start they refuse."""

import pytest

from partita.errors import InputError
from partita.proposals import multi_try, one_canopy, sample_attribute, tree_moves
from partita.states import Forest


def test_all_moves_are_counted_by_name():
    names = tree_moves(one_canopy(3), attributes=True).counted
    assert names[0] == "move_subtree"
    assert len(names) == 5


def test_a_start_with_other_canopies_or_without_attributes_is_refused():
    with pytest.raises(InputError, match="other canopies"):
        tree_moves(one_canopy(3)).check(Forest.singletons(3, canopies=[0, 0, 1]))
    with pytest.raises(InputError, match="leave it out"):
        tree_moves(one_canopy(3), attributes=True).check(Forest.singletons(3))


def test_moves_can_be_tried_several_times():
    proposal = multi_try(sample_attribute(one_canopy(3)), 3)
    assert proposal.state is Forest
    assert not proposal.map_only
