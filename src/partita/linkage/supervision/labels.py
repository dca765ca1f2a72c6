"""Labels: record pairs that a person has marked as a match or a non-match."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.data import Records
from partita.errors import InputError
from partita.kernel import Ints, find_components
from partita.linkage.supervision.pair_files import (
    LABEL,
    MATCH,
    UNSURE,
    PairTable,
    read_pair_file,
)

__all__ = ["MIN_LABELS", "PairLabels", "check_labels", "read_labels"]

MIN_LABELS = 2
"""Matches, and non-matches, that training needs: one of each to fit and one to test."""


@dataclass(frozen=True, eq=False)
class PairLabels:
    """Labelled pairs of rows of the records, without repeats, the smaller row first."""

    pairs: Ints
    match: NDArray[np.bool_]
    unsure: int = 0
    """Pairs whose label is unsure; they are not among `pairs`."""

    def __len__(self) -> int:
        """The number of labelled pairs."""
        return len(self.pairs)

    def checked(self) -> PairLabels:
        """The labels themselves; an InputError if matches or non-matches are too few."""
        if not len(self):
            unsure = f" except {self.unsure} that are unsure" if self.unsure else ""
            raise InputError(f"there are no labels{unsure}; collect some with `partita label`")
        for count, word in ((self.match.sum(), "match"), ((~self.match).sum(), "non-match")):
            if count == 0:
                missing = "matches" if word == "non-match" else "non-matches"
                raise InputError(
                    f"all {len(self)} labels are {missing}; label pairs of the other kind as well"
                )
            if count < MIN_LABELS:
                raise InputError(
                    f"there is {count} {word} among {len(self)} labels; give at least "
                    f"{MIN_LABELS}, so that one can be held out to test the trained weights"
                )
        return self


def read_labels(source: Any, records: Records) -> PairLabels:
    """Read labelled pairs from a file or a table (`pair_files` describes the format).

    >>> from partita.data import read
    >>> people = read([{"id": "a", "name": "Ann"}, {"id": "b", "name": "Anne"}])
    >>> row = {"unique_id_l": "b", "unique_id_r": "a", "label": "match"}
    >>> read_labels([row], people).pairs.tolist()
    [[0, 1]]
    """
    return check_labels(read_pair_file(source, records, LABEL), records)


def check_labels(table: PairTable, records: Records) -> PairLabels:
    """The labels of a pair table; an InputError if two of them contradict each other."""
    certain = table.labels != UNSURE
    pairs, group = np.unique(np.sort(table.rows[certain], 1), axis=0, return_inverse=True)
    matches = np.bincount(group.reshape(-1), table.labels[certain] == MATCH, minlength=len(pairs))
    repeats = np.bincount(group.reshape(-1), minlength=len(pairs))
    contradictory = pairs[(matches > 0) & (matches < repeats)]
    if len(contradictory):
        a, b = (table.names[row] for row in contradictory[0].tolist())
        raise InputError(
            f"the labels contradict each other: records {a} and {b} are a match and a non-match; "
            "remove one of the two labels"
        )
    match = matches > 0
    groups, against = find_components(pairs[match], records.n), pairs[~match]
    clash = against[groups[against[:, 0]] == groups[against[:, 1]]]
    if len(clash):
        a, b = (table.names[row] for row in clash[0].tolist())
        raise InputError(
            f"the labels contradict each other: records {a} and {b} are a non-match, but other "
            "labels link them as matches; correct one of the labels"
        )
    return PairLabels(pairs, match, int((~certain).sum()))
