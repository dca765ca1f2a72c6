"""Scorers of a reading as JSON, so that a saved model scores pairs as the first run did."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from partita.errors import InputError
from partita.linkage.pairwise.scored_pairs import PairScorer
from partita.linkage.prepare import Prepared
from partita.linkage.readings.scorers import ShiftedScorer

__all__ = ["load_scorer", "save_scorer"]


def save_scorer(scorer: PairScorer | None) -> dict[str, Any] | None:
    """The weights of a scorer, without the tables of its file."""
    if scorer is None:
        return None
    if isinstance(scorer, ShiftedScorer):
        return {"type": "shifted", "zero": scorer.zero}
    raise InputError(
        "the reading of these records is the pretrained prior, which cannot be saved yet; add "
        '--reading em, or set reading = "em"'
    )


def load_scorer(stored: Mapping[str, Any] | None, prepared: Prepared) -> PairScorer | None:
    """The scorer of saved weights, for the records of a table."""
    return None if stored is None else ShiftedScorer(float(stored["zero"]))
