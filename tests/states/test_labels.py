import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.errors import InputError
from partita.kernel import dump, entry
from partita.states import SPACES, Labels, Relabel
from partita.states import labels as kernels

SPACE = SPACES[Labels]


@entry
def apply(state, move):
    kernels.apply(state, move)


@entry
def undo(state, move):
    kernels.undo(state, move)


@entry
def back_and_forth(state, move):
    """Apply a move and its reverse; return whether either is idle."""
    again = kernels.reverse(move)
    kernels.apply(state, move)
    kernels.apply(state, again)
    return kernels.idle(move), kernels.idle(again), kernels.room(state)


@entry
def step_toward(state, goal, k):
    move = kernels.toward(state, goal, k)
    kernels.apply(state, move)


def test_domains_are_shared_or_own():
    assert Labels.of([0, 1], 3).domain.tolist() == [3, 3]
    state = Labels.of([0, 4], [1, 5])
    assert state.domain.tolist() == [1, 5]
    SPACE.check(state)
    assert SPACE.sites(state) == SPACE.path(state) == 2


def test_the_start_is_copied():
    values = np.array([0, 1])
    state = Labels.of(values, 2)
    apply(state, Relabel(0, 0, 1))
    assert values.tolist() == [0, 1]
    assert state.label.tolist() == [1, 1]


@given(st.lists(st.integers(1, 5), min_size=1, max_size=6), st.data())
def test_apply_and_undo(domain, data):
    values = [data.draw(st.integers(0, size - 1)) for size in domain]
    state = Labels.of(values, domain)
    v = data.draw(st.integers(0, len(domain) - 1))
    new = data.draw(st.integers(0, domain[v] - 1))
    move = Relabel(v, values[v], new)
    apply(state, move)
    assert state.label.tolist() == [new if k == v else x for k, x in enumerate(values)]
    SPACE.check(state)
    undo(state, move)
    assert state.label.tolist() == values
    idle = new == values[v]
    assert back_and_forth(state, move) == (idle, idle, True)
    assert state.label.tolist() == values


def test_enumeration_lists_all_labelings():
    found = [tuple(s.label.tolist()) for s in SPACE.enumerate(Labels.of([0, 0], [2, 3]))]
    assert found == [(a, b) for a in range(2) for b in range(3)]


def test_origin_and_path_lead_to_the_goal():
    goal = Labels.of([2, 0, 1], 3)
    state = SPACE.origin(goal)
    assert state.label.tolist() == [0, 0, 0]
    for k in range(SPACE.path(goal)):
        step_toward(state, goal, k)
    assert state.label.tolist() == goal.label.tolist()


def test_copies_and_observations():
    state = Labels.of([2, 0], 3)
    twin = SPACE.copy(state)
    apply(twin, Relabel(0, 2, 1))
    assert state.label.tolist() == [2, 0]
    assert SPACE.observe(twin).dtype == np.int32
    assert SPACE.restore(state, SPACE.observe(twin)).label.tolist() == [1, 0]
    assert SPACE.facts(state) == {}
    assert SPACE.grow(state) is state
    assert set(dump(state)) == {"label", "domain"}


def test_check_finds_labels_outside():
    state = Labels.of([0, 1], 2)
    for wrong in (-1, 2):
        state.label[0] = wrong
        with pytest.raises(InputError, match="outside"):
            SPACE.check(state)
