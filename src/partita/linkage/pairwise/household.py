"""Related pairs: records that share much without being one entity.

Members of a household are such, and papers of the same authors. Where such pairs are many, the
likeliest two classes are "related" and "random", and EM takes the first for matches. So the matches
that EM found are split in two: those that agree throughout (m), and those that differ in some
columns as random pairs do, or are merely alike in a column that is like a key (r). If there are
such, and many,

    S = log lam + sum_q log(m_q / u_q) - log(1 + rho prod_q r_q / u_q) + rarity

compares a match with both others; rho is the odds of a related pair against a random one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.kernel import Floats, entry
from partita.linkage.pairwise.level_rates import PRIOR, falling, guarded
from partita.linkage.pairwise.patterns import Patterns, added, by_levels, table_of

__all__ = ["Related", "related_pairs", "relief"]

STEPS, NEAR = 60, 1e-3
FAR = 200.0
"""Log-odds so large that no pair is random."""
STRANGE, ALIKE = 0.8, 0.25
"""A column tells related pairs from matches if the first differ in it at least this many times as
often as random pairs do, and of the second at most this share does."""
TELLING, LEAST_U = 2, 0.5
"""At least so many columns must tell, of those in which random pairs mostly differ."""
MOVABLE = frozenset({"address", "postcode", "phone", "email", "category"})
"""Kinds of columns that all change when one person moves: they alone tell no relatives."""
KEY, OWN, FOREIGN, FILLED = 1e-3, 0.75, 0.25, 0.5
"""A column is like a key if so few random pairs agree in it closely and so many pairs have it.
Matches agree in it closely at least this often, related pairs at most that often."""
CLOSE = 2
"""Levels that are close agreement: equal, and the next."""
WEAKER = 0.3
"""The share of their evidence in all other columns that related pairs must lack at least."""
LEAST_RELATED, FEW_RELATED = 0.3, 0.05
"""Related pairs matter if they are at least this many times as many as matches; that many suffice
where still more columns tell."""
FEW_DIFFER, SOME_DIFFER = 0.2, 0.34
"""Shares of columns that differ, below which a pair begins as a match, or as either."""


class Related(NamedTuple):
    """How often related pairs show each level, by column, and their odds against random pairs."""

    r: list[Floats]
    odds: float


class Split(NamedTuple):
    """Matches and related pairs: how often each show each level, by column, and their numbers."""

    m: list[Floats]
    r: list[Floats]
    matches: float
    related: float


@entry
def _divide(patterns: Patterns, one: Floats, two: Floats, priors: Floats, expected: Floats) -> None:
    """Expected counts of levels among matches (0) and related pairs (1); totals stand at -1."""
    for k in range(patterns.pairs.size):
        a = priors[0] + added(patterns, one, k)
        b = priors[1] + added(patterns, two, k)
        top = max(a, b, 0.0)
        x, y, z = math.exp(a - top), math.exp(b - top), math.exp(-top)
        for c in range(2):
            share = patterns.pairs[k] * (x if c == 0 else y) / (x + y + z)
            for q in range(one.shape[0]):
                expected[c, q, patterns.levels[k, q] + 1] += share
            expected[c, one.shape[0], 0] += share


def relief(
    related: Related, u: Sequence[Floats], levels: NDArray[np.int8], rarity: Floats
) -> Floats:
    """-log(1 + rho prod r / u) of each pair: what comes off because relatives agree as well."""
    score = _sums(table_of(related.r, u), levels)
    return -np.logaddexp(0.0, math.log(related.odds) + rarity + score)


def _sums(table: Floats, levels: NDArray[np.int8]) -> Floats:
    """The sum over columns of what each row of levels shows."""
    total = np.zeros(len(levels))
    for q in range(levels.shape[1]):
        total += table[q, levels[:, q] + 1]
    return total


def related_pairs(
    patterns: Patterns,
    m: Sequence[Floats],
    u: Sequence[Floats],
    lam: float,
    everything: float,
    kinds: Sequence[str],
) -> tuple[list[Floats], float, Related] | None:
    """New m and lam, and the related pairs; None where the matches are of one piece.

    The matches that EM found are divided first, with all other pairs left out. Only if that shows
    relatives among them are all pairs divided into matches, relatives and random ones.
    """
    # beside matches and relatives alone, what a pattern's rarity adds to both has no part
    taken = by_levels(_matches(patterns, table_of(m, u), lam), [len(one) for one in u])
    for first in (_by_columns(taken, u), _by_key(taken, u, kinds)):
        if first is None:
            continue
        expected = _divided(taken, u, everything, _counted(taken, first, u), FAR)
        if _relatives(expected, u, kinds) is None:
            continue
        expected = _divided(patterns, u, everything, expected, 0.0)
        found = _relatives(expected, u, kinds)
        if found is not None:
            related = Related(found.r, found.related / everything)
            return found.m, found.matches / everything, related
    return None


def _matches(patterns: Patterns, table: Floats, lam: float) -> Patterns:
    """The patterns, each with the number of its pairs that EM took for matches."""
    score = math.log(lam / (1 - lam)) + patterns.offset + _sums(table, patterns.levels)
    return patterns._replace(pairs=patterns.pairs / (1.0 + np.exp(-np.clip(score, -60, 60))))


def _divided(
    patterns: Patterns, u: Sequence[Floats], everything: float, expected: Floats, boost: float
) -> Floats:
    """Expected counts among matches and relatives, by EM; a large boost leaves random pairs out."""
    for _ in range(STEPS):
        now = _split(expected, u)
        priors = np.log(np.maximum([now.matches, now.related], 1e-3) / everything) + boost
        before, expected = expected, np.zeros_like(expected)
        _divide(patterns, table_of(now.m, u), table_of(now.r, u), priors, expected)
        if np.abs(expected - before).max() < NEAR * max(1.0, float(expected[:, -1, 0].sum())):
            break
    return expected


def _relatives(expected: Floats, u: Sequence[Floats], kinds: Sequence[str]) -> Split | None:
    """The profiles, if relatives are many and some columns tell them from matches."""
    found = _split(expected, u)
    telling = [q for q in range(len(u)) if _tells(found.m[q], found.r[q], u[q])]
    least = LEAST_RELATED if len(telling) <= TELLING else FEW_RELATED
    if found.related < least * found.matches:
        return None
    apart = len(telling) >= TELLING and not {kinds[q] for q in telling} <= MOVABLE
    return found if apart or _apart_by_key(expected, found, u, kinds) else None


def _apart_by_key(
    expected: Floats, split: Split, u: Sequence[Floats], kinds: Sequence[str]
) -> bool:
    """Whether a column that is like a key tells the two, such as the title of a paper.

    Papers of the same authors may be alike in every column, in titles as well. But matches that
    merely differ in a key, such as a second address, are as alike as others in all else.
    """
    keys, own, lost = 0, 0.0, 0.0
    for q, (a, b, other) in enumerate(zip(split.m, split.r, u, strict=True)):
        filled = 1.0 - float(expected[:, q, 0].sum() / max(expected[:, -1, 0].sum(), 1e-9))
        close = [float(one[:CLOSE].sum()) for one in (a, b, other)]
        own_only = close[0] >= OWN and close[1] <= FOREIGN
        if own_only and close[2] <= KEY and filled >= FILLED and kinds[q] not in MOVABLE:
            keys += 1
            continue
        own += filled * float(a @ np.log(a / other))
        lost += filled * float((a - b) @ np.log(a / other))
    return keys > 0 and lost >= WEAKER * own


def _tells(m: Floats, r: Floats, u: Floats) -> bool:
    """Whether related pairs differ in a column as random ones do, and matches agree."""
    return bool(u[-1] >= LEAST_U and r[-1] >= STRANGE * u[-1] and m[-1] <= ALIKE)


def _split(expected: Floats, u: Sequence[Floats]) -> Split:
    """What expected counts say of matches and of related pairs."""
    m, r = [], []
    for q, one in enumerate(u):
        shares = expected[:, q, 1 : 1 + len(one)] + PRIOR / len(one)
        shares /= shares.sum(1, keepdims=True)
        m.append(guarded(shares[0]))
        r.append(_never_more_alike(shares[1], m[q]))
    return Split(m, r, float(expected[0, -1, 0]), float(expected[1, -1, 0]))


def _never_more_alike(r: Floats, m: Floats) -> Floats:
    """The nearest profile of related pairs for which log(m / r) falls from level to level."""
    found = m * np.exp(-falling(np.log(m / r), m + r))
    return np.asarray(found / found.sum(), float)


def _by_columns(matches: Patterns, u: Sequence[Floats]) -> Floats:
    """P(match) of each pattern to begin with, by how many of its columns differ altogether."""
    last = np.array([len(one) - 1 for one in u])
    differ = (matches.levels == last).sum(1) / np.maximum(1, (matches.levels >= 0).sum(1))
    return np.where(differ < FEW_DIFFER, 0.95, np.where(differ < SOME_DIFFER, 0.5, 0.05))


def _by_key(matches: Patterns, u: Sequence[Floats], kinds: Sequence[str]) -> Floats | None:
    """The same by close agreement in the column that is most like a key, if one is."""
    rare = [float(one[:CLOSE].sum()) for one in u]
    filled = matches.pairs @ (matches.levels >= 0) / max(float(matches.pairs.sum()), 1e-9)
    keys = [
        q
        for q, kind in enumerate(kinds)
        if rare[q] <= KEY and filled[q] >= FILLED and kind not in MOVABLE
    ]
    if not keys:
        return None
    level = matches.levels[:, min(keys, key=lambda q: rare[q])]
    return np.where(level < 0, 0.5, np.where(level < CLOSE, 0.95, 0.05))


def _counted(matches: Patterns, match: Floats, u: Sequence[Floats]) -> Floats:
    """Expected counts among matches and relatives, if `match` is P(match) of each pattern."""
    levels, weight = matches.levels, matches.pairs
    width = 1 + max(map(len, u))
    expected = np.zeros((2, levels.shape[1] + 1, width))
    for c, share in enumerate((match, 1.0 - match)):
        for q in range(levels.shape[1]):
            expected[c, q] = np.bincount(levels[:, q] + 1, weight * share, minlength=width)
        expected[c, -1, 0] = (weight * share).sum()
    return expected
