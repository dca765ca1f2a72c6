"""Rows whose largest frequency has left are looked at again."""

import numpy as np
import pytest

from partita.factors import Field, FieldSwap, Model, hit_miss_model
from partita.factors.entity_model.known import known, row_of
from partita.factors.entity_model.swaps import swap_values
from partita.states import Partition

# kernels have no wrappers that Python could call
pytestmark = pytest.mark.interpreted

PHI = np.array([0.6, 0.3, 0.05, 0.05])
RATIOS = np.log([0.9, 0.1])


def test_a_value_has_its_own_frequency_where_it_stands_and_no_other():
    left = Field([3, 0], PHI, RATIOS, [], [], own=np.log([0.9, 0.05]))
    fields = {"left": left, "right": Field([0, 3], PHI[::-1], RATIOS, [], [])}
    model = Model(hit_miss_model(fields, swaps=[FieldSwap("left", "right", [0, 0], [0, 1])]))
    state = Partition.of([0, 0])
    table = model.tables(state)[0]
    swap_values(table, 0, 0, 0)
    assert table.frequency[:, 0] == pytest.approx([PHI[0], 0.05])
    # both show 0 on the left now, and the more frequent counts
    row = known(table, state, 0, 0)
    assert row == row_of(table, 0, 0)
    assert table.shown.level[row] == pytest.approx(PHI[0])
    swap_values(table, 0, 0, 0)
    assert table.frequency[:, 0] == pytest.approx([0.9, 0.05])
