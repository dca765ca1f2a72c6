import numpy as np
import pytest

from partita.synthetic import plan
from partita.synthetic.draws import Draws
from partita.synthetic.plan import owner, plan_rows, start_groups


def threes(index):
    return np.full(index.size, 3)


@pytest.mark.parametrize("total", [1, 2, 3, 4, 299, 300, 1000])
def test_groups_add_up(total, monkeypatch):
    monkeypatch.setattr(plan, "CHUNK", 10)
    starts = start_groups(total, threes)
    sizes = np.diff(starts)
    assert sizes.sum() == total
    assert sizes.size == -(-total // 3)
    assert set(sizes[:-1]) <= {3}
    assert 1 <= sizes[-1] <= 3


def test_sizes_do_not_depend_on_the_chunk(monkeypatch):
    draws = Draws(1)
    whole = start_groups(5000, lambda index: 1 + draws.below("s", index, 4))
    monkeypatch.setattr(plan, "CHUNK", 7)
    assert np.array_equal(whole, start_groups(5000, lambda index: 1 + draws.below("s", index, 4)))


def test_owners():
    assert owner(np.array([0, 2, 5]), np.arange(5)).tolist() == [0, 0, 1, 1, 1]


def test_rows_are_shuffled_and_complete():
    result = plan_rows(3000, Draws(2), threes)
    entity, copy = result.rows(0, 3000)
    assert result.entities == 1000
    assert np.bincount(entity).tolist() == [3] * 1000
    assert np.bincount(copy).tolist() == [1000] * 3
    assert np.unique(entity * 3 + copy).size == 3000
    assert abs(np.corrcoef(entity, np.arange(3000))[0, 1]) < 0.06
    # two of the same entity side by side: about two are expected of a shuffle
    assert np.count_nonzero(np.diff(entity) == 0) < 12
    part = result.rows(1000, 1100)
    assert np.array_equal(part[0], entity[1000:1100])
    assert np.array_equal(part[1], copy[1000:1100])
    assert result.slots.dtype == result.starts.dtype == np.int32
