"""The hit-miss entity model: entities have a latent value per field, which records copy or vary.

An entity's field has a latent value y, drawn by frequency phi. Its n records are a Dirichlet
process around y (the Polya-urn form of the hit-miss model): a new variant x is drawn from K(x | y)
and paid for once; then it is copied. With c_b the number of records with value b and theta the
concentration,

    LLR = log sum_y f(y) prod_b [Gamma(c_b + theta K(b|y)) / Gamma(theta K(b|y))]
          + lgamma(theta) - lgamma(theta + n) - sum_i log phi_i,

    K(y|y) = e^{r_0},  K(x|y) = f(x) e^{r_l + t},  l the level at which x and y agree, t the
    term-frequency adjustment of the pair,

which is 0 for one record, and counts evidence once however many pairs show it. phi_i is the
frequency of record i's value, phi(b_i), or its own, given the rest of the record; f(b) is the
largest phi_i of the entity's records that show b. Missing values are neutral. The sum over y
runs over the commonest values of the entity, ties by number.

With a prior on a field's rates and theta these are parameters that the walk samples along with the
partition, and an entity of n records that show the field scores -log Z_n more (`rates`).

Moving one record costs the distinct values of the field (`score`), whose counts are kept by entity
(`cache`); blocks of records are counted anew.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from partita.errors import InputError
from partita.factors.entity_model.blocks import rate_block, swap_block
from partita.factors.entity_model.cache import grow_shown, new_shown
from partita.factors.entity_model.fields import Field, checked_field
from partita.factors.entity_model.moves import EntityTable, commit, emit, fields, fill, room
from partita.factors.entity_model.rates import LONGEST, Prior, shortfall, start_rates
from partita.factors.entity_model.split_scores import SPLIT_SCORES
from partita.factors.entity_model.swaps import FieldSwap, Swaps, checked_swaps
from partita.factors.entity_model.table import SURE, listed_pairs, near_table, rates
from partita.factors.parameters import ParameterBlock
from partita.factors.template import Cache, FastPaths, Template, feature_weights
from partita.kernel import Floats
from partita.states import Partition
from partita.states.checks import fits

__all__ = ["Field", "FieldSwap", "hit_miss_model"]


def _grow(table: EntityTable) -> EntityTable:
    return table._replace(shown=grow_shown(table.shown, table.value.shape[1]))


def _prepare(table: EntityTable, state: Partition) -> EntityTable:
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
    if table.swaps.fields.size:
        swaps = own.swaps
        own = own._replace(
            value=own.value.copy(),
            frequency=own.frequency.copy(),
            swaps=swaps._replace(
                swapped=swaps.swapped.copy(),
                spare=swaps.spare.copy(),
                progress=swaps.progress.copy(),
            ),
        )
    done = fill(own, state.entity, 0)
    while done < n:
        own = _grow(own)
        done = fill(own, state.entity, done)
    return own


def hit_miss_model(
    columns: Mapping[str, Field],
    *,
    weights: float | ArrayLike = 1.0,
    swaps: Sequence[FieldSwap] = (),
    name: str = "hit_miss",
) -> Template:
    """The entity score of records that copy and vary one latent value per field.

    The weight of a field tempers its evidence, where fields depend on each other. Rates of fields
    with a prior, and the indicators of `swaps`, are parameters of the template.
    """
    features, start = feature_weights(name, list(columns), weights)
    parts = [checked_field(field, f"{name}: field {key!r}") for key, field in columns.items()]
    lengths = {len(part["codes"]) for part in parts}
    if len(lengths) != 1 or lengths == {0}:
        raise InputError(f"{name}: fields have {sorted(lengths)} mentions; give equal lengths")
    priors = [part["prior"] for part in parts]
    unknown = any(prior is not None for prior in priors) or bool(swaps)
    if unknown and (start != 1.0).any():
        raise InputError(
            f"{name}: parameters are sampled only where all weights are 1; leave out the weights, "
            "or the priors and swaps"
        )
    table = _table(parts, checked_swaps(swaps, list(columns), parts, name), unknown)
    return Template(
        name,
        Partition,
        features,
        start,
        fields,
        emit,
        table,
        cache=Cache(
            commit=commit,
            prepare=_prepare,
            room=room,
            grow=_grow,
        ),
        fast=FastPaths(split_scores=SPLIT_SCORES),
        check=fits(name, table.value.shape[0]),
        parameters=_blocks(features, priors, table),
    )


def _blocks(
    features: tuple[str, ...], priors: list[Prior | None], table: EntityTable
) -> tuple[ParameterBlock, ...]:
    blocks = [swap_block(features, table)] if table.swaps.rows.size else []
    for field, (name, prior) in enumerate(zip(features, priors, strict=True)):
        if prior is not None:
            blocks.append(rate_block(name, field, prior))
    return tuple(blocks)


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


def _table(parts: list[dict[str, Any]], swaps: Swaps, unknown: bool) -> EntityTable:
    listed = listed_pairs(parts)
    chance, short = _chances(parts) if unknown else (np.zeros((0, 0)), np.zeros((len(parts), 1)))
    codes, frequencies = [], []
    for part, at in zip(parts, listed.first[:-1], strict=True):
        codes.append(np.where(part["codes"] < 0, -1, part["codes"] + at))
        by_value = part["phi"][np.maximum(part["codes"], 0)]
        frequencies.append(by_value if part["own"] is None else part["own"])
    return EntityTable(
        value=np.ascontiguousarray(np.stack(codes, 1)),
        frequency=np.ascontiguousarray(np.stack(frequencies, 1)),
        owned=np.array([int(part["own"] is not None) for part in parts]),
        rate=rates(parts),
        near=near_table(parts, listed, changing=unknown),
        first=listed.first,
        chance=chance,
        short=short,
        shown=new_shown(0, len(parts)),
        swaps=swaps,
        mover=np.zeros(0, np.int64),
        lost=np.zeros(0),
    )
