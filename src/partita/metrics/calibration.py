"""Calibration: a share p of the pairs with probability p should be the same entity.

With bins b of n_b pairs, mean probability p_b and observed share o_b, the expected calibration
error is sum n_b / n |p_b - o_b| (Naeini et al. 2015, with bins of equal width; Nguyen and O'Connor
2015, of equal mass). Brier score: mean (p - same)^2. Log loss: minus the mean log probability of
the observed outcome.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partita.errors import InputError
from partita.kernel import Floats, Ints

__all__ = ["Calibration", "Reliability", "calibration"]

MIN_PROBABILITY = float(np.finfo(float).eps)
"""Floor of the log loss: a certain and wrong probability costs 36 instead of infinity."""


@dataclass(frozen=True, eq=False)
class Reliability:
    """One entry for each bin that contains a pair: edges, mean p, observed share and count."""

    low: Floats
    high: Floats
    mean_p: Floats
    observed: Floats
    count: Ints

    @property
    def error(self) -> float:
        """Return the expected calibration error over these bins."""
        gaps = np.abs(self.mean_p - self.observed)
        return float(np.sum(self.count * gaps) / self.count.sum())

    def as_dict(self) -> dict[str, list[float]]:
        """Return the columns as lists, for JSON."""
        return {name: column.tolist() for name, column in vars(self).items()}


@dataclass(frozen=True, eq=False)
class Calibration:
    """Scores of probabilities, and the reliability tables behind the calibration errors."""

    ece_width: float
    ece_mass: float
    brier: float
    log_loss: float
    pairs: int
    by_width: Reliability
    by_mass: Reliability

    def as_dict(self) -> dict[str, Any]:
        """Return plain numbers and lists in nested dictionaries, for JSON."""
        tables = {"by_width": self.by_width.as_dict(), "by_mass": self.by_mass.as_dict()}
        return {**vars(self), **tables}


def calibration(p: ArrayLike, same: ArrayLike, bins: int = 10) -> Calibration:
    """Compare probabilities with the truth.

    Parameters
    ----------
    p
        Probability of each pair (or of any event), between 0 and 1.
    same
        Whether the event occurred: True or False, or 1 and 0.
    bins
        Number of bins. Bins of equal width are [0, 1/bins), ..., the last including 1. Bins of
        equal mass hold about as many pairs each, but equal p share a bin: a posterior has many
        pairs at exactly 0 and 1, which form bins of their own.

    Examples
    --------
    >>> result = calibration([0.1, 0.1, 0.9, 0.9], [0, 0, 1, 0], bins=2)
    >>> round(result.ece_width, 3), round(result.brier, 3)
    (0.25, 0.21)
    """
    chance, event = _check(p, same, bins)
    likelihood = np.where(event, chance, 1 - chance)
    by_width, by_mass = _equal_width(chance, event, bins), _equal_mass(chance, event, bins)
    return Calibration(
        ece_width=by_width.error,
        ece_mass=by_mass.error,
        brier=float(np.mean((chance - event) ** 2)),
        log_loss=float(-np.mean(np.log(np.maximum(likelihood, MIN_PROBABILITY)))),
        pairs=len(chance),
        by_width=by_width,
        by_mass=by_mass,
    )


def _check(p: ArrayLike, same: ArrayLike, bins: int) -> tuple[Floats, NDArray[np.bool_]]:
    if isinstance(bins, bool) or not isinstance(bins, int | np.integer) or bins < 1:
        raise InputError(f"bins is {bins!r}; give a whole number, 1 or more")
    chance, event = np.asarray(p, dtype=float), np.asarray(same)
    if chance.ndim != 1 or not len(chance):
        raise InputError(f"p has the shape {chance.shape}; give one probability per pair, in a row")
    if event.shape != chance.shape:
        raise InputError(
            f"p has the shape {chance.shape} and same {event.shape}; give one of each per pair"
        )
    out_of_range = ~((chance >= 0) & (chance <= 1))
    if out_of_range.any():
        where = int(np.argmax(out_of_range))
        raise InputError(f"p is {chance[where]} at {where}; give probabilities between 0 and 1")
    non_binary = (event != 0) & (event != 1)
    if np.any(non_binary):
        where = int(np.argmax(non_binary))
        raise InputError(f"same is {event[where]!r} at {where}; give True or False")
    return chance, event == 1


def _equal_width(p: Floats, event: NDArray[np.bool_], bins: int) -> Reliability:
    edges = np.linspace(0, 1, bins + 1)
    # compare with the edges: p * bins rounds 0.29 * 100 down into the bin below
    place = np.searchsorted(edges[1:-1], p, side="right")
    used, mean_p, observed, count = _bin(place, p, event)
    return Reliability(edges[used], edges[used + 1], mean_p, observed, count)


def _equal_mass(p: Floats, event: NDArray[np.bool_], bins: int) -> Reliability:
    order = np.argsort(p)
    p, event = p[order], event[order]
    rank = np.arange(len(p))
    # rank of the first among equal values
    first = np.maximum.accumulate(np.where(np.diff(p, prepend=-1.0) > 0, rank, 0))
    _, mean_p, observed, count = _bin(first * bins // len(p), p, event)
    last = np.cumsum(count)
    return Reliability(p[last - count], p[last - 1], mean_p, observed, count)


def _bin(place: Ints, p: Floats, event: NDArray[np.bool_]) -> tuple[Ints, Floats, Floats, Ints]:
    """Return the bins in use: mean p, share of events and number of pairs of each."""
    count = np.bincount(place)
    used = np.flatnonzero(count)
    count = count[used]
    mean_p = np.bincount(place, weights=p)[used] / count
    observed = np.bincount(place, weights=event)[used] / count
    return used, mean_p, observed, count
