"""Parameter blocks of the hit-miss entity model: rates of a field, and swapped values."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.factors.entity_model.cache import STALE, STATUS
from partita.factors.entity_model.moves import EntityTable, field_score
from partita.factors.entity_model.rate_updates import (
    Counts,
    count_levels,
    propose_shift,
    tallied_updates,
)
from partita.factors.entity_model.rates import Prior, log_prior, ratios_of, shortfall
from partita.factors.entity_model.swaps import SWAP_PRIOR, draw_swaps, set_swaps
from partita.factors.entity_model.table import LOG_SAME, THETA, rate_row, set_factors
from partita.factors.entity_model.tally import tally_field
from partita.factors.parameters import Conditional, Gibbs, Metropolis, ParameterBlock
from partita.kernel import Floats, Rng, gammaln
from partita.states import Partition

__all__ = ["rate_block", "swap_block"]

SHIFTS = 24
"""Proposals that move k_0 and theta of a field together, by update."""


def write_rates(
    field: int, prior: Prior, table: EntityTable, state: Partition, value: Floats
) -> None:
    """Make rates and a concentration those of a field, wherever the table holds them."""
    rates, theta = value[:-1], float(value[-1])
    ratios = ratios_of(prior, rates)
    table.chance[field, : rates.size] = rates
    table.rate[field] = rate_row(theta, ratios)
    table.short[field] = shortfall(theta, math.exp(table.rate[field, LOG_SAME]))[0]
    set_factors(table.near, table.first, field, theta * np.exp(ratios))
    rows = table.shown.head[field :: table.value.shape[1]]
    rows[:, STATUS] = np.maximum(rows[:, STATUS], STALE)
    table.mover[field] = -1


def read_rates(field: int, levels: int, table: EntityTable) -> Floats:
    """k_0 .. k_L and theta of a field."""
    return np.append(table.chance[field, :levels], table.rate[field, THETA])


def rate_block(name: str, field: int, prior: Prior) -> ParameterBlock:
    """The rates and the concentration of one field."""
    levels = prior.rates.size
    read, write = partial(read_rates, field, levels), partial(write_rates, field, prior)

    def log_density(table: EntityTable, state: Partition) -> float:
        prior_density = log_prior(prior, table.chance[field, :levels])
        return float(field_score(table, state, field)) + prior_density

    def tallied(rng: Rng, table: EntityTable, state: Partition) -> Counts:
        # makes the shares of all latent values fresh
        field_score(table, state, field)
        fields, rate = table.value.shape[1], table.rate[field]
        tally = tally_field(rng, table.shown, table.near, rate, state, field, fields, levels)
        return count_levels(tally, levels)

    def written_density(value: Floats, condition: tuple[EntityTable, Partition]) -> float:
        write(*condition, value)
        return log_density(*condition)

    def propose(rng: Rng, value: Floats, condition: Any) -> tuple[Floats, float]:
        return propose_shift(prior, rng, value)

    def summary(table: EntityTable) -> dict[str, float]:
        theta = math.log(table.rate[field, THETA])
        return {f"{name}.equal": float(table.chance[field, 0]), f"{name}.log_theta": theta}

    return ParameterBlock(
        name,
        ("equal", *(f"level {k}" for k in range(1, levels)), "concentration"),
        read,
        write,
        log_density,
        (
            Conditional(tallied, tallied_updates(prior)),
            Conditional(_both, (Metropolis(propose, written_density, SHIFTS),)),
        ),
        summary,
    )


def _both(rng: Rng, table: EntityTable, state: Partition) -> tuple[EntityTable, Partition]:
    return table, state


def swap_block(features: tuple[str, ...], table: EntityTable) -> ParameterBlock:
    """The indicators of eligible mentions, of all pairs of fields."""
    swaps = table.swaps
    fields = np.unique(swaps.fields).tolist()
    names = [f"{features[a]}.{features[b]}" for a, b in swaps.fields]

    def read(table: EntityTable) -> NDArray[np.int8]:
        pair, mention = table.swaps.rows.T
        return table.swaps.swapped[pair, mention].astype(np.int8)

    def write(table: EntityTable, state: Partition, value: NDArray[np.int8]) -> None:
        if not set_swaps(table, state, value):
            raise MemoryError("the pool of the entity model is full; grow the table first")

    def log_density(table: EntityTable, state: Partition) -> float:
        score = sum(float(field_score(table, state, field)) for field in fields)
        swapped, n = table.swaps.swapped.sum(1), state.entity.size
        a, b = SWAP_PRIOR
        return score + float((gammaln(a + swapped) + gammaln(b + n - swapped)).sum())

    def draw(rng: Rng, value: Any, condition: tuple[EntityTable, Partition]) -> Any:
        return read(condition[0]) if draw_swaps(rng, *condition) else None

    def summary(table: EntityTable) -> dict[str, float]:
        shares = table.swaps.swapped.mean(1).tolist()
        return {f"{name}.swapped": share for name, share in zip(names, shares, strict=True)}

    components = tuple(f"{names[pair]} {mention}" for pair, mention in swaps.rows)
    conditional = Conditional(_both, (Gibbs(draw),))
    return ParameterBlock("swaps", components, read, write, log_density, (conditional,), summary)
