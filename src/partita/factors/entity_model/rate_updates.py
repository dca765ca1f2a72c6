"""Updates of one field's rates and concentration, given a partition.

A value is the row k_0 .. k_L, theta. Given the auxiliary variables of a `Tally` it has the density

    prod_l k_l^(a_l - 1 + t_l)  theta^t  prod_e Gamma(theta) / (Gamma(theta + n_e) Z_{n_e}),

a_l the counts of the prior and t_l the records at level l that did not copy (t all of them); K
above its cap counts as the cap. k_0 is sampled by slices because of Z_n, the rates of variants by
a Dirichlet proposal, which is exact but for the cap, and theta exactly. A proposal that moves k_0
and theta together, without auxiliary variables, lets the chain mix.
"""

from __future__ import annotations

import math
from functools import partial
from typing import NamedTuple

import numpy as np

from partita.factors.entity_model.rates import (
    LONGEST,
    MIN_RATE,
    Prior,
    log_prior,
    ratios_of,
    shortfall,
)
from partita.factors.entity_model.table import SURE
from partita.factors.entity_model.tally import Tally
from partita.factors.parameters import Gibbs, Metropolis, Slice, draw_index
from partita.kernel import Floats, Rng, gammaln

__all__ = ["Counts", "count_levels", "log_conditional", "propose_shift", "tallied_updates"]

LEAPS = (2, 8, 32)
"""Largest distances, in places of the grid, that one shift moves theta; drawn with equal chance."""
SLICE_WIDTH = 0.5
"""First width of a slice for k_0, in log-odds."""


class Counts(NamedTuple):
    """A tally with its sums by level."""

    tally: Tally
    new: Floats
    """t_l: records that did not copy, by level."""
    highest: Floats
    """The largest base of a value, by level."""


def count_levels(tally: Tally, levels: int) -> Counts:
    """The sums by level of a tally."""
    return Counts(tally, tally.counts(levels), tally.highest_base(levels))


def log_shown(theta: float | Floats, same: float, tally: Tally) -> Floats:
    """-log of the product of all Z_n, by theta."""
    lengths = np.minimum(tally.length, LONGEST - 1)
    capped = min(same, math.exp(SURE))
    return np.asarray((shortfall(theta, capped, lengths) * tally.entities).sum(1))


def log_concentration(prior: Prior, same: float, theta: Floats, counts: Counts) -> Floats:
    """Log density by theta, up to a constant."""
    tally = counts.tally
    density = counts.new.sum() * np.log(theta) + gammaln(theta) * tally.entities.sum()
    density -= (gammaln(theta[:, None] + tally.length) * tally.entities).sum(1)
    return np.asarray(density + log_shown(theta, same, tally))


def log_capped(ratios: Floats, counts: Counts) -> float:
    """The part of the log density that the cap of K takes away."""
    lost = counts.tally.same * min(SURE - ratios[0], 0.0)
    if (counts.highest[1:] + ratios[1:] <= SURE).all():
        return float(lost)
    over = SURE - counts.tally.base - ratios[counts.tally.level]
    return float(lost + (counts.tally.fresh * np.minimum(over, 0.0)).sum())


def log_conditional(prior: Prior, value: Floats, counts: Counts) -> float:
    """Log density of a value given a tally, up to a constant, on the simplex of k."""
    rates, theta = value[:-1], value[-1:]
    if rates.min() < MIN_RATE:
        return -math.inf
    density = log_prior(prior, rates) + float(counts.new @ np.log(rates))
    density += log_capped(ratios_of(prior, rates), counts)
    return density + float(log_concentration(prior, float(rates[0]), theta, counts)[0])


def with_same(value: Floats, same: float) -> Floats:
    """The value with another k_0; the other rates keep their proportions."""
    changed = value.copy()
    changed[0] = same
    changed[1:-1] *= (1.0 - same) / (1.0 - value[0])
    return changed


def log_odds(value: Floats) -> float:
    """The coordinate of k_0 along which slices are taken."""
    return math.log(value[0] / (1.0 - value[0]))


def with_log_odds(value: Floats, x: float) -> Floats:
    """The value at another coordinate."""
    return with_same(value, 1.0 / (1.0 + math.exp(-x)))


def log_density_of_odds(prior: Prior, value: Floats, counts: Counts) -> float:
    """The density of the log-odds of k_0, the proportions of the other rates held fixed."""
    same = value[0]
    if not 0.0 < same < 1.0:
        return -math.inf
    # k_l = (1 - k_0) s_l gives (1 - k_0)^(L-1), and the log-odds k_0 (1 - k_0)
    jacobian = math.log(same) + (value.size - 2) * math.log1p(-same)
    return log_conditional(prior, value, counts) + jacobian


def propose_variants(prior: Prior, rng: Rng, value: Floats, counts: Counts) -> tuple[Floats, float]:
    """Rates of variants from the Dirichlet that they have without the cap."""
    alpha = (prior.rates + counts.new)[1:]
    fresh = value.copy()
    fresh[1:-1] = (1.0 - value[0]) * rng.dirichlet(alpha)
    if fresh[:-1].min() < MIN_RATE:
        return value, -math.inf
    log_q = float(((alpha - 1.0) * (np.log(value[1:-1]) - np.log(fresh[1:-1]))).sum())
    return fresh, log_q


def draw_concentration(prior: Prior, rng: Rng, value: Floats, counts: Counts) -> Floats:
    """theta from its conditional on the grid of the prior."""
    grid = prior.concentrations
    fresh = value.copy()
    fresh[-1] = grid[draw_index(rng, log_concentration(prior, float(value[0]), grid, counts))]
    return fresh


def tallied_updates(prior: Prior) -> tuple[Slice, Metropolis, Gibbs]:
    """The updates of a field given the sums of its tally."""
    odds = partial(log_density_of_odds, prior)
    return (
        Slice(log_odds, with_log_odds, odds, SLICE_WIDTH),
        Metropolis(partial(propose_variants, prior), partial(log_conditional, prior)),
        Gibbs(partial(draw_concentration, prior)),
    )


def propose_shift(prior: Prior, rng: Rng, value: Floats) -> tuple[Floats, float]:
    """Another theta with the k_0 that keeps (1 - k_0) theta / (1 + theta), and the log Jacobian.

    Two records of an entity differ with a probability near that product, which the data determine;
    they determine less how it splits into the two.
    """
    grid, theta = prior.concentrations, float(value[-1])
    at = int(np.abs(grid - theta).argmin())
    reach = LEAPS[int(rng.random() * len(LEAPS))]
    distance = 1 + int(rng.random() * reach)
    to = at + (distance if rng.random() < 0.5 else -distance)
    if not 0 <= to < grid.size:
        return value, -math.inf
    other = float(grid[to])
    factor = (theta / (1.0 + theta)) * ((1.0 + other) / other)
    same = 1.0 - (1.0 - value[0]) * factor
    if not same > MIN_RATE:
        return value, -math.inf
    fresh = with_same(value, same)
    fresh[-1] = other
    if fresh[:-1].min() < MIN_RATE:
        return value, -math.inf
    # all rates but k_0, which are coordinates of the simplex, are multiplied by the factor
    return fresh, (value.size - 2) * math.log(factor)
