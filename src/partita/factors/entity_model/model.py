"""Entities with one latent value per field, whose records copy each other (a Polya urn).

An entity's field has a latent value y, drawn by frequency phi. Its n records are a Dirichlet
process around y: a new variant x is drawn from K(x | y) and paid for once; then it is copied.
With c_b the number of records with value b and theta the concentration,

    LLR = log sum_y f(y) prod_b [Gamma(c_b + theta K(b|y)) / Gamma(theta K(b|y))]
          + lgamma(theta) - lgamma(theta + n) - sum_i log phi_i,

    K(y|y) = e^{r_0},  K(x|y) = f(x) e^{r_l + rarity},  l the level at which x and y are alike,

which is 0 for one record, and counts evidence once however many pairs show it. phi_i is the
frequency of record i's value, phi(b_i), or its own, given the rest of the record; f(b) is the
largest phi_i of the entity's records that show b. Missing values are neutral. The sum over y
runs over the commonest values of the entity, ties by number.

With a prior on a field's rates and theta these are drawn along with the partition, and an entity
of n records that show the field scores -log Z_n more (`urn_rates`).

Moving one record costs the distinct values of the field (`urn_score`), whose counts are kept by
entity (`urn_cache`); blocks are counted afresh.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from partita.errors import InputError
from partita.factors.entity_model.cache import STALE, STATUS, grow_shown, new_shown
from partita.factors.entity_model.fields import Field, checked_field
from partita.factors.entity_model.moves import Urn, commit, emit, fields, fill, room, whole
from partita.factors.entity_model.rates import (
    LONGEST,
    Prior,
    draw_rates,
    log_prior,
    ratios_of,
    shifted,
    shortfall,
    start_rates,
    tallied,
)
from partita.factors.entity_model.split_scores import SPLIT_SCORES
from partita.factors.entity_model.swaps import Exchange, Turns, turn_all, turns_of
from partita.factors.entity_model.table import (
    LOG_SAME,
    SURE,
    THETA,
    listed_pairs,
    near_table,
    rate_row,
    rates,
    set_factors,
)
from partita.factors.template import Template, feature_weights
from partita.kernel import Floats, Rng
from partita.states import Partition
from partita.states.checks import fits

__all__ = ["Exchange", "Field", "urn"]

SHIFTS = 24
"""How often rate and concentration of a field are moved together before the partition moves on."""


def _set_rates(table: Urn, field: int, prior: Prior, chance: Floats, theta: float) -> None:
    """Write rates and concentration of a field wherever they stand."""
    ratios, levels = ratios_of(prior, chance), chance.size
    table.chance[field, :levels] = chance
    table.rate[field] = rate_row(theta, ratios)
    table.short[field] = shortfall(theta, math.exp(table.rate[field, LOG_SAME]))[0]
    set_factors(table.near, table.first, field, theta * np.exp(ratios))
    rows = table.shown.head[field :: table.value.shape[1]]
    rows[:, STATUS] = np.maximum(rows[:, STATUS], STALE)
    table.mover[field] = -1


def _redraw(priors: list[Prior | None], rng: Rng, table: Urn, state: Partition) -> float:
    """Draw the rates and concentrations of all fields that have a prior."""
    change = _turn(rng, table, state)
    for q, prior in enumerate(priors):
        if prior is None:
            continue
        levels = prior.rates.size
        change -= whole(table, state, q)
        old, theta = table.chance[q, :levels].copy(), float(table.rate[q, THETA])
        tally = tallied(rng, table.shown, table.near, table.rate[q], state, q, levels)
        chance, theta = draw_rates(rng, prior, old, theta, tally)
        _set_rates(table, q, prior, chance, theta)
        after = whole(table, state, q)
        held = True
        for _ in range(SHIFTS):
            fresh, other, weight = shifted(rng, prior, chance, theta)
            if weight == -math.inf:
                continue
            _set_rates(table, q, prior, fresh, other)
            moved = whole(table, state, q)
            held = math.log(rng.random()) < moved - after + weight
            if held:
                chance, theta, after = fresh, other, moved
        if not held:
            # what was refused last still stands in the table
            _set_rates(table, q, prior, chance, theta)
        change += after + log_prior(prior, chance) - log_prior(prior, old)
    return change


def _turn(rng: Rng, table: Urn, state: Partition) -> float:
    """Draw which mentions show two fields exchanged."""
    if not table.turns.some.size:
        return 0.0
    table.mover[:] = -1
    first, totals = int(rng.integers(len(table.turns.some))), table.turns.turned.sum(1)
    return float(turn_all(rng, table, state, first, totals))


def _grow(table: Urn) -> Urn:
    return table._replace(shown=grow_shown(table.shown, table.value.shape[1]))


def _prepare(table: Urn, state: Partition) -> Urn:
    n, width = table.value.shape
    own = table._replace(
        shown=new_shown(n, width), mover=np.full(width, -1, np.int64), lost=np.zeros(width)
    )
    if table.chance.size:
        own = own._replace(
            rate=own.rate.copy(),
            near=own.near._replace(factor=own.near.factor.copy()),
            chance=own.chance.copy(),
            short=own.short.copy(),
        )
    if table.turns.fields.size:
        own = own._replace(
            value=own.value.copy(),
            frequency=own.frequency.copy(),
            turns=own.turns._replace(turned=own.turns.turned.copy(), spare=own.turns.spare.copy()),
        )
    done = fill(own, state.entity, 0)
    while done < n:
        own = _grow(own)
        done = fill(own, state.entity, done)
    return own


def urn(
    given: Mapping[str, Field],
    *,
    weights: float | ArrayLike = 1.0,
    exchanges: Sequence[Exchange] = (),
    name: str = "urn",
) -> Template:
    """The entity score of records that copy and vary one latent value per field.

    The weight of a field tempers its evidence, where fields depend on each other. Values of fields
    that may stand in each other's place are drawn along with the partition.
    """
    features, start = feature_weights(name, list(given), weights)
    parts = [checked_field(field, f"{name}: field {key!r}") for key, field in given.items()]
    lengths = {len(part["codes"]) for part in parts}
    if len(lengths) != 1 or lengths == {0}:
        raise InputError(f"{name}: fields have {sorted(lengths)} mentions; give equal lengths")
    priors = [part["prior"] for part in parts]
    drawn = any(prior is not None for prior in priors) or bool(exchanges)
    if drawn and (start != 1.0).any():
        raise InputError(
            f"{name}: rates are drawn where weights are 1; leave weights or priors out"
        )
    table = _table(parts, turns_of(exchanges, list(given), parts, name), drawn)
    return Template(
        name,
        Partition,
        features,
        start,
        fields,
        emit,
        table,
        commit=commit,
        prepare=_prepare,
        room=room,
        grow=_grow,
        check=fits(name, table.value.shape[0]),
        redraw=partial(_redraw, priors) if drawn else None,
        split_scores=SPLIT_SCORES,
        facts=partial(_facts, features, priors) if drawn else None,
    )


def _facts(features: tuple[str, ...], priors: list[Prior | None], table: Urn) -> dict[str, float]:
    """Of each field whose rates are drawn: P(a record shows the latent value), and log theta.

    Of fields that may be exchanged: the share of records that show them so.
    """
    found = {}
    for (a, b), turned in zip(table.turns.fields, table.turns.turned, strict=True):
        found[f"{features[a]}.{features[b]}.turned"] = float(turned.mean())
    for q, (name, prior) in enumerate(zip(features, priors, strict=True)):
        if prior is not None:
            found[f"{name}.equal"] = float(table.chance[q, 0])
            found[f"{name}.log_theta"] = math.log(table.rate[q, THETA])
    return found


def _chances(parts: list[dict[str, Any]]) -> tuple[Floats, Floats]:
    """k by field and level, and -log Z by field and length, at the start."""
    chance = np.zeros((len(parts), max(part["ratios"].size for part in parts)))
    short = np.zeros((len(parts), LONGEST))
    for q, part in enumerate(parts):
        if part["prior"] is not None:
            chance[q, : part["ratios"].size] = start_rates(part["prior"], part["ratios"])
            same = min(chance[q, 0], math.exp(SURE))
            short[q] = shortfall(part["theta"], same)[0]
    return chance, short


def _table(parts: list[dict[str, Any]], turns: Turns, drawn: bool) -> Urn:
    listed = listed_pairs(parts)
    chance, short = _chances(parts) if drawn else (np.zeros((0, 0)), np.zeros((len(parts), 1)))
    codes, frequencies = [], []
    for part, at in zip(parts, listed.first[:-1], strict=True):
        codes.append(np.where(part["codes"] < 0, -1, part["codes"] + at))
        by_value = part["phi"][np.maximum(part["codes"], 0)]
        frequencies.append(by_value if part["own"] is None else part["own"])
    return Urn(
        value=np.ascontiguousarray(np.stack(codes, 1)),
        frequency=np.ascontiguousarray(np.stack(frequencies, 1)),
        owned=np.array([int(part["own"] is not None) for part in parts]),
        rate=rates(parts),
        near=near_table(parts, listed, changing=drawn),
        first=listed.first,
        chance=chance,
        short=short,
        shown=new_shown(0, len(parts)),
        turns=turns,
        mover=np.zeros(0, np.int64),
        lost=np.zeros(0),
    )
