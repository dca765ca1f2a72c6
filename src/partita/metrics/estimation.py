"""Precision and recall over all records, estimated from the few that are labelled.

Whole clusters (Binette et al. 2022, "Estimating the Performance of Entity Resolution
Algorithms", without their bias adjustment of order 1/clusters): all records of a sampled true
entity T are labelled, so every other record is known not to belong to it. With c the records
shared with a found entity F, whose size counts unlabelled records too, and w the weight of T,

    precision = sum w c(c-1) / sum w [c(c-1) + c(|F|-c)]
    recall    = sum w c(c-1) / sum w |T|(|T|-1)

where a wrong pair is half of each of its two true entities.

Single records: a simple random sample of m out of n. Each pair is labelled with one probability,
so the ratios of labelled pairs are consistent. For B-cubed precision the mean over labelled
records of [1 + (c-1)(n-1)/(m-1)] / |F| is unbiased, with c counted among labelled records and |F|
among all. B-cubed recall divides by sizes of true entities that such a sample does not show.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan, nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from partita.errors import InputError
from partita.kernel import Floats, Ints, Rng
from partita.metrics.codes import Labelling
from partita.metrics.table import Table, contingency

__all__ = ["Estimate", "Interval", "Intervals", "cluster_sums", "estimate"]

DESIGNS = ("records", "clusters", "clusters by size")


@dataclass(frozen=True)
class Interval:
    """An estimate with bounds; NaN where the sample has no evidence."""

    value: float
    low: float
    high: float

    def as_dict(self) -> dict[str, float | None]:
        """Return the three numbers for JSON, None where unknown."""
        parts = {"value": self.value, "low": self.low, "high": self.high}
        return {name: None if isnan(part) else part for name, part in parts.items()}


@dataclass(frozen=True)
class Intervals:
    """Precision, recall and F1, each with bounds."""

    precision: Interval
    recall: Interval
    f1: Interval

    def as_dict(self) -> dict[str, dict[str, float | None]]:
        """Return nested dictionaries for JSON."""
        parts = {"precision": self.precision, "recall": self.recall, "f1": self.f1}
        return {name: part.as_dict() for name, part in parts.items()}


@dataclass(frozen=True)
class Estimate:
    """Estimated scores of all records, and the size of the sample behind them."""

    pairwise: Intervals
    bcubed: Intervals
    interval: float
    sampled: str
    labelled: int
    records: int
    clusters: int

    def as_dict(self) -> dict[str, Any]:
        """Return plain numbers in nested dictionaries, for JSON."""
        return {
            **vars(self),
            "pairwise": self.pairwise.as_dict(),
            "bcubed": self.bcubed.as_dict(),
        }


def estimate(
    labels: Labelling,
    truth: Labelling,
    known: ArrayLike | None = None,
    interval: float = 0.95,
    seed: int = 0,
    sampled: str = "records",
    draws: int = 1000,
) -> Estimate:
    """Estimate the scores over all records, with percentile bounds of a bootstrap over clusters.

    Parameters
    ----------
    labels
        The found entity of every record, labelled or not.
    truth, known
        True labels, and where they count; as in `evaluate`.
    interval
        Probability between the bounds.
    seed, draws
        Seed and number of the bootstrap's draws.
    sampled
        The sampling design: "records", each with the same probability whatever its entity;
        "clusters", true entities with the same probability and all their records; "clusters by
        size", all records of entities that a random record selects (weight 1 / size).

    Notes
    -----
    Assumes that labels are right and that `sampled` is the design; neither can be checked here. The
    bootstrap draws labelled true entities with replacement as if independent: bounds are too narrow
    when a few of them dominate the sum or share wrong pairs, and have no width when no labelled
    record shows an error, which is not certainty. They describe repeated samples from a large
    population, so their width does not shrink to 0 when all records are labelled.

    A 0/0 is NaN here, unlike in `evaluate`: no labelled pair is no evidence. B-cubed recall and F1
    are NaN for sampled="records".
    """
    _check(interval, sampled, draws)
    table = contingency(labels, truth, known)
    clusters = len(table.true_sizes)
    if clusters < 2:
        raise InputError("truth labels 1 entity, too few for a bootstrap; label at least two")
    sums = cluster_sums(table, sampled)
    value = _scores(sums.sum(axis=0)[None, :], sampled)[0]
    resampled = _scores(_resample(sums, draws, np.random.default_rng(seed)), sampled)
    bounds = [_bound(*column, interval) for column in zip(value.tolist(), resampled.T, strict=True)]
    return Estimate(
        pairwise=Intervals(*bounds[:3]),
        bcubed=Intervals(*bounds[3:]),
        interval=float(interval),
        sampled=sampled,
        labelled=table.records,
        records=table.records + table.unlabelled,
        clusters=clusters,
    )


def _check(interval: float, sampled: str, draws: int) -> None:
    if not 0 < interval < 1:
        raise InputError(f"interval is {interval}; give a probability between 0 and 1")
    if sampled not in DESIGNS:
        raise InputError(f"sampled is {sampled!r}; give one of {', '.join(map(repr, DESIGNS))}")
    if draws < 1:
        raise InputError(f"draws is {draws}; give at least 1, better 1000")


def cluster_sums(table: Table, sampled: str) -> Floats:
    """Return the terms of each true entity (row) in the sums whose ratios are the scores.

    Columns: pairs shared, pairs found, pairs true, B-cubed precision and recall, records.
    """
    shared, true = table.shared, table.true
    by_record = sampled == "records"
    predicted_sizes = table.whole_sizes[table.predicted]
    # a random sample of records has the same share of right and of wrong pairs; a sample of
    # clusters has all wrong pairs, since every unlabelled record belongs to another entity
    inside = table.predicted_sizes[table.predicted] if by_record else predicted_sizes
    step = (table.records + table.unlabelled - 1) / max(table.records - 1, 1) if by_record else 1.0
    together = shared * (shared - 1) / 2
    columns = [
        _by(true, together),
        _by(true, together + shared * (inside - shared) / 2),
        table.true_sizes * (table.true_sizes - 1) / 2,
        _by(true, shared * (1 + (shared - 1) * step) / predicted_sizes),
        _by(true, shared * shared / table.true_sizes[true]),
        table.true_sizes.astype(float),
    ]
    weight = 1 / table.true_sizes if sampled == "clusters by size" else np.ones(len(columns[0]))
    return np.stack(columns, axis=1) * weight[:, None]


def _by(true: Ints, values: Floats) -> Floats:
    return np.bincount(true, weights=values).astype(float)


def _scores(sums: Floats, sampled: str) -> Floats:
    """Return precision, recall and F1, pairwise and B-cubed, of each row of sums."""
    shared, found_pairs, true_pairs, precision_sum, recall_sum, records = sums.T
    precision, recall = _ratio(shared, found_pairs), _ratio(shared, true_pairs)
    # the unbiased form for single records can exceed 1
    purity = np.minimum(_ratio(precision_sum, records), 1.0)
    cover = np.full(len(sums), nan) if sampled == "records" else _ratio(recall_sum, records)
    parts = [precision, recall, _f1(precision, recall), purity, cover, _f1(purity, cover)]
    return np.stack(parts, axis=1)


def _ratio(above: Floats, below: Floats) -> Floats:
    return np.divide(above, below, out=np.full(len(above), nan), where=below > 0)


def _f1(precision: Floats, recall: Floats) -> Floats:
    total = precision + recall
    none = np.where(total == 0, 0.0, nan)
    return np.divide(2 * precision * recall, total, out=none, where=total > 0)


def _resample(sums: Floats, draws: int, rng: Rng) -> Floats:
    """Sum the rows over bootstrap draws of as many rows."""
    # most clusters are small and equal, so drawing counts of distinct rows is far cheaper
    kinds, counts = np.unique(sums, axis=0, return_counts=True)
    share = counts / len(sums)
    return np.stack([rng.multinomial(len(sums), share) @ kinds for _ in range(draws)])


def _bound(value: float, resampled: Floats, interval: float) -> Interval:
    resampled = resampled[~np.isnan(resampled)]
    if isnan(value) or not len(resampled):
        return Interval(nan, nan, nan)
    low, high = np.quantile(resampled, [(1 - interval) / 2, (1 + interval) / 2])
    return Interval(value, float(low), float(high))
