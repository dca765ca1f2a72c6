"""Alike values are found from both sides, by the formula of K; all others are at the last level."""

import math

import numpy as np
import pytest

from partita.factors.entity_model.table import (
    CAP,
    FAR,
    LOG_SAME,
    SAME,
    THETA,
    factor,
    listed_pairs,
    near_table,
    rates,
)
from partita.kernel import entry

RATIOS = np.array([math.log(0.9), 1.0, -2.0])


@entry
def look(near, far, a, b):
    return factor(near, far, a, b)


def part(values, pairs, levels, theta=3.0, term_frequency=0.5):
    phi = np.arange(1.0, values + 1.0)
    return {
        "phi": phi / phi.sum(),
        "ratios": RATIOS,
        "pairs": np.array(pairs, np.int64).reshape(-1, 2),
        "levels": np.array(levels, np.int64),
        "theta": theta,
        "term_frequency": term_frequency,
    }


def test_alike_values_of_two_fields():
    parts = [part(30, [[0, k] for k in range(1, 20)], [1] * 19), part(4, [[3, 1], [1, 3]], [1, 2])]
    near = near_table(parts, listed_pairs(parts))
    for field, a, b, first in [(0, 0, 7, 0), (1, 1, 3, 30)]:
        phi = parts[field]["phi"]
        usual = math.log((phi**2).sum()) - math.log(max(phi[a], phi[b]))
        by_hand = 3.0 * math.exp(1.0 + 0.5 * min(3.0, max(-3.0, usual)))
        assert look(near, 0.25, first + a, first + b) == pytest.approx(by_hand)
        assert look(near, 0.25, first + b, first + a) == pytest.approx(by_hand)
    for a, b in [(0, 20), (7, 8), (33, 32), (30, 31)]:
        assert look(near, 0.25, a, b) == 0.25


def test_constants_of_a_field():
    row = rates([part(3, [], [])])[0]
    assert row[THETA] == 3.0
    assert row[SAME] == pytest.approx(2.7)
    assert row[LOG_SAME] == pytest.approx(math.log(0.9))
    assert row[CAP] == pytest.approx(3.0 * math.exp(-1e-3))
    assert row[FAR] == pytest.approx(3.0 * math.exp(-2.0))
