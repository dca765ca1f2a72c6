"""Rows of histograms: values can be added and removed, and every quantifier is read from them."""

import numpy as np
import pytest

from partita.factors import aggregates, average, count, every, lowest, over_values
from partita.factors.predicates.rules import add_value, evaluate, find_bucket, new_rows
from partita.kernel import entry


@entry
def entered(kept, row, value, times):
    add_value(kept, row, value, times)
    return find_bucket(kept, value)


@entry
def asked(kept, row, rule):
    return evaluate(kept, row, rule)


def table():
    over = over_values("x", np.array([0.0, 1.0]))
    rules = (every(over, below=2.0), count(over, at_least=1.0), lowest(over, (1.0,)), average(over))
    (template,) = aggregates(*rules)
    return new_rows(template.table.kept, 2)


def test_values_fall_between_edges_and_come_out_again():
    kept = table()
    assert kept.edge.tolist() == [1.0, 2.0]
    values = [0.5, 1.0, 1.5, 2.0, 0.1]
    assert [entered(kept, 0, value, 1.0) for value in values] == [0, 1, 1, 2, 0]
    assert kept.row[0, :3].tolist() == [2, 2, 1]
    for value in values:
        entered(kept, 0, value, -1.0)
    assert not kept.row.any()


def test_quantifiers_read_the_row():
    kept = table()
    assert np.isnan(asked(kept, 0, 0))
    for value in (0.5, 1.5):
        entered(kept, 0, value, 1.0)
    assert asked(kept, 0, 0) == 1.0
    assert asked(kept, 0, 1) == 1.0
    assert asked(kept, 0, 2) == -np.inf
    assert asked(kept, 0, 3) == pytest.approx(1.0)
    entered(kept, 0, 0.5, -1.0)
    assert asked(kept, 0, 2) == 1.0
    entered(kept, 0, 2.0, 1.0)
    assert asked(kept, 0, 0) == 0.0
