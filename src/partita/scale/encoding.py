"""Encode records with columns, bags and canopy labels as mentions in canopy order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from partita.errors import InputError
from partita.factors.bags import encode
from partita.kernel import Ints
from partita.scale.mentions import Mentions, vocabulary

__all__ = ["Encoded", "mentions_of"]

MOST_COUNT = np.iinfo(np.uint16).max


class Encoded(NamedTuple):
    """Mentions in canopy order, the input row of each, and notes for the user."""

    mentions: Mentions
    row: Ints
    notes: tuple[str, ...]


def mentions_of(
    columns: Mapping[str, ArrayLike], bags: Mapping[str, Any], canopies: ArrayLike
) -> Encoded:
    """Encode records for `search`.

    Parameters
    ----------
    columns, bags
        As for `agreement`: values by column (None, "" or a negative number is missing), and
        matrices of counts by bag.
    canopies
        One label per record, such as last name and initial. A record without a label (None or "")
        is compared with no other record and stays a singleton.
    """
    column_names, bag_names, table = encode(columns, bags, "mentions")
    n = table.start.size - 1
    invalid = table.value[(table.value < 0) | (table.value != np.round(table.value))]
    if invalid.size or table.value.max(initial=0) > MOST_COUNT:
        example = invalid[0] if invalid.size else table.value.max()
        raise InputError(f"a bag of the mentions holds {example:g}; give counts up to {MOST_COUNT}")
    code, nameless = _codes(canopies, n)
    row = np.argsort(code, kind="stable")
    lengths = np.diff(table.start)[row]
    start = np.concatenate([[0], np.cumsum(lengths)])
    cells = np.repeat(table.start[row] - start[:-1], lengths) + np.arange(start[-1])
    key, count = table.key[cells].astype(np.int32), table.value[cells].astype(np.uint16)
    edges = np.searchsorted(table.group, np.arange(len(column_names) + len(bag_names) + 1))
    words = vocabulary(
        (*column_names, *bag_names),
        len(column_names),
        edges,
        table.group.astype(np.int32),
        key,
        count,
        n,
    )
    canopy_code = code[row]
    canopy = np.concatenate([[0], np.flatnonzero(np.diff(canopy_code)) + 1, [n]])
    notes = (
        (f"{nameless:,} of {n:,} mentions have no canopy label; each stays a singleton",)
        if nameless
        else ()
    )
    return Encoded(Mentions(start, key, count, canopy, words), row, notes)


def _codes(canopies: ArrayLike, n: int) -> tuple[Ints, int]:
    """A number for each canopy, and a separate one for each record without a label."""
    labels = np.asarray(canopies, object)
    if labels.shape != (n,):
        raise InputError(
            f"there are {n} mentions but canopy labels of shape {labels.shape}; give one for each"
        )
    missing = np.array(
        [label is None or label == "" or label != label for label in labels.tolist()]
    )
    code = np.zeros(n, np.int64)
    if not missing.all():
        code[~missing] = np.unique(labels[~missing].astype(str), return_inverse=True)[1].reshape(-1)
    count = int(missing.sum())
    code[missing] = n + np.arange(count)
    return code, count
