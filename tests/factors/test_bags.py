import numpy as np
import pytest
from scipy import sparse

from partita.errors import InputError
from partita.factors.bags import check_rows, encode, prepare_sums, sum_kernels
from partita.factors.stores import DENSE, SPARSE
from partita.states import Partition


def rows(table):
    """Return mention vectors as dense rows."""
    shape = (table.start.size - 1, table.group.size)
    return sparse.csr_array((table.value, table.key, table.start), shape=shape).toarray()


def sums_of(store, table, entity):
    """Return the sums of one entity as a dense row, from either store."""
    if hasattr(store, "sums"):
        return store.sums[entity].copy()
    found = np.zeros(table.group.size)
    if store.order[entity] >= 0:
        first = store.base[entity]
        table = store.cells[first : first + (2 << store.order[entity])].reshape(-1, 2)
        held = table[table[:, 0] >= 0]
        found[held[:, 0].astype(int)] = held[:, 1]
    return found


def test_columns_become_one_hot_rows():
    named, bagged, table = encode({"a": ["y", None, "x", "y"]}, {"b": np.eye(4)[:, :2]}, "t")
    assert (named, bagged) == (["a"], ["b"])
    assert rows(table).tolist() == [[0, 1, 1, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0]]
    assert table.group.tolist() == [0, 0, 1, 1]
    assert table.own.tolist() == [[1, 1], [0, 1], [1, 0], [1, 0]]


class Unknown:
    """A missing value that raises when compared, as pandas.NA does."""

    def __ne__(self, other):
        raise TypeError("ambiguous")

    __hash__ = None


@pytest.mark.parametrize(
    "values",
    [
        [4.0, np.nan, 4.0],
        [4, -1, 4],
        ["u", "", "u"],
        ["u", None, "u"],
        np.array(["u", np.nan, "u"], object),
        np.array(["u", Unknown(), "u"], object),
    ],
)
def test_missing_values(values):
    _, _, table = encode({"a": values}, {}, "t")
    assert rows(table).tolist() == [[1.0], [0.0], [1.0]]


def test_bags_may_be_sparse_with_repeated_and_stored_zeros():
    repeated = sparse.csr_array(
        (np.array([1.0, 2.0, 0.0]), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 3)
    )
    _, _, table = encode({}, {"b": repeated}, "t")
    assert rows(table).tolist() == [[0, 3, 0], [0, 0, 0]]
    assert table.key.tolist() == [1]
    # the user's own matrix is unchanged
    assert repeated.data.tolist() == [1.0, 2.0, 0.0]
    _, _, nothing = encode({}, {"b": sparse.csr_array((2, 3))}, "t")
    assert rows(nothing).tolist() == [[0, 0, 0]] * 2


def test_values_lie_on_a_grid_so_that_sums_are_exact():
    values = np.random.default_rng(0).normal(size=(200, 1))
    _, _, table = encode({}, {"b": values}, "t")
    np.testing.assert_allclose(table.value, values[:, 0], atol=2.0**-22)
    order = np.random.default_rng(1).permutation(200)
    assert sum(table.value) == sum(table.value[order])
    assert sum(table.value) - sum(table.value[order][::-1]) == 0.0


def test_rows_of_refuses_what_is_no_matrix():
    for wrong in ([1.0, 2.0], [[[1.0]]], 3.0):
        with pytest.raises(InputError, match=r"x have shape .*; give a matrix"):
            check_rows(wrong, "x")
    with pytest.raises(InputError, match="entry 1 is nan"):
        check_rows(sparse.csr_array([[1.0, np.nan]]), "x")


@pytest.mark.parametrize("store", [DENSE, SPARSE], ids=["dense", "sparse"])
def test_sums_of_a_start(store):
    rng = np.random.default_rng(4)
    bag = rng.integers(0, 3, (12, 5)).astype(float)
    _, _, table = encode({"a": rng.integers(-1, 3, 12)}, {"b": bag}, "t")
    state = Partition.of(rng.integers(0, 4, 12))
    made = prepare_sums(store, sum_kernels(store), table, state)
    dense = rows(table)
    for entity in range(12):
        inside = state.entity == entity
        assert sums_of(made.store, table, entity).tolist() == dense[inside].sum(0).tolist()
        assert made.mass[entity].tolist() == table.own[inside].sum(0).tolist()
