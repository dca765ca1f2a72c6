"""The hit-miss entity model of records: latent values that are varied once and then copied.

Built from a fitted pair model and a start partition: frequencies of values are counted once per
entity, and the errors of one record are half of those between two. Entities have sizes drawn
from f and are otherwise exchangeable,

    score = sum over entities of sum_q LLR_q + log f(n) + log n! + log E,

with E the number of entities of the start. f is the size distribution of the start, mixed with a
geometric distribution of the same mean, so that unseen sizes are possible.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partita.comparison.comparisons import ColumnLike
from partita.errors import InputError
from partita.factors import Field, Model, Template, hit_miss_model, size_prior
from partita.kernel import Floats, Ints, distinct_of, gammaln
from partita.linkage.pairwise.model import PairModel
from partita.states import Partition

__all__ = [
    "count_entities",
    "discount_counts",
    "entity_fields",
    "entity_model",
    "list_fuzzy_values",
    "list_mergeable_values",
    "score_sizes",
    "size_scores",
    "value_frequencies",
]

COUNT_ADDED = 0.1
"""Added to the count of every value, so that no frequency is 0. Origin: 0.1."""
GEOMETRIC_SHARE = 0.1
"""Weight of the geometric sizes against those of the start. Origin: 0.1."""
MAX_DISCOUNT = 0.95
"""Largest discount of the count of a value. Origin: 0.1."""
FEW_VALUES = 2_000
"""Values of a column up to which all are compared with each other. A limit of CPU seconds."""

TERM_FREQUENCY = 0.5
"""Share of the term-frequency adjustment at fuzzy levels, as in the pair model. Origin: 0.1."""
CONCENTRATION = 10.0
"""theta of every field: the smaller, the more records copy each other's variants. Origin: 0.1."""


def entity_model(
    columns: Sequence[ColumnLike],
    pairs: ArrayLike,
    levels: NDArray[np.int8],
    pair_model: PairModel,
    start: Partition,
    *,
    rows: ArrayLike | None = None,
    concentration: float = CONCENTRATION,
    constraints: tuple[Template, ...] = (),
    frequencies: Sequence[Floats] | None = None,
    sizes: Floats | None = None,
) -> Model:
    """A Model of partitions of records, to be sampled or searched from a partition like `start`.

    Parameters
    ----------
    columns, pairs, levels
        The compared columns, the candidate pairs, and the level of each pair and column.
    pair_model
        What `fit_pairs` learned of the same columns.
    start
        A partition of all records, from which frequencies and sizes are counted.
    rows
        The records that the model is of; the others stay as they are in `start`.
    concentration
        theta of every field: the smaller, the more records copy each other's variants.
    constraints
        Further templates.
    frequencies, sizes
        The frequencies of the values of each column, and the score of each entity size, where
        the records are a part of a larger table; by default both are counted from `start`.
    """
    some = np.arange(start.entity.size) if rows is None else np.asarray(rows, np.int64)
    fields = entity_fields(
        columns,
        pairs,
        levels,
        pair_model,
        start,
        some,
        concentration=concentration,
        frequencies=frequencies,
    )
    scores = size_scores(start) if sizes is None else sizes
    known = dict(zip(pair_model.names, pair_model.column_weights, strict=False))
    template = hit_miss_model(fields, weights=[known.get(name, 1.0) for name in fields])
    return Model(template, size_prior(scores[: some.size + 1]), *constraints)


def entity_fields(
    columns: Sequence[ColumnLike],
    pairs: ArrayLike,
    levels: NDArray[np.int8],
    pair_model: PairModel,
    start: Partition,
    rows: Ints,
    *,
    concentration: float = CONCENTRATION,
    frequencies: Sequence[Floats] | None = None,
) -> dict[str, Field]:
    """The fields of an entity model of some records; columns without any value have none."""
    places = np.asarray(pairs, np.int64).reshape(-1, 2)
    if len(columns) != len(pair_model.names) or levels.shape != (len(places), len(columns)):
        raise InputError(
            f"levels have shape {levels.shape} for {len(places)} pairs and {len(columns)} columns; "
            "give those that the pair model was fitted to"
        )
    fields = {}
    for q, (name, column) in enumerate(zip(pair_model.names, columns, strict=True)):
        if not len(column.values):
            # some records of a store can all lack a value
            continue
        codes = np.asarray(column.codes, np.int64)
        if frequencies is None:
            counts = count_entities(column, start) + COUNT_ADDED
            shares = counts / counts.sum()
        else:
            shares = frequencies[q]
        adjusted = pair_model.comparisons[q].term_frequency_adjustments
        fuzzy = list_fuzzy_values(codes, places, levels[:, q], len(pair_model.m[q]) - 1)
        fields[name] = Field(
            codes[rows],
            value_frequencies(shares, pair_model, q),
            _ratios(pair_model.m[q], pair_model.u[q]),
            fuzzy[:, :2],
            fuzzy[:, 2],
            concentration,
            TERM_FREQUENCY if adjusted else 0.0,
        )
    return fields


def count_entities(column: ColumnLike, start: Partition) -> Ints:
    """How many entities, not records, show each value."""
    codes, values = np.asarray(column.codes, np.int64), len(column.values)
    filled = codes >= 0
    once = distinct_of(start.entity[filled] * values + codes[filled]) % values
    return np.bincount(once, minlength=values)


def value_frequencies(frequencies: Floats, pair_model: PairModel, q: int) -> Floats:
    """The frequency of each value; without term-frequency adjustment the same for all."""
    if pair_model.comparisons[q].term_frequency_adjustments:
        return frequencies
    return np.full(frequencies.size, pair_model.common[q])


def discount_counts(counts: Ints) -> Floats:
    """Frequencies of values by absolute discounting (Ney, Essen, Kneser 1994).

    The frequency of a value seen once is below its share; the fewer values were seen twice, the
    lower it is.
    """
    once, twice = int((counts == 1).sum()), int((counts == 2).sum())
    less = min(MAX_DISCOUNT, once / max(1, once + 2 * twice))
    return np.asarray(np.maximum(counts - less, 1.0 - MAX_DISCOUNT) / max(1, counts.sum()), float)


def _ratios(m: Floats, u: Floats) -> Floats:
    """Log P(equal), then log(m / u) of each level, for one record instead of two."""
    half = np.maximum(m / 2.0, 1e-6)
    weights = np.log(half / np.maximum(u, 1e-9))
    weights[0] = math.log(1.0 - (1.0 - m[0]) / 2.0)
    return weights


def list_fuzzy_values(codes: Ints, pairs: Ints, levels: NDArray[np.int8], last: int) -> Ints:
    """Distinct pairs of values with fuzzy agreement, with their level."""
    some = (levels > 0) & (levels < last)
    a, b = codes[pairs[some, 0]], codes[pairs[some, 1]]
    values = int(codes.max(initial=0)) + 1
    # two values have one level, whichever records show them
    keys, first = np.unique(np.minimum(a, b) * values + np.maximum(a, b), return_index=True)
    return np.stack([keys // values, keys % values, levels[some][first].astype(np.int64)], 1)


def list_mergeable_values(codes: Ints, labels: Ints, pairs: Ints) -> Ints:
    """Pairs of records whose values an entity may come to hold together.

    Where values are few, these are all pairs of values; else the values of one cluster, or of two
    clusters that a pair of records links. The first record with a value represents it.
    """
    values = int(codes.max(initial=-1)) + 1
    filled = np.flatnonzero(codes >= 0)
    first = np.zeros(values, np.int64)
    first[codes[filled[::-1]]] = filled[::-1]
    if values <= FEW_VALUES:
        seen = distinct_of(codes[filled])
        return first[seen[np.stack(np.triu_indices(seen.size, 1), 1)]]
    cluster, value = np.divmod(distinct_of(labels[filled] * values + codes[filled]), max(values, 1))
    many = np.bincount(cluster, minlength=int(labels.max(initial=0)) + 1)
    start = np.cumsum(many) - many
    links = np.sort(labels[pairs], axis=1)
    own = np.arange(many.size)
    links = np.unique(np.concatenate([links, np.stack([own, own], 1)]), axis=0)
    left, right = links[(many[links] > 0).all(1)].T
    # each value of the left cluster, with each of the right one
    at, to = repeated(start[left], many[left])
    of, other = repeated(start[right][to], many[right][to])
    low, high = np.sort([value[at[other]], value[of]], axis=0)
    keys = distinct_of((low * values + high)[low != high])
    return first[np.stack([keys // max(values, 1), keys % max(values, 1)], 1)]


def repeated(start: Ints, many: Ints) -> tuple[Ints, Ints]:
    """The numbers start, start + 1, ... of each of some runs, and the run that each belongs to."""
    run = np.repeat(np.arange(many.size), many)
    place = np.arange(run.size) - (np.cumsum(many) - many)[run]
    return start[run] + place, run


def size_scores(start: Partition) -> Floats:
    """The score of each entity size, above as many singletons."""
    return score_sizes(np.bincount(start.size[start.size > 0], minlength=start.entity.size + 1))


def score_sizes(seen: Ints) -> Floats:
    """The score of each size from the number of entities of each size, which begins at 0."""
    sizes = np.arange(seen.size, dtype=float)
    n, entities = int(seen @ np.arange(seen.size)), int(seen.sum())
    p = min(0.98, max(0.02, (n - entities) / n))
    geometric = math.log(1.0 - p) + (sizes - 1) * math.log(p)
    prior = GEOMETRIC_SHARE * entities + 1.0
    with np.errstate(divide="ignore"):
        observed = np.log(seen) - math.log(entities + prior)
    log_f = np.logaddexp(observed, geometric + math.log(prior / (entities + prior)))
    scores = log_f + gammaln(sizes + 1) + math.log(entities)
    scores -= sizes * (log_f[1] + math.log(entities))
    scores[0] = 0.0
    return scores
