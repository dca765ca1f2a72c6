"""The pairwise model of rows of which each matches one record of a reference at most.

The candidates of a row compete: their probabilities and that of no match sum to 1. A candidate that
scores as a match but loses to another one of its row shows how non-matches agree, such as members
of one household. Level rates of such candidates are a third class (`household.py`), so that a row
whose entity the reference lacks does not match a relative of it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from partita.kernel import Floats, Ints, logistic
from partita.linkage.pairwise.em import Fit, em
from partita.linkage.pairwise.household import (
    HouseholdClass,
    are_apart,
    find_separating,
    household_terms,
)
from partita.linkage.pairwise.level_rates import PRIOR_PAIRS, shrink_rates
from partita.linkage.pairwise.patterns import Patterns, sum_columns, weight_table

__all__ = ["fit_competing"]

ROUNDS = 2
"""Fits of the matches, each followed by one of the losing candidates. Origin: generated people
and hotel posts, both in view; on people a third round changes the accuracy by less than .001."""
MIN_LOSING = 20.0
"""Expected losing candidates below which there is no third class: their rates are not known.
Origin: a choice."""


def fit_competing(
    patterns: Patterns,
    random: Sequence[Floats],
    rows: Ints,
    column_types: Sequence[str],
    *,
    lam: float,
    everything: float,
    column_weights: Sequence[float] | None = None,
) -> tuple[Fit, HouseholdClass] | None:
    """Fit m, u, lam and the class of losing candidates; None where no columns separate them.

    `rows` are the rows of the pairs, 0, 1, ...; `everything` is the number of all pairs.
    `column_weights` temper the evidence of the columns.
    """
    split, offset = None, patterns.offset
    competing = np.ascontiguousarray(rows[:, None])
    for _ in range(ROUNDS):
        scored = patterns._replace(offset=offset)
        fit = em(
            scored,
            random,
            lam,
            everything,
            competing_pairs=competing,
            n=int(rows.max()) + 1,
            column_weights=column_weights,
        )
        household = _fit_losing(patterns, offset, fit, rows, everything)
        if household is not None and column_weights:
            parts = zip(household.r, fit.u, column_weights, strict=True)
            household = household._replace(r=[shrink_rates(*part) for part in parts])
        if household is None or not are_apart(find_separating(household.r, fit.u), column_types):
            return None
        terms = household_terms(household, fit.u, patterns.levels, patterns.offset)
        split, offset = (fit, household), patterns.offset + terms
    return split


def _fit_losing(
    patterns: Patterns, offset: Floats, fit: Fit, rows: Ints, everything: float
) -> HouseholdClass | None:
    """The level rates of candidates that score as matches and lose, and their odds.

    A candidate loses as often as another candidate of its row is the match. It scores as a match by
    its probability without competition and without the third class.
    """
    prior = np.log(fit.lam / (1 - fit.lam))
    alone = prior + sum_columns(weight_table(fit.m, fit.u), patterns.levels)
    odds = np.exp(np.clip(alone + offset, -60, 60))[patterns.place]
    total = np.bincount(rows, odds)
    loses = (total[rows] - odds) / (1.0 + total[rows])
    looks = logistic(alone + patterns.offset)
    losing = looks * np.bincount(patterns.place, loses, minlength=looks.size)
    linked = float((total / (1.0 + total)).sum()) / max(int(np.count_nonzero(total)), 1)
    if losing.sum() < MIN_LOSING or linked <= 0.0:
        return None
    rates = []
    for q, u in enumerate(fit.u):
        count = np.bincount(patterns.levels[:, q] + 1, losing, minlength=len(u) + 1)[1:]
        rates.append((count + PRIOR_PAIRS * u) / (count.sum() + PRIOR_PAIRS))
    return HouseholdClass(rates, float(losing.sum()) / (everything * linked))
