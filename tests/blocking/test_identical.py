"""Identical records are always candidates, and their pairs are bounded."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from partita.blocking.candidates import find_candidates
from partita.blocking.identical import pair_identical
from partita.kernel import find_components
from tests.blocking.test_candidates import column

NONE = np.empty(0, np.int32)


def list_pairs(found):
    left, right = found
    return {
        (min(i, j), max(i, j)) for i, row in zip(left, right, strict=True) for j in row if j >= 0
    }


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=40),
    st.integers(1, 6),
)
def test_groups_are_connected_across_sources(rows, k):
    first, keys = {}, [key for key, _ in rows]
    same = np.array([first.setdefault(key, row) for row, key in enumerate(keys)])
    source = np.array([code for _, code in rows], np.int32)
    pairs = list_pairs(pair_identical(same, source, k))
    assert all(same[i] == same[j] and source[i] != source[j] for i, j in pairs)
    assert len(pairs) <= k * len(rows)
    parts = find_components(np.array(sorted(pairs), np.int64).reshape(-1, 2), len(rows))
    for key in set(keys):
        members = np.flatnonzero([other == key for other in keys])
        if len(set(source[members])) > 1:
            assert len(set(parts[members])) == 1


def test_the_nth_identical_records_of_two_sources_are_a_pair():
    source = np.repeat(np.array([0, 1], np.int32), 50)
    pairs = list_pairs(pair_identical(np.zeros(100, np.int64), source, 2))
    assert {(k, k + 50) for k in range(50)} <= pairs


def test_a_group_of_one_source_is_connected():
    pairs = list_pairs(pair_identical(np.array([0, 1, 0, 0, 1, 5]), NONE, 1))
    assert pairs == {(0, 2), (0, 3), (1, 4)}


def test_identical_rows_beyond_the_neighbours_of_a_record_are_candidates():
    """Common values fill the neighbours of a record with others than the identical one."""
    words = [f"w{k % 3}" for k in range(90)] + [None, "w0"]
    towns = ["t"] * 90 + ["t", "t"]
    columns = {"word": column(words), "town": column(towns)}
    source = np.arange(92) % 2
    found = {tuple(pair) for pair in find_candidates(columns, source=source, k=2).pairs.tolist()}
    for key in range(3):
        members = [k for k in range(90) if k % 3 == key]
        reached = {row for pair in found for row in pair if set(pair) <= set(members)}
        assert reached == set(members)
