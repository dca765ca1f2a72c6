"""Scores of labelled tokens: accuracy, precision, recall, F1 and F2 without `other`.

Weighted scores give part of the credit to labels that are near in the tree of fields (ADS 6.1).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from partita.errors import InputError
from partita.kernel import Floats, Ints

__all__ = ["FieldScores", "score_fields", "tree_credit"]

PARENT_CREDIT = 0.5
"""Credit of a label that is the parent or a child of the true one (ADS 6.1)."""
SIBLING_CREDIT = 0.25
"""Credit of a label with the same parent as the true one (ADS 6.1)."""


class FieldScores(NamedTuple):
    """Scores of all tokens."""

    accuracy: float
    recall: float
    precision: float
    f1: float
    f2: float


def tree_credit(labels: Sequence[str], parents: Mapping[str, str]) -> Floats:
    """Return the credit of each label (columns) where another one is true (rows).

    >>> tree_credit(["place", "city", "state", "price"], {"city": "place", "state": "place"})
    array([[1.  , 0.5 , 0.5 , 0.  ],
           [0.5 , 1.  , 0.25, 0.  ],
           [0.5 , 0.25, 1.  , 0.  ],
           [0.  , 0.  , 0.  , 1.  ]])
    """
    credit = np.eye(len(labels))
    for i, a in enumerate(labels):
        for j, b in enumerate(labels):
            if i != j and (parents.get(a) == b or parents.get(b) == a):
                credit[i, j] = PARENT_CREDIT
            elif i != j and a in parents and parents.get(a) == parents.get(b):
                credit[i, j] = SIBLING_CREDIT
    return credit


def score_fields(
    truth: Ints, guess: Ints, other: int | None = None, credit: Floats | None = None
) -> FieldScores:
    """Score guessed labels of tokens.

    Parameters
    ----------
    truth, guess
        The number of each token's label.
    other
        The label that recall and precision leave out; None if there is none.
    credit
        The credit of each guess by true label (see `tree_credit`); by default 1 for equal labels.

    Examples
    --------
    >>> score_fields([0, 0, 1, 2], [0, 1, 1, 2], other=2).accuracy
    0.75
    """
    true, guessed = np.asarray(truth), np.asarray(guess)
    if true.shape != guessed.shape or true.size == 0:
        raise InputError(
            f"there are {true.size} true and {guessed.size} guessed labels; give one for each token"
        )
    gained = (true == guessed).astype(float) if credit is None else credit[true, guessed]
    in_field, in_guess = true != other, guessed != other
    right = float(gained[in_field & in_guess].sum())
    recall = right / max(1, int(in_field.sum()))
    precision = right / max(1, int(in_guess.sum()))
    both = max(recall + precision, 1e-12), max(4 * precision + recall, 1e-12)
    f1, f2 = 2 * recall * precision / both[0], 5 * recall * precision / both[1]
    return FieldScores(float(gained.mean()), recall, precision, f1, f2)
