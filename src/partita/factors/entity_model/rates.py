"""Unknown rates and concentrations of the hit-miss entity model: priors and normalising constants.

Of one record of an entity, k_0 = P(it shows the latent value) and k_l = P(a variant at level l),
so that K(x|y) = phi(x) k_l / u_l, with u_l the share of random pairs of values at that level. The
prior is a Dirichlet on k and a uniform one on some concentrations theta, by field.

The model sums over latent values that a record shows. It is then a distribution of the n records
of an entity given that one of them shows y, whose probability is

    Z_n = 1 - Gamma(theta (1 - k_0) + n) Gamma(theta) / (Gamma(theta (1 - k_0)) Gamma(theta + n)),

and entities score LLR - log Z_n: the whole is a generative model that can be simulated.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from partita.errors import InputError
from partita.factors.template import finite
from partita.kernel import Floats, Ints, gammaln

__all__ = [
    "LONGEST",
    "MIN_RATE",
    "Prior",
    "RatePrior",
    "checked_prior",
    "log_prior",
    "ratios_of",
    "shortfall",
    "start_rates",
]

LONGEST = 256
"""Records of an entity; Z_n of longer entities is taken to be that of this length."""
MIN_RATE = 1e-9
"""Rates below have prior density 0, so that no logarithm overflows."""


@dataclass(frozen=True)
class RatePrior:
    """Prior of a field's rates and concentration.

    Parameters
    ----------
    rates
        Counts of a Dirichlet distribution, by level: equal first, no agreement last.
    background
        u by level: the share of random pairs of values at it. The first is not used.
    concentrations
        Values of theta, all equally likely.
    """

    rates: ArrayLike
    background: ArrayLike
    concentrations: ArrayLike = (0.3, 1.0, 3.0, 10.0, 30.0, 100.0)


class Prior(NamedTuple):
    """A checked RatePrior."""

    rates: Floats
    background: Floats
    concentrations: Floats


def checked_prior(settings: RatePrior, levels: int, noun: str) -> Prior:
    """The arrays of a prior, or an InputError."""
    prior = Prior(*(finite(part, f"{noun}: prior") for part in vars(settings).values()))
    for name, part in zip(("rates", "background"), prior[:2], strict=True):
        if part.shape != (levels,) or (part <= 0).any():
            raise InputError(f"{noun}: {name} of the prior has {part}; give {levels} positive ones")
    if prior.concentrations.ndim != 1 or not prior.concentrations.size:
        raise InputError(f"{noun}: the prior has no concentrations; give some")
    if (prior.concentrations <= 0).any():
        raise InputError(f"{noun}: the prior has {prior.concentrations.min()}; give positive ones")
    return prior


def shortfall(theta: float | Floats, same: float, lengths: Ints | None = None) -> Floats:
    """-log Z_n by theta and n (default 0 .. LONGEST - 1); 0 for n below 2."""
    n = np.arange(LONGEST) if lengths is None else lengths
    t, wrong = np.atleast_1d(theta)[:, None], np.atleast_1d(theta * (1.0 - same))[:, None]
    missed = gammaln(wrong + n) - gammaln(wrong) - gammaln(t + n) + gammaln(t)
    return np.where(n < 2, 0.0, -np.log1p(-np.exp(np.minimum(missed, -1e-12))))


def log_prior(prior: Prior, rates: Floats) -> float:
    """Log density of the rates up to a constant; that of theta is constant."""
    if rates.min() < MIN_RATE:
        return -math.inf
    return float(((prior.rates - 1.0) * np.log(rates)).sum())


def ratios_of(prior: Prior, rates: Floats) -> Floats:
    """log k_0, then log (k / u) of each level."""
    ratios = np.log(rates / prior.background)
    ratios[0] = math.log(rates[0])
    return np.asarray(ratios)


def start_rates(prior: Prior, ratios: Floats) -> Floats:
    """The rates of given ratios."""
    rates = np.exp(ratios) * prior.background
    rates[0] = math.exp(ratios[0])
    return np.asarray(rates / rates.sum(), float)
