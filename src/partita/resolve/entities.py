"""The entity model of records: latent values that are varied once and then copied.

Built from a fitted pair model and a start partition: frequencies of values are counted once per
entity, the errors of one record are half of those between two, and entities have geometric sizes,

    score = sum over entities of sum_q LLR_q + (n - 1) kappa + log n!,
    kappa = log(p / (1 - p)) - log E,  p = (records - E) / records,  E the entities of the start.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln

from partita.errors import InputError
from partita.factors import Field, Model, size_prior, urn
from partita.kernel import Floats, Ints
from partita.records.compare import ColumnLike
from partita.resolve.pairs import PairModel
from partita.states import Partition

__all__ = ["entity_model"]

SMOOTHING = 0.1
"""Added to the count of every value, so that none is impossible."""

RARITY = 0.5
"""How much the rarity of values counts at fuzzy levels, as in the pair model."""


def entity_model(
    columns: Sequence[ColumnLike],
    pairs: ArrayLike,
    levels: NDArray[np.int8],
    pair_model: PairModel,
    start: Partition,
    *,
    concentration: float = 3.0,
) -> Model:
    """A Model of partitions of the records, to be sampled or searched from `start`.

    Parameters
    ----------
    columns, pairs, levels
        The compared columns, the candidate pairs, and the level of each pair and column.
    pair_model
        What `fit_pairs` learned of the same columns.
    concentration
        theta of every field: the smaller, the more records copy each other's variants.
    """
    listed = np.asarray(pairs, np.int64).reshape(-1, 2)
    if len(columns) != len(pair_model.names) or levels.shape != (len(listed), len(columns)):
        raise InputError(
            f"levels have shape {levels.shape} for {len(listed)} pairs and {len(columns)} columns; "
            "give those that the pair model was fitted to"
        )
    fields = {}
    for q, (name, column) in enumerate(zip(pair_model.names, columns, strict=True)):
        codes = np.asarray(column.codes, np.int64)
        alike = _alike(codes, listed, levels[:, q], len(pair_model.m[q]) - 1)
        fields[name] = Field(
            codes,
            _frequencies(codes, len(column.values), start),
            _ratios(pair_model.m[q], pair_model.u[q]),
            alike[:, :2],
            alike[:, 2],
            concentration,
            RARITY,
        )
    return Model(urn(fields), size_prior(_size_scores(start)))


def _frequencies(codes: Ints, values: int, start: Partition) -> Floats:
    """How frequent each value is among entities, not records."""
    shown = codes >= 0
    once = np.unique(np.stack([start.entity[shown], codes[shown]], 1), axis=0)[:, 1]
    counts = np.bincount(once, minlength=values) + SMOOTHING
    return counts / counts.sum()


def _ratios(m: Floats, u: Floats) -> Floats:
    """Log P(equal), then log(m / u) of each level, for one record instead of two."""
    half = np.maximum(m / 2.0, 1e-6)
    found = np.log(half / np.maximum(u, 1e-9))
    found[0] = math.log(1.0 - (1.0 - m[0]) / 2.0)
    return found


def _alike(codes: Ints, pairs: Ints, levels: NDArray[np.int8], last: int) -> Ints:
    """Distinct pairs of values that are alike but not equal, with their level."""
    some = (levels > 0) & (levels < last)
    a, b = codes[pairs[some, 0]], codes[pairs[some, 1]]
    found = np.stack([np.minimum(a, b), np.maximum(a, b), levels[some].astype(np.int64)], 1)
    return np.unique(found, axis=0).reshape(-1, 3)


def _size_scores(start: Partition) -> Floats:
    n, entities = start.entity.size, int(start.live[0])
    p = min(0.98, max(0.02, (n - entities) / n))
    kappa = math.log(p / (1.0 - p)) - math.log(entities)
    sizes = np.arange(n + 1, dtype=float)
    return np.where(sizes > 0, (sizes - 1) * kappa + gammaln(sizes + 1), 0.0)
