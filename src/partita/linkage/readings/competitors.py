"""Competitors of a pair: further candidates of its records that score as high.

Where one column is compared, a record with many equally likely candidates belongs to a family of
similar names, such as the species of a genus, and few of the candidates are its entity.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from partita.kernel import Floats, Ints

__all__ = ["Competitors"]

DISTANCE = 0.5
"""Nats below the score of a pair within which another candidate competes.
Origin: chosen on business_names, animals and games, no domain left out."""
POWER = 2.0
"""Power of the number of competitors that divides the odds: one for the choice among the
candidates of each of the two records. Origin: as DISTANCE."""
RECORD_STEP = 1_000.0
"""Distance of two records in the sorted list of scores, which are far smaller."""


class Competitors(NamedTuple):
    """The scores of each record's candidates, in descending order."""

    key: Floats
    """Record times `RECORD_STEP`, minus the score; ascending."""
    start: Ints
    """Where the candidates of each record begin."""

    @classmethod
    def of(cls, pairs: Ints, scores: Floats, n: int) -> Competitors:
        """The candidates of n records."""
        record = np.concatenate([pairs[:, 0], pairs[:, 1]])
        key = np.sort(record * RECORD_STEP - np.concatenate([scores, scores]))
        return cls(key, np.searchsorted(key, np.arange(n) * RECORD_STEP - RECORD_STEP / 2))

    def adjustment(self, pairs: Ints, scores: Floats) -> Floats:
        """The negative adjustment (nats) of each pair, by the record with more competitors."""
        counts = [
            np.searchsorted(self.key, record * RECORD_STEP - scores + DISTANCE, "right")
            - self.start[record]
            for record in pairs.T
        ]
        return -POWER * np.log(np.maximum(np.maximum(*counts), 1))
