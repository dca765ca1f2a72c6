"""Online alternating projections (ADS 2.2): one step of both parameters for each batch of lines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partita.kernel import Floats
from partita.text.extraction.expectations import Lines
from partita.text.extraction.segment_weights import Parts
from partita.text.extraction.semi_markov import sum_segments

__all__ = ["OnlineSettings", "project_online"]


@dataclass(frozen=True)
class OnlineSettings:
    """Settings of online training."""

    passes: int = 3
    """Passes over the lines."""
    rate: float = 0.1
    """First learning rate; step t has the rate 1 / (t + 1 / rate), counted in passes."""
    batch: int = 20
    """Lines of one step; 1 as in the paper."""
    l2: float = 1.0
    """Precision of the Gaussian prior of the weights."""
    seed: int = 0
    """Seed of the order of the batches."""


def project_online(
    lines: Lines, rates: Floats, free: Floats, settings: OnlineSettings | None = None
) -> tuple[Floats, Floats]:
    """Fit weights and duals to target rates of rules; return both.

    lambda += eta (u - E_q[G']), lambda >= 0, and theta += eta (E_q[G] - E_p[G] - alpha theta / n)
    after each batch of lines.

    Parameters
    ----------
    rates
        The target share of firings at which each rule holds.
    free
        1 for weights that are fitted, else 0.
    """
    settings = settings or OnlineSettings()
    weights, duals = np.zeros(lines.layout.size), np.zeros(rates.size)
    count = lines.attributes.start.size - 1
    order = np.random.default_rng(settings.seed)
    firsts, step = np.arange(0, count, settings.batch), 0
    for _ in range(settings.passes):
        for first in order.permutation(firsts):
            last = min(count, int(first) + settings.batch)
            p, q = lines.weigh(weights), lines.weigh(weights, duals)
            free_counts, _, _ = count_batch(lines, int(first), last, p)
            held_counts, held, fired = count_batch(lines, int(first), last, q)
            rate = settings.rate / (1.0 + step * settings.rate / firsts.size)
            prior = settings.l2 * weights * (last - first) / count
            weights += rate * (held_counts - free_counts - prior) * free
            duals = np.maximum(0.0, duals + rate * (rates * fired - held))
            step += 1
    return weights, duals


def count_batch(lines: Lines, first: int, last: int, parts: Parts) -> tuple[Floats, Floats, Floats]:
    """Return expected features, expected statistics of rules and their firings of a few lines."""
    attributes = lines.attributes.take(first, last)
    sums = sum_segments(lines.score(first, last, parts))
    counts = lines.layout.count(attributes, sums)
    rows = lines.vocabulary.rule_rows
    held = (counts.inside[rows] * lines.statistics.allowed).sum(1)
    fired = np.asarray(attributes.inside.sum(0)).ravel()[rows]
    return lines.layout.pack(counts), held, fired * lines.statistics.active
