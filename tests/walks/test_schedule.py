import numpy as np
import pytest

from partita.errors import InputError
from partita.walks.schedule import cooling, schedule


def test_cooling_is_geometric():
    plan = cooling(2.0, 0.02)
    assert [plan(p) for p in (0.0, 0.5, 1.0)] == pytest.approx([2.0, 0.2, 0.02])


def test_a_number_is_constant():
    plan = schedule(0.7)
    assert {plan(p) for p in (0.0, 0.3, 1.0)} == {0.7}


def test_a_row_is_interpolated():
    plan = schedule([3.0, 1.0, 0.5])
    assert [plan(p) for p in (0.0, 0.25, 0.5, 0.75, 1.0)] == [3.0, 2.0, 1.0, 0.75, 0.5]


def test_a_function_is_asked_and_checked():
    plan = schedule(lambda progress: 1.0 - progress)
    assert plan(0.25) == 0.75
    with pytest.raises(InputError, match=r"the temperature is 0.0; give a positive number"):
        plan(1.0)


@pytest.mark.parametrize(
    "wrong", [0.0, -1.0, float("nan"), float("inf"), [], [1.0, -0.5], [[1.0]], "hot", None]
)
def test_what_is_no_temperature(wrong):
    with pytest.raises(InputError, match="temperature is"):
        schedule(wrong)


def test_cooling_refuses_zero():
    for first, last in ((0.0, 1.0), (1.0, 0.0), (1.0, np.nan)):
        with pytest.raises(InputError, match="the temperature is"):
            cooling(first, last)
