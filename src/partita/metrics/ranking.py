"""Ranking metrics: average precision, mean reciprocal rank and hits at k.

With the facts of one ranking in falling order of their scores, average precision is the mean, over
the true facts, of the precision down to each: the area under the precision-recall curve (AUC-PR)
as a step function. Equal scores form one step, so the order of the input does not matter. The rank
of a true answer among all answers is 1 + the better ones + half of the equal ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from partita.errors import InputError
from partita.kernel import Floats

__all__ = ["Ranking", "average_precision", "mean_average_precision", "rank_answers"]


@dataclass(frozen=True)
class Ranking:
    """Mean reciprocal rank, and the share of ranks of at most 1, 3 and 10."""

    mrr: float
    hits_1: float
    hits_3: float
    hits_10: float
    queries: int

    @classmethod
    def of(cls, ranks: ArrayLike) -> Ranking:
        """Summarise the ranks of the true answers, which start at 1."""
        values = np.asarray(ranks, float)
        if values.ndim != 1 or not values.size or (values < 1).any():
            raise InputError(f"ranks have shape {values.shape}; give at least one rank from 1 on")
        first, three, ten = (float((values <= k).mean()) for k in (1, 3, 10))
        return cls(float((1.0 / values).mean()), first, three, ten, values.size)


def average_precision(scores: ArrayLike, truth: ArrayLike) -> float:
    """Return the average precision of a ranking; 0 where nothing is true.

    Examples
    --------
    >>> average_precision([0.9, 0.8, 0.7], [1, 0, 1])
    0.8333333333333333
    """
    values, holds = np.asarray(scores, float), np.asarray(truth)
    if values.ndim != 1 or holds.shape != values.shape or not np.isfinite(values).all():
        raise InputError(
            f"scores have shape {values.shape} and truth {holds.shape}; give one finite number "
            "and one truth for each fact"
        )
    order = np.argsort(-values, kind="stable")
    values, holds = values[order], holds[order].astype(bool)
    if not holds.any():
        return 0.0
    last = np.flatnonzero(np.append(np.diff(values) != 0, True))
    true = np.cumsum(holds)[last]
    gained = np.diff(true, prepend=0)
    return float(np.sum(gained * true / (last + 1)) / holds.sum())


def mean_average_precision(
    scores: ArrayLike, truth: ArrayLike, groups: Sequence[object], *, weighted: bool = False
) -> float:
    """Return the mean of the average precision over groups with a true fact.

    With `weighted` a group counts by its number of true facts.
    """
    values, holds, names = np.asarray(scores, float), np.asarray(truth, bool), np.asarray(groups)
    parts = [names == name for name in np.unique(names[holds])]
    precision = np.array([average_precision(values[part], holds[part]) for part in parts])
    sizes = np.array([holds[part].sum() if weighted else 1 for part in parts], float)
    return float((precision * sizes).sum() / sizes.sum()) if parts else 0.0


def rank_answers(scores: Floats, answer: int, others: Sequence[int] = ()) -> float:
    """Return the rank of one answer among all; other true answers do not count (filtered)."""
    own = scores[answer]
    better, equal = scores > own, scores == own
    skipped = [k for k in set(others) if k != answer]
    better[skipped] = equal[skipped] = False
    return float(1 + better.sum() + 0.5 * (equal.sum() - 1))
