"""Level rates of one column: the shares of matches (m) and non-matches (u) at each level."""

from __future__ import annotations

import numpy as np

from partita.kernel import Floats

__all__ = ["initial_m", "limit_disagreement", "make_decreasing", "remove_matches", "update_rates"]

PRIOR_PAIRS = 2.0
"""Pairs that the Dirichlet prior on each m counts as, spread evenly over its levels.
Origin: 0.1."""
MAX_DISAGREEMENT = 0.2
"""Limit on the share of matches without agreement in a column (a guard, not an estimate).
Origin: 0.1."""
MIN_SHARE_OF_RANDOM = 0.05
"""Share of the rates of random pairs that u keeps at least. Origin: 0.1."""


def initial_m(size: int) -> Floats:
    """The start of EM: most matches agree exactly, most others fuzzily."""
    if size <= 2:
        return np.array([0.9, 0.1])[:size] / np.array([0.9, 0.1])[:size].sum()
    m = np.array([0.7, *[0.21 / (size - 2)] * (size - 2), 0.09])
    return m / m.sum()


def make_decreasing(ratio: Floats, weight: Floats) -> Floats:
    """The nearest non-increasing sequence, by pooling adjacent violators."""
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
    """Limit the last level of m to `MAX_DISAGREEMENT`; the other levels take up the rest."""
    if len(m) < 2 or m[-1] <= MAX_DISAGREEMENT:
        return m
    rest = m[:-1] + 0.02 / len(m)
    return np.append(rest / rest.sum() * (1 - MAX_DISAGREEMENT), MAX_DISAGREEMENT)


def remove_matches(random: Floats, m: Floats, lam: float) -> Floats:
    """u of non-matches: the rates of random pairs without the matches among them."""
    u = np.maximum(random - lam * m, MIN_SHARE_OF_RANDOM * random)
    return u / u.sum()


def update_rates(counts: Floats, random: Floats, lam: float) -> tuple[Floats, Floats]:
    """m and u of one column from its expected counts; log(m / u) decreases from level to level."""
    m = (counts + PRIOR_PAIRS / len(counts)) / (counts.sum() + PRIOR_PAIRS)
    m = limit_disagreement(m)
    u = remove_matches(random, m, lam)
    ratio = np.log(m / u)
    smooth = make_decreasing(ratio, m + u)
    if not np.allclose(ratio, smooth):
        m = np.exp(smooth) * u
        m /= m.sum()
    return m, u
