"""The pairwise model of some records of a larger table, by the value counts of the whole table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from partita.comparison import Comparison
from partita.comparison.comparisons import Comparisons
from partita.kernel import Floats, Ints
from partita.linkage.pairwise.model import PairModel
from partita.linkage.pairwise.term_frequency import (
    TermFrequency,
    adjust_by_shares,
    no_adjustment,
)

__all__ = ["LocalModel", "localise_model"]


@dataclass(frozen=True, eq=False)
class LocalModel(PairModel):
    """A pair model of a part of the records: term frequencies are those of the whole table."""

    frequencies: tuple[TermFrequency, ...] = ()

    def term_frequencies(self, comparisons: Comparisons) -> list[TermFrequency]:
        """The term-frequency adjustment of each value, by column."""
        return list(self.frequencies)


def localise_model(
    model: PairModel,
    comparisons: Sequence[Comparison],
    counts: Sequence[Ints],
    filled: Ints,
    squares: Floats,
) -> LocalModel:
    """The pair model of a part of the records.

    Parameters
    ----------
    counts
        Records of the whole table that have each value of the part, by compared column.
    filled
        Records of the whole table with a value, by compared column.
    squares
        The sum of the squared counts of all values, by compared column.
    """
    frequencies = []
    for q, comparison in enumerate(comparisons):
        if not comparison.term_frequency_adjustments:
            frequencies.append(no_adjustment(counts[q].size))
            continue
        total = max(float(filled[q]), 1.0)
        share = np.maximum(counts[q], 1) / total
        together = max(float(squares[q]), 1.0) / total**2
        weight = model.column_weights[q] if model.column_weights else 1.0
        frequencies.append(adjust_by_shares(share, together, model.common[q]).tempered(weight))
    values = {field.name: getattr(model, field.name) for field in fields(PairModel)}
    return LocalModel(**values, frequencies=tuple(frequencies))
