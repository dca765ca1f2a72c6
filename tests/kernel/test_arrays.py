from typing import NamedTuple

import numpy as np
import pytest

from partita.errors import CheckpointError
from partita.kernel import Pool, distinct_of, dump, load, new_pool, runs_of


class Inner(NamedTuple):
    x: np.ndarray
    size: int


class Outer(NamedTuple):
    inner: Inner
    pair: tuple


class Listed(NamedTuple):
    cells: np.ndarray
    pool: Pool

    @property
    def pooled(self):
        return ("cells",)


def value():
    return Outer(Inner(np.arange(3.0), 7), (np.ones(2), np.zeros(1)))


def test_arrays_are_named_by_their_place():
    found = dump(value())
    assert {name: array.tolist() for name, array in found.items()} == {
        "inner.x": [0.0, 1.0, 2.0],
        "pair.0": [1.0, 1.0],
        "pair.1": [0.0],
    }


def test_what_was_dumped_is_loaded_as_a_copy():
    saved = {"inner.x": np.array([5.0, 6.0, 7.0])}
    old = value()
    made = load(old, saved)
    assert type(made) is Outer
    assert type(made.inner) is Inner
    assert made.inner.x.tolist() == [5.0, 6.0, 7.0]
    assert made.inner.size == 7
    # what was not saved stays
    assert made.pair[0] is old.pair[0]
    made.inner.x[0] = 9.0
    assert saved["inner.x"][0] == 5.0


def test_only_cells_that_were_cut_are_kept():
    listed = Listed(np.arange(100), new_pool())
    listed.pool.top[0] = 3
    saved = dump(listed)
    assert saved["cells"].tolist() == [0, 1, 2]
    made = load(Listed(np.zeros(4, np.int64), new_pool()), saved)
    assert made.cells[:3].tolist() == [0, 1, 2]
    assert made.cells.size >= 6
    assert made.pool.top[0] == 3


def test_arrays_of_another_shape_are_refused():
    for wrong in (np.zeros(4), np.zeros(3, np.float32)):
        with pytest.raises(CheckpointError, match=r"the saved array 'inner.x' is float"):
            load(value(), {"inner.x": wrong})


@pytest.mark.parametrize("values", [[], [3], [2, 1, 2, 2], [[5, 4], [4, 9]]])
def test_distinct_values_are_those_of_numpy(values):
    given = np.array(values, np.int64)
    assert distinct_of(given).tolist() == np.unique(given).tolist()


def test_runs_begin_where_values_change():
    assert runs_of(np.array([2, 2, 3, 7, 7, 7])).tolist() == [0, 2, 3]
    assert runs_of(np.zeros(0, np.int64)).tolist() == []
