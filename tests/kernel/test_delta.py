import numpy as np
import pytest

from partita.kernel import (
    BAD_FEATURE,
    CODE,
    OK,
    ORIGIN,
    add,
    clear,
    deltas,
    entry,
    norm,
    push,
    record,
)


@entry
def pushed(delta, feature, value):
    return push(delta, feature, value)


@entry
def listen(delta, on):
    record(delta, on)


@entry
def forget(delta):
    clear(delta)


@entry
def length(parts):
    return norm(parts)


@entry
def move(parts, step):
    add(parts, step)


@pytest.fixture
def parts():
    weights = np.array([1.0, 2.0, 3.0])
    return weights, deltas(weights, [2, 1], np.zeros(4, np.int64))


def test_templates_share_one_weight_vector(parts):
    weights, (first, second) = parts
    assert (first.weights.tolist(), second.weights.tolist()) == ([1.0, 2.0], [3.0])
    weights[2] = 9.0
    assert pushed(second, 0, 2.0) == 18.0
    assert (first.note[2], second.note[2]) == (0, 1)
    assert first.status is second.status


def test_changes_are_stored_only_while_a_learner_listens(parts):
    _, (first, _) = parts
    assert pushed(first, 1, 0.5) == 1.0
    assert first.change.tolist() == [0.0, 0.0]
    listen(first, 1)
    pushed(first, 1, 0.5)
    first.scale[0] = 4.0
    # the scale is for what is stored, not for the score
    assert pushed(first, 1, 0.5) == 1.0
    assert first.change.tolist() == [0.0, 2.5]
    assert first.note[0] == 1
    forget(first)
    assert first.change.tolist() == [0.0, 0.0]
    assert first.note[0] == 0
    assert not first.marked.any()


def test_steps_go_along_the_change_of_all_templates(parts):
    weights, made = parts
    for part in made:
        listen(part, 1)
    pushed(made[0], 0, 3.0)
    pushed(made[1], 0, -4.0)
    assert length(made) == 25.0
    move(made, 0.5)
    assert weights.tolist() == [2.5, 2.0, 1.0]


@pytest.mark.parametrize("feature", [-1, 2, 100])
def test_features_outside_the_template_set_an_error_status(parts, feature):
    weights, (first, second) = parts
    assert pushed(second, 0, 1.0) == 3.0
    assert second.status[CODE] == OK
    listen(first, 1)
    assert pushed(first, feature, 1.0) == 0.0
    assert first.status[CODE] == BAD_FEATURE
    assert first.status[ORIGIN] == 0
    assert weights.tolist() == [1.0, 2.0, 3.0]
