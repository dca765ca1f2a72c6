import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from partita.errors import InputError
from partita.kernel import find_components, symmetric_rows


def test_both_directions_of_every_pair():
    start, other, which = symmetric_rows([[2, 0], [1, 2]], 4, "t")
    assert start.tolist() == [0, 1, 2, 4, 4]
    assert other.tolist() == [2, 2, 0, 1]
    assert which.tolist() == [0, 1, 0, 1]


def test_no_pairs():
    start, other, which = symmetric_rows([], 2, "t")
    assert (start.tolist(), other.size, which.size) == ([0, 0, 0], 0, 0)


@pytest.mark.parametrize(
    ("pairs", "n", "words"),
    [
        ([[0, 2]], 2, r"the pair \[0, 2\] is outside 0..1"),
        ([[-1, 0]], 2, r"the pair \[-1, 0\] is outside"),
        ([[1, 1]], 2, "1 is paired with itself"),
        ([[0, 1], [2, 1], [1, 0]], 3, r"the pair \[0, 1\] is listed twice"),
        ([[0.0, 1.0]], 2, "type float64"),
        (np.zeros((1, 3), int), 2, r"shape \(1, 3\)"),
        ([[0, 1], [1]], 2, "different lengths"),
        ([[0, 1]], 0, "mentions is 0"),
        ([[0, 1]], 2.5, "mentions is 2.5"),
    ],
)
def test_what_is_no_table_of_pairs(pairs, n, words):
    with pytest.raises(InputError, match=words):
        symmetric_rows(pairs, n, "t")


def test_what_pairs_link():
    assert find_components(np.array([[3, 1], [4, 1]]), 6).tolist() == [0, 1, 2, 1, 1, 3]
    assert find_components(np.zeros((0, 2), np.int64), 3).tolist() == [0, 1, 2]


@pytest.mark.parametrize("edges", [0, 1, 30, 60, 200])
def test_components_are_those_of_scipy(edges):
    pairs = np.random.default_rng(edges).integers(0, 80, (edges, 2)).astype(np.int32)
    graph = coo_array((np.ones(edges), tuple(pairs.T)), shape=(80, 80))
    expected = connected_components(graph, directed=False)[1]
    assert find_components(pairs, 80).tolist() == expected.tolist()
