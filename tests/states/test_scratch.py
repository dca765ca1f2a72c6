import numpy as np
import pytest

from partita.states.scratch import add_pull, begin_pulls, new_groups, new_pulls, pull_of

pytestmark = pytest.mark.interpreted


def test_nobody_is_on_a_side_at_first():
    groups = new_groups(3)
    assert not groups.sign.any()
    assert groups.size.tolist() == [0, 0]


def test_pulls_add_up_and_are_forgotten_for_the_next_mention():
    pulls = new_pulls(4)
    begin_pulls(pulls)
    for entity, score in ((2, 1.5), (2, -0.5), (0, 3.0)):
        add_pull(pulls, entity, score)
    assert [pull_of(pulls, entity) for entity in range(4)] == [3.0, 0.0, 1.0, 0.0]
    begin_pulls(pulls)
    assert [pull_of(pulls, entity) for entity in range(4)] == [0.0] * 4
    add_pull(pulls, 2, 0.25)
    assert pull_of(pulls, 2) == 0.25
    assert np.count_nonzero(pulls.stamp == pulls.tick[0]) == 1
