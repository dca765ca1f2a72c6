"""Rates and concentrations of the urn, drawn given a partition.

Of one record of an entity, k_0 = P(it shows the latent value) and k_l = P(a variant at level l),
so that K(x|y) = phi(x) k_l / u_l, with u_l the share of random pairs of values at that level. The
prior is a Dirichlet on k and equal chances for each of some concentrations theta, by field.

The urn sums over latent values that a record shows. It is then a distribution of the n records of
an entity given that one of them shows y, whose probability is

    Z_n = 1 - Gamma(theta (1 - k_0) + n) Gamma(theta) / (Gamma(theta (1 - k_0)) Gamma(theta + n)),

and entities score LLR - log Z_n: the whole is a generative model that can be simulated.

Given a partition, each entity draws its latent value y and, for each value that it shows, how many
of the records did not copy: t of count c are new with chance w / (w + j), j = 0 .. c - 1. These
make the rates of variants a Dirichlet again, but for K that reach 1, which an acceptance test takes
up; k_0 is drawn by slice sampling (Neal 2003) because of Z_n, and theta is a choice among few.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from partita.errors import InputError
from partita.factors.entity_model.cache import COUNT, DISTINCT, PLACE, Shown
from partita.factors.entity_model.table import CAP, FAR, SAME, SURE, Near, cell
from partita.factors.template import finite
from partita.kernel import Floats, Ints, Rng, entry, gammaln, kernel
from partita.states import Partition

__all__ = [
    "LONGEST",
    "Prior",
    "RatePrior",
    "Tally",
    "checked_prior",
    "draw_rates",
    "log_prior",
    "ratios_of",
    "shifted",
    "shortfall",
    "start_rates",
    "tallied",
]

LONGEST = 256
"""Z_n of longer entities is taken to be that of this length."""
LEAST_RATE = 1e-9
"""Rates below are impossible."""
LEAPS = (2, 8, 32)
"""How far theta may move among its values at once."""
WIDTH = 0.5
"""The first width of a slice, in log-odds."""


@dataclass(frozen=True)
class RatePrior:
    """What is believed of a field's rates and concentration before the records are seen.

    Parameters
    ----------
    rates
        Counts of a Dirichlet distribution, by level: equal first, unlike last.
    background
        u by level: how often two random values are at it. The first is not used.
    concentrations
        Values of theta, all as likely.
    """

    rates: ArrayLike
    background: ArrayLike
    concentrations: ArrayLike = (0.3, 1.0, 3.0, 10.0, 30.0, 100.0)


class Prior(NamedTuple):
    """A RatePrior whose numbers were checked."""

    rates: Floats
    background: Floats
    concentrations: Floats


class Places(NamedTuple):
    """Room for a tally, as kernels fill it."""

    level: Ints
    base: Floats
    fresh: Ints
    lengths: Ints
    """The number of entities by how many records show the field."""
    last: int
    """The level of values that are not listed as alike."""


class Tally(NamedTuple):
    """What the entities of a partition show of one field, with drawn latent values and copies."""

    level: Ints
    """By value that is not the latent one of its entity: how far it is from that,"""
    base: Floats
    """log K less log (k / u),"""
    fresh: Ints
    """and how many records did not copy it."""
    same: int
    """Records that show the latent value without having copied it."""
    length: Ints
    """How many records of an entity show the field, from 2 on,"""
    entities: Ints
    """and of how many entities."""


@kernel
def uncopied(rng: Rng, weight: float, count: int) -> int:
    """How many of `count` records with one value did not copy it."""
    new = 1
    for j in range(1, count):
        if rng.random() * (weight + j) < weight:
            new += 1
    return new


@kernel
def draw_latent(rng: Rng, shown: Shown, start: int, distinct: int) -> int:
    """The number of a distinct value, drawn by its share as the latent one."""
    left, held = rng.random(), -1
    for k in range(distinct):
        share = shown.parts[start + 2 * k + 1]
        if share > 0.0:
            held = k
            left -= share
            if left < 0.0:
                break
    return held


@kernel(inline=False)
def tally_row(
    rng: Rng,
    shown: Shown,
    near: Near,
    rate: Floats,
    row: int,
    tally: Places,
    at: int,
) -> tuple[int, int]:
    """Add what one entity shows to the tally from place `at`; returns the next, and new equals."""
    start, distinct, same = shown.head[row, PLACE], shown.head[row, DISTINCT], 0
    latent = draw_latent(rng, shown, start, distinct)
    y = shown.cells[start + 2 * latent]
    for k in range(distinct):
        x, count = shown.cells[start + 2 * k], shown.cells[start + 2 * k + 1]
        if k == latent:
            same = uncopied(rng, rate[SAME], count)
            continue
        f, alike = shown.parts[start + 2 * k], cell(near, y, x)
        weight = min(rate[CAP], (near.factor[alike] if alike >= 0 else rate[FAR]) * f)
        tally.level[at] = near.level[alike] if alike >= 0 else tally.last
        tally.base[at] = math.log(f * near.times[alike] if alike >= 0 else f)
        tally.fresh[at] = uncopied(rng, weight, count)
        at += 1
    return at, same


@entry
def tally_all(
    rng: Rng,
    shown: Shown,
    near: Near,
    rate: Floats,
    state: Partition,
    field: int,
    fields: int,
    tally: Places,
) -> tuple[int, int]:
    """Fill a tally from all entities; returns how many places it has, and new equals."""
    at, same = 0, 0
    for k in range(state.live[0]):
        row = state.ids[k] * fields + field
        count = shown.head[row, COUNT]
        tally.lengths[count] += 1
        if shown.head[row, DISTINCT] > 1:
            at, more = tally_row(rng, shown, near, rate, row, tally, at)
            same += more
        elif count > 1:
            same += uncopied(rng, rate[SAME], count)
    return at, same


def tallied(
    rng: Rng,
    shown: Shown,
    near: Near,
    rate: Floats,
    state: Partition,
    field: int,
    levels: int,
) -> Tally:
    """What the entities show of a field; the shares of latent values must be fresh."""
    n = state.entity.size
    whole, fields = np.zeros((3, n + 1), np.int64), shown.level.size // (n + 1)
    places = Places(whole[0], np.zeros(n), whole[1], whole[2], levels - 1)
    at, same = tally_all(rng, shown, near, rate, state, field, fields, places)
    length = 2 + np.flatnonzero(places.lengths[2:])
    return Tally(
        places.level[:at],
        places.base[:at],
        places.fresh[:at],
        same,
        length,
        places.lengths[length],
    )


def checked_prior(given: RatePrior, levels: int, what: str) -> Prior:
    """The numbers of a prior, or an InputError."""
    found = Prior(*(finite(one, f"{what}: prior") for one in vars(given).values()))
    for name, one in zip(("rates", "background"), found[:2], strict=True):
        if one.shape != (levels,) or (one <= 0).any():
            raise InputError(f"{what}: {name} of the prior has {one}; give {levels} positive ones")
    if found.concentrations.ndim != 1 or not found.concentrations.size:
        raise InputError(f"{what}: the prior has no concentrations; give some")
    if (found.concentrations <= 0).any():
        raise InputError(f"{what}: the prior has {found.concentrations.min()}; give positive ones")
    return found


def shortfall(theta: float | Floats, same: float, lengths: Ints | None = None) -> Floats:
    """-log Z_n by theta and n, which is 0 .. LONGEST - 1 if not given; 0 for n below 2."""
    n = np.arange(LONGEST) if lengths is None else lengths
    t, wrong = np.atleast_1d(theta)[:, None], np.atleast_1d(theta * (1.0 - same))[:, None]
    missed = gammaln(wrong + n) - gammaln(wrong) - gammaln(t + n) + gammaln(t)
    found = -np.log1p(-np.exp(np.minimum(missed, -1e-12)))
    return np.where(n < 2, 0.0, found)


def sliced(rng: Rng, score: Callable[[float], float], x: float) -> float:
    """One step of slice sampling by stepping out and shrinking (Neal 2003), from x."""
    floor = score(x) + math.log(rng.random())
    low = x - WIDTH * rng.random()
    high = low + WIDTH
    while score(low) > floor:
        low -= WIDTH
    while score(high) > floor:
        high += WIDTH
    while True:
        fresh = low + (high - low) * rng.random()
        if score(fresh) > floor:
            return float(fresh)
        if fresh < x:
            low = fresh
        else:
            high = fresh


def log_prior(prior: Prior, rates: Floats) -> float:
    """Log density of the rates, but for a constant."""
    if rates.min() < LEAST_RATE:
        return -math.inf
    return float(((prior.rates - 1.0) * np.log(rates)).sum())


def ratios_of(prior: Prior, rates: Floats) -> Floats:
    """log k_0, then log (k / u) of each level."""
    found = np.log(rates / prior.background)
    found[0] = math.log(rates[0])
    return np.asarray(found)


def _log_shown(theta: float | Floats, same: float, tally: Tally) -> Floats:
    """-log of all Z_n, by theta."""
    lengths = np.minimum(tally.length, LONGEST - 1)
    return np.asarray((shortfall(theta, same, lengths) * tally.entities).sum(1))


def _beyond(prior: Prior, rates: Floats, tally: Tally) -> float:
    """What is lost because no K exceeds that of a sure variant."""
    peak = np.full(rates.size, -math.inf)
    np.maximum.at(peak, tally.level, tally.base)
    ratio = ratios_of(prior, rates)
    if (peak + ratio <= SURE).all():
        return 0.0
    over = SURE - tally.base - ratio[tally.level]
    return float((tally.fresh * np.minimum(over, 0.0)).sum())


def _with_same(rates: Floats, same: float) -> Floats:
    """The rates with another k_0."""
    return np.concatenate([[same], rates[1:] * ((1.0 - same) / (1.0 - rates[0]))])


def _new_same(rng: Rng, prior: Prior, rates: Floats, theta: float, tally: Tally) -> float:
    """k_0 given how many records did not copy, by slice sampling of log(k_0 / (1 - k_0))."""
    equal = prior.rates[0] + tally.same
    other = prior.rates[1:].sum() + tally.fresh.sum()

    def score(x: float) -> float:
        same = 1.0 / (1.0 + math.exp(-x))
        capped = min(same, math.exp(SURE))
        found = equal * math.log(same) + other * math.log1p(-same)
        # beyond the cap, equal values weigh as they do at it
        found += tally.same * (math.log(capped) - math.log(same))
        changed = _with_same(rates, same)
        if changed.min() < LEAST_RATE:
            return -math.inf
        found += _beyond(prior, changed, tally)
        return found + float(_log_shown(theta, capped, tally)[0])

    x = sliced(rng, score, math.log(rates[0] / (1.0 - rates[0])))
    return 1.0 / (1.0 + math.exp(-x))


def _new_others(rng: Rng, prior: Prior, rates: Floats, tally: Tally) -> Floats:
    """The rates of variants given k_0: a Dirichlet, but for K that reach 1."""
    counts = prior.rates + np.bincount(tally.level, tally.fresh, rates.size)
    fresh = np.concatenate([rates[:1], (1.0 - rates[0]) * rng.dirichlet(counts[1:])])
    if fresh.min() < LEAST_RATE:
        return rates
    gain = _beyond(prior, fresh, tally) - _beyond(prior, rates, tally)
    return fresh if math.log(rng.random()) < gain else rates


def _new_theta(rng: Rng, prior: Prior, rates: Floats, tally: Tally) -> float:
    grid = prior.concentrations
    new = tally.same + tally.fresh.sum()
    score = new * np.log(grid) + gammaln(grid) * tally.entities.sum()
    score -= (gammaln(grid[:, None] + tally.length) * tally.entities).sum(1)
    score += _log_shown(grid, min(rates[0], math.exp(SURE)), tally)
    share = np.exp(score - score.max())
    return float(grid[rng.choice(grid.size, p=share / share.sum())])


def draw_rates(
    rng: Rng, prior: Prior, rates: Floats, theta: float, tally: Tally
) -> tuple[Floats, float]:
    """Rates and concentration of one field, given what its entities show."""
    rates = _with_same(rates, _new_same(rng, prior, rates, theta, tally))
    rates = _new_others(rng, prior, rates, tally)
    return rates, _new_theta(rng, prior, rates, tally)


def shifted(rng: Rng, prior: Prior, rates: Floats, theta: float) -> tuple[Floats, float, float]:
    """Another theta with the k_0 that goes with it, and the log weight of that proposal.

    Two records of an entity differ with a chance near (1 - k_0) theta / (1 + theta), which the data
    tell; how it is made up they tell less. So that product is kept. The weight is that of the
    prior, with the derivative of the new k_0 by the old.
    """
    grid = prior.concentrations
    at = int(np.abs(grid - theta).argmin())
    reach = int(LEAPS[int(rng.integers(len(LEAPS)))])
    to = at + int(rng.integers(1, reach + 1)) * (1 if rng.random() < 0.5 else -1)
    if not 0 <= to < grid.size:
        return rates, theta, -math.inf
    other = float(grid[to])
    by = (theta / (1.0 + theta)) * ((1.0 + other) / other)
    same = 1.0 - (1.0 - rates[0]) * by
    if not same > LEAST_RATE:
        return rates, theta, -math.inf
    fresh = _with_same(rates, same)
    if fresh.min() < LEAST_RATE:
        return rates, theta, -math.inf
    rest = prior.rates[1:].sum()
    weight = (prior.rates[0] - 1.0) * math.log(same / rates[0]) + rest * math.log(by)
    return fresh, other, weight


def start_rates(prior: Prior, ratios: Floats) -> Floats:
    """The rates that ratios stand for."""
    found = np.exp(ratios) * prior.background
    found[0] = math.exp(ratios[0])
    return np.asarray(found / found.sum(), float)
