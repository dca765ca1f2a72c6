"""The profiles of one column: how often matches (m) and non-matches (u) show each level."""

from __future__ import annotations

import numpy as np

from partita.kernel import Floats

__all__ = ["initial_m", "limit_disagreement", "make_decreasing", "remove_matches", "update_rates"]

PRIOR = 2.0
"""Pairs' worth of the Dirichlet prior on each m, spread evenly over its levels."""
MOST_DIFFERENT = 0.2
"""At most this share of matches may differ altogether in a column (a guard, not an estimate)."""
LEAST_U = 0.05
"""u keeps at least this share of what random pairs show, however many of them are matches."""


def initial_m(size: int) -> Floats:
    """Where EM starts: most matches equal, most of the rest alike."""
    if size <= 2:
        return np.array([0.9, 0.1])[:size] / np.array([0.9, 0.1])[:size].sum()
    m = np.array([0.7, *[0.21 / (size - 2)] * (size - 2), 0.09])
    return m / m.sum()


def make_decreasing(ratio: Floats, weight: Floats) -> Floats:
    """The nearest sequence that never rises, by pooling neighbours that violate it."""
    blocks: list[list[float]] = []
    for value, mass in zip(ratio.tolist(), weight.tolist(), strict=True):
        blocks.append([value, mass, 1])
        while len(blocks) > 1 and blocks[-2][0] < blocks[-1][0]:
            above, below = blocks.pop(), blocks.pop()
            mass = above[1] + below[1]
            mean = (above[0] * above[1] + below[0] * below[1]) / mass
            blocks.append([mean, mass, above[2] + below[2]])
    return np.concatenate([np.full(int(block[2]), block[0]) for block in blocks])


def limit_disagreement(m: Floats) -> Floats:
    """m whose last level is at most `MOST_DIFFERENT`; the other levels take up the rest."""
    if len(m) < 2 or m[-1] <= MOST_DIFFERENT:
        return m
    rest = m[:-1] + 0.02 / len(m)
    return np.append(rest / rest.sum() * (1 - MOST_DIFFERENT), MOST_DIFFERENT)


def remove_matches(random: Floats, m: Floats, lam: float) -> Floats:
    """u of non-matches: what random pairs show, less the matches among them."""
    u = np.maximum(random - lam * m, LEAST_U * random)
    return u / u.sum()


def update_rates(counts: Floats, random: Floats, lam: float) -> tuple[Floats, Floats]:
    """m and u of one column from its expected counts; log(m / u) falls from level to level."""
    m = (counts + PRIOR / len(counts)) / (counts.sum() + PRIOR)
    m = limit_disagreement(m)
    u = remove_matches(random, m, lam)
    ratio = np.log(m / u)
    smooth = make_decreasing(ratio, m + u)
    if not np.allclose(ratio, smooth):
        m = np.exp(smooth) * u
        m /= m.sum()
    return m, u
