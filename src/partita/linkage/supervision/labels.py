"""Labels: pairs of records of which somebody said whether they are one entity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.data import Records
from partita.errors import InputError
from partita.kernel import Ints, linked
from partita.linkage.supervision.pair_files import (
    MATCH,
    NON_MATCH,
    UNSURE,
    NamedPairs,
    meaning,
    meanings,
    read_pairs,
)

__all__ = ["LEAST", "MATCH", "NON_MATCH", "UNSURE", "PairLabels", "answer", "read_labels"]

LEAST = 2
"""Matches, and non-matches, to learn from."""
ANSWERS = f"{MATCH!r}, {NON_MATCH!r} or {UNSURE!r}"
COLUMNS = ("label", "clerical_match_score")


@dataclass(frozen=True, eq=False)
class PairLabels:
    """Pairs of rows of the records, each once and its smaller row first."""

    pairs: Ints
    match: NDArray[np.bool_]
    unsure: int = 0
    """How many pairs had the answer that nobody knows."""

    def __len__(self) -> int:
        """The number of pairs with a label."""
        return len(self.pairs)

    def checked(self) -> PairLabels:
        """Itself, or an InputError if one of the two answers is missing or hardly given."""
        if not len(self):
            told = f" but {self.unsure} that are unsure" if self.unsure else ""
            raise InputError(f"there are no labels{told}; `partita label` asks for some")
        for many, word in ((self.match.sum(), "match"), ((~self.match).sum(), "non-match")):
            if many == 0:
                other = "matches" if word == "non-match" else "non-matches"
                raise InputError(
                    f"all {len(self)} labels are {other}; label pairs of the other kind as well"
                )
            if many < LEAST:
                raise InputError(
                    f"there is {many} {word} among {len(self)} labels; give at least {LEAST}, so "
                    "that what is learned can be tested on labels that were held out"
                )
        return self


def read_labels(given: Any, records: Records) -> PairLabels:
    """Labels from a file or a table of pairs of ids.

    Parameters
    ----------
    given
        What `records.read` takes, with columns `unique_id_l`, `unique_id_r`, `label` ("match",
        "non-match" or "unsure"; 1 and 0, yes and no do as well) and, where sources use the same
        ids, `source_dataset_l`, `source_dataset_r`.
    """
    named = read_pairs(given, records, "label")
    if named is None:
        return PairLabels(np.zeros((0, 2), np.int64), np.zeros(0, bool))
    said = meanings(named, COLUMNS, "label", ANSWERS)
    known = said != UNSURE
    pairs, match = _once(named, known, said[known] == MATCH)
    _check_agree(pairs, match, named, records)
    return PairLabels(pairs, match, int((~known).sum()))


def answer(word: str) -> bool | None:
    """What a word of a label says; None if nobody knows."""
    return {MATCH: True, NON_MATCH: False, UNSURE: None}[meaning(word, "a label", ANSWERS)]


def _once(
    named: NamedPairs, known: NDArray[np.bool_], match: NDArray[np.bool_]
) -> tuple[Ints, NDArray[np.bool_]]:
    """Each pair once; raises if it has two labels."""
    pairs, which = np.unique(named.rows[known], axis=0, return_inverse=True)
    yes = np.bincount(which.reshape(-1), match, minlength=len(pairs))
    many = np.bincount(which.reshape(-1), minlength=len(pairs))
    torn = np.flatnonzero((yes > 0) & (yes < many))
    if torn.size:
        a, b = (named.names[row] for row in pairs[torn[0]].tolist())
        raise InputError(
            f"the labels contradict each other: records {a} and {b} are a match and a non-match; "
            "drop one of the two"
        )
    return pairs, yes > 0


def _check_agree(
    pairs: Ints, match: NDArray[np.bool_], named: NamedPairs, records: Records
) -> None:
    """Raises if a non-match is a match by way of other records."""
    groups = linked(pairs[match], records.n)
    against = pairs[~match]
    clash = against[groups[against[:, 0]] == groups[against[:, 1]]]
    if len(clash):
        a, b = (named.names[row] for row in clash[0].tolist())
        raise InputError(
            f"the labels contradict each other: records {a} and {b} are a non-match, but match "
            "by way of other labels; correct one of them"
        )
