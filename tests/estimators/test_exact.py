import numpy as np
import pytest

from partita.estimators import exact
from tests.estimators.deck import Bench


@pytest.fixture(scope="module")
def bench():
    return Bench(exact())


@pytest.mark.parametrize("count", [0, 1, 7])
def test_every_factor_is_examined_once(bench, count):
    values = np.arange(count) + 1.0
    score, times = bench.give(values).estimate()
    assert score == values.sum()
    assert times.tolist() == [1] * count
    assert bench.examined == count
    assert bench.context.deck.shape == (3, 0)


def test_the_change_is_recorded_while_a_learner_listens(bench):
    bench.give([1.0, 2.5])
    bench.estimate(listening=0)
    assert bench.change == 0.0
    bench.estimate(listening=1)
    assert bench.change == 3.5
