"""All laws by name, and one presentation of a labelled table by the name of its law."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from benchmarks.laws.columns import ADDED, PROVENANCE
from benchmarks.laws.headers import IDENTITY
from benchmarks.laws.law import Law
from benchmarks.laws.subsets import FILES, SUBSETS
from benchmarks.laws.tables import Presented
from benchmarks.laws.values import VALUES

__all__ = ["GROUPS", "LAWS", "present", "training_laws"]

LAWS: dict[str, Law] = {
    law.name: law for law in (*IDENTITY, *ADDED, *FILES, *PROVENANCE, *SUBSETS, *VALUES)
}
GROUPS = tuple(dict.fromkeys(law.group for law in LAWS.values()))
"""Groups of laws; training leaves out one group at a time."""


def present(name: str, table: pa.Table, rng: np.random.Generator) -> Presented:
    """Another presentation of the records of a labelled table.

    The table has the columns `id` and `entity`, values as text, and `FILE` where the records come
    in several files. The files of the result hold `id` and `entity` too; its `settings` are those
    of `resolve`.
    """
    law = LAWS[name]
    if law.columns is None:
        return law.change(table, rng)
    names = law.columns(table)
    return law.change(table, rng, names[int(rng.integers(len(names)))])


def training_laws(table: pa.Table, without: str | None = None) -> list[str]:
    """Laws that apply to a table and that models may be trained on, without one group."""
    return [
        law.name
        for law in LAWS.values()
        if law.for_training and law.group != without and law.applies(table)
    ]
