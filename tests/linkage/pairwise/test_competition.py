"""Rows that compete for records: who loses, and the class of those who lose."""

import numpy as np
import pytest

from partita.linkage.pairwise.competition import fit_competing
from partita.linkage.pairwise.em import em
from partita.linkage.pairwise.patterns import group_patterns

TYPES = ["given name", "date", "address", "phone", "surname"]
U = [np.array([rate, 1 - rate]) for rate in (0.02, 0.01, 0.001, 0.001, 0.005)]
M = [0.95, 0.95, 0.9, 0.9, 0.95]
"""Rates of agreement of matches, by column."""
RELATIVES = [0.02, 0.01, 0.95, 0.9, 0.95]
"""Rates of agreement of a row and a relative of its person."""
ROWS, RECORDS = 2000, 2000


def make_pairs(seed=1, households=0.6, linked=0.8):
    """Levels and rows of the pairs of rows with a match, a relative and some others."""
    rng = np.random.default_rng(seed)
    levels, rows = [], []
    for row in range(ROWS):
        kinds = [[rate[0] for rate in U]] * 3
        kinds += [RELATIVES] * (rng.random() < households)
        kinds += [M] * (rng.random() < linked)
        for rates in kinds:
            levels.append(rng.random(5) >= rates)
            rows.append(row)
    return np.array(levels, np.int8), np.array(rows)


def fit(households):
    levels, rows = make_pairs(households=households)
    patterns = group_patterns(levels, [2] * 5, np.zeros(len(levels)))
    everything = float(ROWS * RECORDS)
    found = fit_competing(patterns, U, rows, TYPES, lam=1 / RECORDS, everything=everything)
    return found, patterns, rows, everything


def test_relatives_are_a_class_of_their_own():
    (fitted, household), *_ = fit(0.6)
    assert [rates[0] for rates in fitted.m] == pytest.approx(M, abs=0.05)
    assert [rates[0] for rates in household.r] == pytest.approx(RELATIVES, abs=0.1)
    # .6 relatives a row, of which the class holds those that look like matches
    assert 0.4 < household.odds * RECORDS < 0.65


def test_without_losing_candidates_there_is_no_class():
    assert fit(0.0)[0] is None


def test_candidates_of_a_row_share_one_probability():
    _, patterns, rows, everything = fit(0.6)
    apart = em(patterns, U, 1 / RECORDS, everything)
    competing = em(patterns, U, 1 / RECORDS, everything, competing_pairs=rows[:, None], n=ROWS)
    assert competing.lam * everything <= ROWS
    assert competing.lam <= apart.lam
