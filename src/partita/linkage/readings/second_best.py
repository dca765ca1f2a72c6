"""The zero of links one to one: a record's second-best candidate as a decoy.

In two sources without duplicates at most one candidate of a record is its match, so the second best
one scores as a non-match. The decoy of the best non-match is extrapolated from the second and third
best score; the zero is the score at which the expected F1 is highest.
"""

from __future__ import annotations

import numpy as np

from partita.kernel import Floats, Ints

__all__ = ["find_second_best_zero"]

MIN_RECORDS = 50
"""Records with candidates below which the zero is not moved: quantiles need some.
Origin: a choice."""
MIN_MATCHED = 0.3
"""Share of records with a match from which the zero moves. Origin: twelve sets of more than 100
records, whole and cut to files that share 3 % to 60 % of their entities. By the estimate, the move
lowers F1 up to a share of .27 and raises it from .39 on. With one domain left out at a time, the
middle of that gap is .30 to .37."""
TAIL_SPACING = 2.0
"""Distance of the best non-match from the second best one, by that of the second from the third.
Origin: the expected distances of the highest values of a distribution with an exponential tail."""
QUANTILES = 200
"""Scores that are tried as the zero. Origin: a choice."""


def find_second_best_zero(
    pairs: Ints, log_odds: Floats, source: Ints, side: int | None = None
) -> float:
    """Find the log-odds from which best candidates are matches; 0 where few records have a match.

    `side` is the source whose records match at most one record; by default the smaller one.
    """
    best, second, third = _rank_candidates(pairs, log_odds, source, side)
    if best.size < MIN_RECORDS:
        return 0.0
    if _estimate_unmatched(best, second + TAIL_SPACING * (second - third)) > 1 - MIN_MATCHED:
        return 0.0
    decoy = 2 * second - third
    unmatched = _estimate_unmatched(best, decoy)
    zeros = np.unique(np.quantile(best, np.linspace(0, 1, QUANTILES)))
    accepted = (best[None, :] >= zeros[:, None]).sum(1)
    false = unmatched * (decoy[None, :] >= zeros[:, None]).sum(1)
    f1 = 2 * np.maximum(accepted - false, 0) / (accepted + (1 - unmatched) * best.size)
    return float(zeros[int(np.argmax(f1))])


def _rank_candidates(
    pairs: Ints, log_odds: Floats, source: Ints, side: int | None
) -> tuple[Floats, Floats, Floats]:
    """The three best scores of each record of a side; the lowest score where one is missing."""
    side = int(np.argmin(np.bincount(source))) if side is None else side
    record = np.concatenate([pairs[:, 0], pairs[:, 1]])
    score = np.concatenate([log_odds, log_odds])
    inside = source[record] == side
    record, score = record[inside], score[inside]
    order = np.lexsort((-score, record))
    record, score = record[order], score[order]
    first = np.flatnonzero(np.append(True, record[1:] != record[:-1])[: record.size])
    end, lowest = np.append(first[1:], record.size), float(score.min(initial=np.inf))
    best, second, third = (
        np.where(first + k < end, score[np.minimum(first + k, score.size - 1)], lowest)
        for k in range(3)
    )
    return best, second, third


def _estimate_unmatched(best: Floats, decoy: Floats) -> float:
    """The share of best scores below the median decoy, divided by that of decoys.

    Its bias, up to .2 either way, depends on the tail of the scores of non-matches.
    """
    middle = np.median(decoy)
    # many pairs agree in no column and have one score, so that the median is often a tie
    unmatched = np.mean(best <= middle) / np.mean(decoy <= middle)
    return float(np.clip(unmatched, 1 / best.size, 1.0))
