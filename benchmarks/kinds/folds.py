"""Five fixed folds of the kinds by group, so that the kinds of a fold are unlike the others."""

from __future__ import annotations

from benchmarks.kinds.spec import list_kinds, load_kind

__all__ = ["FOLDS", "find_fold", "list_fold"]

FOLDS = (
    ("people", "lists of people"),
    ("organisations", "finance"),
    ("products", "parts"),
    ("places", "food"),
    ("works", "science"),
)
"""Groups of each fold; a fold is left out of training as a whole."""


def find_fold(kind: str) -> int:
    """The fold of a kind."""
    group = load_kind(kind).group
    return next(place for place, groups in enumerate(FOLDS) if group in groups)


def list_fold(fold: int) -> list[str]:
    """The kinds of a fold; train on all others."""
    if fold not in range(len(FOLDS)):
        raise ValueError(f"fold is {fold}; give one of 0 to {len(FOLDS) - 1}")
    return [name for name in list_kinds() if find_fold(name) == fold]
