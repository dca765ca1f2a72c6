"""The zero of links one to one: a record's second-best candidate as a decoy.

In two sources without duplicates at most one candidate of a record is its match, so the second best
one scores as a non-match. The decoy of the best non-match is extrapolated from the second and third
best score; the zero is the score at which the expected F1 is highest.

Records of both sources compete for their matches, so the best candidates are a greedy matching of
the two sources. The second-best candidates are a matching of the pairs that the first one leaves,
and the third best follow in the same way.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from partita.kernel import Floats, Ints, entry

__all__ = ["find_second_best_zero", "match_greedily"]

MIN_RECORDS = 50
"""Records with candidates below which the zero is not moved: quantiles need some.
Origin: a choice."""
MIN_MATCHED = 0.3
"""Share of records with a match from which the zero moves. Origin: fourteen sets, whole and cut to
files that share 2 % to 99 % of their entities. By the estimate, the move lowers F1 by up to .58 for
shares up to .26, and by .03 at most from .32 on."""
TAIL_SPACING = 2.0
"""Distance of the best non-match from the second best one, by that of the second from the third,
where records of one side do not compete. Origin: the expected distances of the highest values of a
distribution with an exponential tail."""
QUANTILES = 200
"""Scores that are tried as the zero. Origin: a choice."""


def find_second_best_zero(
    pairs: Ints, log_odds: Floats, source: Ints, side: int | None = None
) -> float:
    """Find the log-odds from which best candidates are matches; 0 where few records have a match.

    `side` is the source whose records match at most one record each, if those of the other source
    may match several; by default links are one to one.
    """
    best, second, third = _rank_candidates(pairs, log_odds, source, side)
    if best.size < MIN_RECORDS:
        return 0.0
    decoy = 2 * second - third
    tail = decoy if side is None else second + TAIL_SPACING * (second - third)
    if _estimate_unmatched(best, tail) > 1 - MIN_MATCHED:
        return 0.0
    unmatched = _estimate_unmatched(best, decoy)
    zeros = np.unique(np.quantile(best, np.linspace(0, 1, QUANTILES)))
    accepted = (best[None, :] >= zeros[:, None]).sum(1)
    false = unmatched * (decoy[None, :] >= zeros[:, None]).sum(1)
    f1 = 2 * np.maximum(accepted - false, 0) / (accepted + (1 - unmatched) * best.size)
    return float(zeros[int(np.argmax(f1))])


def _rank_candidates(
    pairs: Ints, log_odds: Floats, source: Ints, side: int | None
) -> tuple[Floats, Floats, Floats]:
    """The scores of three successive matchings, by record of a side.

    With links one to one the side is the smaller source. A record without a pair in a matching has
    the lowest score.
    """
    first = int(np.argmin(np.bincount(source))) if side is None else side
    is_first = source[pairs[:, 0]] == first
    record, other = np.where(is_first, *pairs.T), np.where(is_first, *pairs.T[::-1])
    order = np.argsort(-log_odds, kind="stable")
    records = np.unique(record)
    ranks = []
    for _ in range(3):
        score = np.full(source.size, log_odds.min(initial=np.inf))
        chosen = match_greedily(record[order], other[order], source.size, side is None)
        score[record[order[chosen]]] = log_odds[order[chosen]]
        ranks.append(score[records])
        order = order[~chosen]
    best, second, third = ranks
    return best, second, third


@entry
def _mark_matching(
    record: Ints, other: Ints, taken: NDArray[np.bool_], exclusive: bool, chosen: NDArray[np.bool_]
) -> None:
    for p in range(record.size):
        if taken[record[p]] or (exclusive and taken[other[p]]):
            continue
        taken[record[p]] = True
        taken[other[p]] = exclusive
        chosen[p] = True


def match_greedily(record: Ints, other: Ints, n: int, exclusive: bool) -> NDArray[np.bool_]:
    """Mark the pairs of a greedy matching; pairs come in descending order of their scores.

    Each record has one pair at most; with `exclusive`, so has each of the others.
    """
    chosen = np.zeros(record.size, np.bool_)
    _mark_matching(record, other, np.zeros(n, np.bool_), exclusive, chosen)
    return chosen


def _estimate_unmatched(best: Floats, decoy: Floats) -> float:
    """The share of best scores below the median decoy, divided by that of decoys.

    Its bias, up to .2 either way, depends on the tail of the scores of non-matches.
    """
    middle = np.median(decoy)
    # many pairs agree in no column and have one score, so that the median is often a tie
    unmatched = np.mean(best <= middle) / np.mean(decoy <= middle)
    return float(np.clip(unmatched, 1 / best.size, 1.0))
