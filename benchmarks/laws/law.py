"""A law: a way of presenting records, what is measured, and the tolerance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from benchmarks.laws.tables import Presented

__all__ = ["AGREEMENT", "APART", "FIGURES", "LOSS", "POOLED", "Law", "applies_always"]

AGREEMENT = "agreement"
"""Pairwise F1 of the partitions of two presentations."""
APART = "apart"
"""Share of records kept apart, where every record is an entity."""
POOLED = "pooled precision"
"""Pairwise precision over all draws of a set."""
LOSS = "F1 above"
"""F1 of the plain run minus F1 of this one."""
FIGURES = (AGREEMENT, APART, POOLED, LOSS)


def applies_always(table: pa.Table) -> bool:
    """Whether a law without conditions applies to a table: it does."""
    return True


@dataclass(frozen=True)
class Law:
    """One way of presenting a labelled table, which should not change the entities."""

    name: str
    group: str
    change: Callable[..., Presented]
    """Return another presentation of a labelled table, by a random generator; a law of `columns`
    also takes the name of a column."""
    floor: tuple[float, float] | None = None
    """The least median and the least worst figure over all sets; None prints the figure only."""
    floor_of_one: tuple[float, float] | None = None
    """The same for lists of one telling column, where it differs."""
    figure: str = AGREEMENT
    applies: Callable[[pa.Table], bool] = applies_always
    columns: Callable[[pa.Table], Sequence[str]] | None = None
    """The columns that the law takes in turn."""
    draws: int = 1
    """Random presentations of one set and seed in a full run."""
    quick_draws: int = 1
    """The same in a quick run; the number of columns at most, for a law of `columns`."""
    for_training: bool = True
    """Whether models may be trained on this presentation; others are for final reports."""

    def floor_for(self, telling: int) -> Any:
        """The floor for a set with this number of telling columns."""
        return self.floor_of_one if self.floor_of_one and telling <= 1 else self.floor
