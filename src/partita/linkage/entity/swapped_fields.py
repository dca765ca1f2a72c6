"""Swapped names, template: fields of the full posterior whose values may be swapped.

`swapped_names` detects swaps by single records. Here they are sampled together with the partition,
because a record alone may not decide: of Kelly Morgan and Morgan Kelly, born on the same day, one
is swapped, but either may be. Two columns of names may be swapped if single records or some
candidate pairs show it.
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
    count_entities,
    discount_counts,
    list_fuzzy_values,
    list_mergeable_values,
    value_frequencies,
)
from partita.linkage.entity.swapped_names import NAMES, SwappedNames, encode_together
from partita.linkage.pairwise.scored_pairs import ScoredPairs
from partita.states import Partition

__all__ = ["build_swaps"]

MIN_MIRRORED_PAIRS = 2
"""Candidate pairs with each other's names swapped that exceed chance. Origin: 0.1."""


def build_swaps(
    fields: dict[str, Field],
    columns: Sequence[Column],
    swapped: Sequence[SwappedNames],
    scored: ScoredPairs,
    start: Partition,
    rows: Ints,
) -> list[FieldSwap]:
    """List the swaps of an entity model, and extend its fields by the values of both columns."""
    marks = {(swap.left, swap.right): swap.rows for swap in swapped}
    swaps: list[FieldSwap] = []
    taken: set[str] = set()
    names = [
        q for q, column_type in enumerate(scored.comparisons.column_types) if column_type in NAMES
    ]
    for left, right in combinations([columns[q] for q in names], 2):
        known = marks.get((left.name, right.name))
        if {left.name, right.name} & taken:
            continue
        if known is None and _count_mirrored_pairs(left, right, scored.pairs) < MIN_MIRRORED_PAIRS:
            continue
        rest = np.zeros(scored.n, bool) if known is None else known
        swaps.append(swap_fields(fields, left, right, rest, scored, start, rows))
        taken |= {left.name, right.name}
    return swaps


def _count_mirrored_pairs(left: Column, right: Column, pairs: Ints) -> int:
    """The number of pairs that show the same two different values in swapped order."""
    _, a, b = encode_together(left, right)
    i, j = pairs.T
    filled = (a[i] >= 0) & (b[i] >= 0) & (a[i] != b[i])
    return int((filled & (a[i] == b[j]) & (b[i] == a[j])).sum())


def swap_fields(
    fields: dict[str, Field],
    left: Column,
    right: Column,
    swapped: NDArray[np.bool_],
    scored: ScoredPairs,
    start: Partition,
    rows: Ints,
) -> FieldSwap:
    """Give two fields the values of both columns, and list the records that may be swapped.

    A record may be swapped if one of its values occurs in the other column; so may its cluster.
    """
    values, a, b = encode_together(left, right)
    sides = {left.name: (a, b), right.name: (b, a)}
    known = {}
    for name, (own, other) in sides.items():
        counts = np.bincount(own[own >= 0], minlength=len(values))
        known[name] = np.append(counts, 0)[other] > 0
    swappable = known[left.name] | known[right.name] | swapped
    # a swap concerns a whole entity, so all records of the cluster may be swapped
    some = np.isin(start.entity, start.entity[swappable]) & ((a >= 0) | (b >= 0))
    twice = [
        Column(name, np.concatenate(codes).astype(np.int32), values, left.counts)
        for name, codes in sides.items()
    ]
    names = scored.comparisons.names
    place = [names.index(name) for name in sides]
    column_types = [scored.comparisons.column_types[q] for q in place]
    comparisons = [scored.comparisons.comparisons[q] for q in place]
    doubled, labels = Comparisons(twice, column_types, comparisons), np.tile(start.entity, 2)
    for q, column in enumerate(twice):
        field, codes = fields[column.name], sides[column.name][0]
        doubled_codes = np.where(np.tile(some, 2), column.codes, -1)
        doubled_codes[: codes.size] = codes
        pairs = list_mergeable_values(doubled_codes, labels, scored.pairs)
        levels = doubled.columns[q].levels(pairs)
        fuzzy = list_fuzzy_values(doubled_codes, pairs, levels, np.size(field.ratios) - 1)
        counts = count_entities(replace(column, codes=codes.astype(np.int32)), start)
        fields[column.name] = replace(
            field,
            codes=codes[rows],
            frequency=value_frequencies(
                discount_counts(counts), scored.model, names.index(column.name)
            ),
            pairs=fuzzy[:, :2],
            levels=fuzzy[:, 2],
            conditional_u=None,
        )
    return FieldSwap(
        left.name, right.name, swapped[rows].astype(np.int64), np.flatnonzero(some[rows])
    )
