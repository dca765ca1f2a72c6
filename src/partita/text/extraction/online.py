"""Online alternating projections (ADS 2.2): one step of both parameters for each batch of lines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partita.kernel import Floats
from partita.text.extraction.expectations import Lines

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
            at_p = lines.count_block(int(first), last, p)
            at_q = lines.count_block(int(first), last, q)
            fired = lines.count_fired(int(first), last) * lines.statistics.active
            rate = settings.rate / (1.0 + step * settings.rate / firsts.size)
            prior = settings.l2 * weights * (last - first) / count
            weights += rate * (at_q.features - at_p.features - prior) * free
            duals = np.maximum(0.0, duals + rate * (rates * fired - at_q.rules))
            step += 1
    return weights, duals
