"""What an entity loses because relatives would agree as well."""

from types import SimpleNamespace

import numpy as np
import pytest

from partita.resolution.kin import Relief, kin, mean_relief


def evidence(related):
    return SimpleNamespace(
        n=5,
        model=SimpleNamespace(related=related),
        pairs=np.array([[0, 2], [1, 2], [0, 1], [3, 4]]),
        scores=SimpleNamespace(dependence=np.array([-3.0, -6.0, 0.0, -1.0])),
    )


def test_no_template_without_relatives():
    assert kin(evidence(None), np.arange(5)) == ()


def test_the_mean_over_pairs_as_often_as_a_record_joins():
    relief = kin(evidence("some"), np.array([0, 1, 2]))[0].table.data
    assert isinstance(relief, Relief)
    assert mean_relief(relief, np.array([0])) == 0.0
    assert mean_relief(relief, np.array([2, 1])) == pytest.approx(-6.0)
    # three pairs with a mean of -3, and two records that joined a first
    assert mean_relief(relief, np.array([2, 0, 1])) == pytest.approx(-6.0)
