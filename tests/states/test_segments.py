"""Segments: construction, checks and enumeration."""

import numpy as np
import pytest

from partita.errors import InputError
from partita.states import SPACES, Segments

SPACE = SPACES[Segments]


def test_four_tokens_with_two_labels_have_fifty_four_states():
    states = list(SPACE.enumerate(Segments.of([0, 4], 2)))
    assert len(states) == 54
    assert len({tuple(SPACE.observe(state)) for state in states}) == 54
    for state in states:
        SPACE.check(state)


def test_limits_and_lines_reduce_the_states():
    limited = list(SPACE.enumerate(Segments.of([0, 2, 3], 2, [1, 2])))
    # two tokens: 4 pairs of labels, or one segment with label 1; one token: 2 labels
    assert len(limited) == 5 * 2


def test_a_record_restores_the_state():
    state = Segments.of([0, 3, 5], 2, first=[0, 0, 2, 3, 3], label=[1, 1, 0, 0, 0])
    again = SPACE.restore(SPACE.origin(state), SPACE.observe(state))
    for a, b in zip(state, again, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    ("start", "more", "message"),
    [
        ([1, 3], {}, "give 0, then the end"),
        ([0, 0], {}, "no tokens"),
        ([0, 3], {"first": [0, 0, 0], "label": [1, 0, 0]}, "two labels"),
        ([0, 1, 3], {"first": [0, 0, 2]}, "two lines"),
        ([0, 3], {"longest": 2, "first": [0, 0, 0]}, "longer than"),
        ([0, 3], {"label": [0, 1, 2]}, "outside the labels"),
        ([0, 3], {"label": [0, 1]}, "for each"),
        ([0, 3], {"longest": 0}, "1 or more"),
    ],
)
def test_bad_segments_are_named(start, more, message):
    with pytest.raises(InputError, match=message):
        Segments.of(start, 2, **more)
