"""The task: duplicates in one source, or links between sources and duplicates within them."""

from __future__ import annotations

import numpy as np

from partita.data import Records
from partita.data.source_column import find_source_column, split_sources
from partita.errors import InputError
from partita.kernel import Ints
from partita.linkage.pairwise.source_rates import SourceRates
from partita.linkage.settings import Settings

__all__ = ["choose_task", "exclusive_sources", "explain_mode", "use_source_column"]

MAX_CELLS = 50_000_000
"""Records times sources whose rates are inferred. A limit of memory, about 400 MB an array."""


def use_source_column(records: Records, settings: Settings) -> tuple[Records, Settings]:
    """Records and settings with the sources of a column that the settings do not mention."""
    name = None if settings.source is not None else find_source_column(records)
    if name is None or name in settings.columns:
        return records, settings
    return split_sources(records, name), settings.replaced(source=name)


def choose_task(records: Records, settings: Settings) -> Settings:
    """The settings with the mode chosen by the sources of the records.

    Where `one_to_one` is None, the rates of further records in a source are inferred.
    """
    several = len(records.source_names) > 1
    _check_task(settings, several)
    _check_reference(records, settings)
    mode = settings.mode
    if mode == "auto":
        mode = ("link" if settings.one_to_one else "both") if several else "dedupe"
    if mode != "dedupe" and records.n * len(records.source_names) > MAX_CELLS:
        raise InputError(
            f"there are {len(records.source_names):,} sources of {records.n:,} records, too many "
            "to infer their rates; give --mode dedupe (mode='dedupe'), or a column of fewer values"
        )
    return settings.replaced(mode=mode)


def _check_task(settings: Settings, several: bool) -> None:
    if settings.reading == "words":
        raise InputError(
            'reading is "words", by which `link` compares rows with a reference; leave it out, or '
            "use link"
        )
    if settings.one_to_one and settings.mode in ("dedupe", "both"):
        raise InputError(
            f"one_to_one requires sources without duplicates, but mode {settings.mode!r} finds "
            "duplicates in them; leave one of the two out"
        )
    if settings.one_to_one and not several:
        raise InputError(
            "one_to_one needs several sources, but there is one; give several files, or name the "
            "column that holds the source"
        )
    if settings.mode in ("link", "both") and not several:
        raise InputError(
            f"mode is {settings.mode!r} but there is one source; give several files, or name the "
            "column that holds the source"
        )


def _check_reference(records: Records, settings: Settings) -> None:
    if settings.reference is None:
        return
    if settings.reference not in records.source_names:
        names = ", ".join(records.source_names) or "one source without a name"
        raise InputError(
            f"the reference is {settings.reference!r}, which is no source; there are: {names}"
        )
    if settings.mode == "dedupe":
        raise InputError(
            "mode 'dedupe' ignores sources, so none of them is a reference; leave out one of "
            "the two"
        )


def exclusive_sources(records: Records, settings: Settings) -> Ints | None:
    """The source of each record of which an entity has one record at most; -1 elsewhere.

    With links one to one these are all sources, else the reference.
    """
    if records.sources is None or settings.mode == "dedupe":
        return None
    sources = records.sources.astype(np.int64)
    if settings.one_to_one:
        return sources
    if settings.reference not in records.source_names:
        return None
    code = records.source_names.index(settings.reference)
    return np.where(sources == code, code, -1)


def explain_mode(
    records: Records, settings: Settings, basis: Settings, rates: SourceRates | None
) -> str:
    """The reason for the mode; with several sources, the rates of further records in them."""
    if settings.one_to_one or settings.mode == "dedupe" or rates is None:
        is_required = basis.mode != "auto" or settings.one_to_one
        return "the settings require it" if is_required else "one source"
    if settings.reference is not None:
        return f"{settings.reference} is a reference: its records are different entities"
    if settings.one_to_one is False:
        return f"{len(records.source_names)} sources; for clean sources --one-to-one"
    shares = (f"{name} {rate:.1%}" for name, rate in zip(rates.names, rates.further, strict=True))
    return (
        "the rate of further records of an entity in its source is inferred: "
        f"{', '.join(shares)}; for clean sources --one-to-one"
    )
