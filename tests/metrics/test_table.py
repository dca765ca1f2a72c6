"""The contingency table, whole and restricted to labelled records."""

import numpy as np
from hypothesis import given

from partita.metrics import contingency
from partita.metrics.table import pairs_within
from tests.metrics.partitions import two_partitions


def test_by_hand():
    table = contingency(["x", "x", "y", "y", "y"], [5, 5, 5, 9, 9])
    assert list(zip(table.predicted, table.true, table.shared, strict=True)) == [
        *((0, 0, 2), (1, 0, 1), (1, 1, 2)),
    ]
    assert table.predicted_sizes.tolist() == [2, 3] and table.true_sizes.tolist() == [3, 2]
    assert (table.records, table.unlabelled) == (5, 0)


def test_unlabelled_records_only_count_in_whole_sizes():
    table = contingency([4, 4, 6, 8, 8, 8], ["a", None, None, "b", "a", None])
    assert table.predicted_sizes.tolist() == [1, 2] and table.whole_sizes.tolist() == [2, 3]
    assert table.true_sizes.tolist() == [2, 1]
    assert (table.records, table.unlabelled) == (3, 3)


@given(two_partitions())
def test_margins(both):
    table = contingency(*both)
    assert (np.bincount(table.predicted, weights=table.shared) == table.predicted_sizes).all()
    assert (np.bincount(table.true, weights=table.shared) == table.true_sizes).all()
    assert (table.whole_sizes == table.predicted_sizes).all()
    assert table.shared.min() >= 1 and table.shared.sum() == len(both[0])


def test_pairs_within():
    assert pairs_within(np.array([1, 2, 4, 10**7])) == 7 + 10**7 * (10**7 - 1) // 2
