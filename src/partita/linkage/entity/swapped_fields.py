"""Fields of the entity model whose values may stand in each other's place.

`turned` puts values where they belong by what single records show. Here it is drawn along with the
partition, for what a record shows may leave it open: of Kelly Morgan and Morgan Kelly, born on the
same day, one is turned, whichever it is. Two columns of names are exchanged if single records or
some candidate pairs show it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from partita.comparison.comparisons import Comparisons
from partita.data import Column
from partita.factors import Field, FieldSwap
from partita.kernel import Ints
from partita.linkage.entity.model import (
    alike_values,
    discounted,
    entity_counts,
    meeting_values,
    value_frequencies,
)
from partita.linkage.entity.swapped_names import NAMES, Turned, both_columns
from partita.linkage.pairwise.scored_pairs import ScoredPairs
from partita.states import Partition

__all__ = ["exchanges_of"]

MIRRORED = 2
"""So many candidate pairs that show the names of each other turned are more than chance."""


def exchanges_of(
    fields: dict[str, Field],
    columns: Sequence[Column],
    turned: Sequence[Turned],
    scored: ScoredPairs,
    start: Partition,
    rows: Ints,
) -> list[FieldSwap]:
    """What may be exchanged in the fields of an entity model, which are changed to hold it."""
    marks = {(one.left, one.right): one.rows for one in turned}
    found: list[FieldSwap] = []
    taken: set[str] = set()
    names = [q for q, kind in enumerate(scored.comparisons.kinds) if kind in NAMES]
    for left, right in combinations([columns[q] for q in names], 2):
        known = marks.get((left.name, right.name))
        if {left.name, right.name} & taken:
            continue
        if known is None and _mirrored(left, right, scored.pairs) < MIRRORED:
            continue
        rest = np.zeros(scored.n, bool) if known is None else known
        found.append(exchanged(fields, left, right, rest, scored, start, rows))
        taken |= {left.name, right.name}
    return found


def _mirrored(left: Column, right: Column, pairs: Ints) -> int:
    """The number of pairs that show two different values in each other's place."""
    _, a, b = both_columns(left, right)
    i, j = pairs.T
    shown = (a[i] >= 0) & (b[i] >= 0) & (a[i] != b[i])
    return int((shown & (a[i] == b[j]) & (b[i] == a[j])).sum())


def exchanged(
    fields: dict[str, Field],
    left: Column,
    right: Column,
    turned: NDArray[np.bool_],
    scored: ScoredPairs,
    start: Partition,
    rows: Ints,
) -> FieldSwap:
    """Give two fields the values of both, and say which records may have them exchanged.

    A record may if one of its values is known from the other column, and with it its cluster.
    """
    values, a, b = both_columns(left, right)
    sides = {left.name: (a, b), right.name: (b, a)}
    known = {}
    for name, (own, other) in sides.items():
        counts = np.bincount(own[own >= 0], minlength=len(values))
        known[name] = np.append(counts, 0)[other] > 0
    doubtful = known[left.name] | known[right.name] | turned
    # an entity is turned as a whole, so all its records may be
    some = np.isin(start.entity, start.entity[doubtful]) & ((a >= 0) | (b >= 0))
    twice = [
        Column(name, np.concatenate(codes).astype(np.int32), values, left.counts)
        for name, codes in sides.items()
    ]
    names = scored.comparisons.names
    place = [names.index(name) for name in sides]
    kinds = [scored.comparisons.kinds[q] for q in place]
    comparisons = [scored.comparisons.comparisons[q] for q in place]
    made, labels = Comparisons(twice, kinds, comparisons), np.tile(start.entity, 2)
    for q, column in enumerate(twice):
        field, codes = fields[column.name], sides[column.name][0]
        shown = np.where(np.tile(some, 2), column.codes, -1)
        shown[: codes.size] = codes
        pairs = meeting_values(shown, labels, scored.pairs)
        levels = made.columns[q].levels(pairs)
        alike = alike_values(shown, pairs, levels, np.size(field.ratios) - 1)
        counts = entity_counts(replace(column, codes=codes.astype(np.int32)), start)
        fields[column.name] = replace(
            field,
            codes=codes[rows],
            frequency=value_frequencies(discounted(counts), scored.model, names.index(column.name)),
            pairs=alike[:, :2],
            levels=alike[:, 2],
            lifts=None,
        )
    return FieldSwap(
        left.name, right.name, turned[rows].astype(np.int64), np.flatnonzero(some[rows])
    )
