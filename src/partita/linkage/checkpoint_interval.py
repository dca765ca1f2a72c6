"""The seconds of work between two checkpoints."""

from __future__ import annotations

import os

from partita.errors import InputError

__all__ = ["checkpoint_seconds"]

SECONDS = 30.0
"""Seconds of work between two checkpoints; PARTITA_CHECKPOINT_SECONDS changes them."""


def checkpoint_seconds() -> float:
    """Return the seconds of work between two checkpoints."""
    try:
        return max(0.0, float(os.environ.get("PARTITA_CHECKPOINT_SECONDS", SECONDS)))
    except ValueError:
        raise InputError("PARTITA_CHECKPOINT_SECONDS is no number; give seconds") from None
