"""Fields of the hit-miss entity model, checked."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from partita.errors import InputError
from partita.factors.entity_model.rates import RatePrior, checked_prior, ratios_of, start_rates
from partita.factors.template import finite
from partita.kernel import Floats, Ints

__all__ = ["Field", "checked_field"]

LEAST = 1e-30
"""Frequencies below are refused: products of them would vanish."""


@dataclass(frozen=True)
class Field:
    """One field: its values, their frequencies, and the levels at which they agree.

    Parameters
    ----------
    codes
        The value of each mention, numbered from 0; negative is missing.
    frequency
        phi: the probability of each value.
    ratios
        r by level: log P(equal) first, then log(m/u) of each level of likeness; the last level
        holds for all pairs of values that are not listed.
    pairs, levels
        Pairs of similar values, and their comparison level (1, 2, ...).
    concentration
        theta: small means that records copy each other, large that each errs for itself.
    term_frequency
        Strength of the term-frequency adjustment of fuzzy agreement; 0 switches it off.
    own
        log phi_i of each mention: how frequent its value is given the rest of its record, for
        columns that depend on each other. None is the log frequency of its value.
    prior
        Of the rates and theta, which are then drawn, beginning with the values given here.
    conditional_u
        By pair of similar values, in nats: log(v / u), where v is the rate of their level among
        non-matches that agree in the rest of their records. None means 0 for all.
    """

    codes: ArrayLike
    frequency: ArrayLike
    ratios: ArrayLike
    pairs: ArrayLike
    levels: ArrayLike
    concentration: float = 10.0
    term_frequency: float = 0.0
    own: ArrayLike | None = None
    prior: RatePrior | None = None
    conditional_u: ArrayLike | None = None


def checked_field(field: Field, noun: str) -> dict[str, Any]:
    """Check a field and return its arrays; raise an InputError that names the wrong value."""
    phi, ratios = finite(field.frequency, noun), finite(field.ratios, noun)
    codes, levels = np.asarray(field.codes, np.int64), np.asarray(field.levels, np.int64)
    pairs = np.asarray(field.pairs, np.int64).reshape(-1, 2)
    if codes.ndim != 1 or (codes >= phi.size).any():
        raise InputError(f"{noun} has a code of {codes.max(initial=-1)} for {phi.size} values")
    if (phi < LEAST).any() or ratios.size < 2:
        raise InputError(f"{noun} needs positive frequencies and at least two ratios")
    if levels.shape != (len(pairs),) or ((levels < 1) | (levels >= ratios.size)).any():
        raise InputError(f"{noun}: give each pair of values a level in 1..{ratios.size - 1}")
    if not (math.isfinite(field.concentration) and field.concentration > 0):
        raise InputError(f"{noun} has the concentration {field.concentration}; give a positive one")
    if not (math.isfinite(field.term_frequency) and field.term_frequency >= 0):
        raise InputError(f"{noun} has the term_frequency {field.term_frequency}; give 0 or more")
    prior = None
    if field.prior is not None:
        prior = checked_prior(field.prior, ratios.size, noun)
        ratios = ratios_of(prior, start_rates(prior, ratios))
    return {
        "codes": codes,
        "own": _own(field, codes, noun),
        "phi": phi,
        "ratios": ratios,
        "pairs": pairs,
        "levels": levels,
        "theta": field.concentration,
        "term_frequency": field.term_frequency,
        "conditional_u": _conditional_u(field, levels, noun),
        "prior": prior,
        "crowded": prior is not None,
    }


def _conditional_u(field: Field, levels: Ints, noun: str) -> Floats | None:
    """Check log(v / u) of each pair of similar values; None if the field has none."""
    if field.conditional_u is None:
        return None
    ratios = finite(field.conditional_u, f"{noun}: conditional_u")
    if ratios.shape != levels.shape or (ratios < 0.0).any():
        raise InputError(
            f"{noun}: conditional_u has shape {ratios.shape} and a least value of "
            f"{ratios.min(initial=0.0)}; give one number for each pair, none below 0"
        )
    return ratios


def _own(field: Field, codes: Ints, noun: str) -> Floats | None:
    """phi_i of each mention, where the field gives them."""
    if field.own is None:
        return None
    own = np.asarray(field.own, np.float64)
    if own.shape != codes.shape:
        raise InputError(f"{noun}: own has shape {own.shape}; give one log frequency per mention")
    own = finite(np.where(codes < 0, 0.0, own), f"{noun}: own")
    if (own < math.log(LEAST)).any() or (own > 0.0).any():
        raise InputError(f"{noun}: own has {own.min()} to {own.max()}; give logs of probabilities")
    return np.exp(own)
