"""The task: duplicates in one source, links between sources, and whether links are one to one."""

from __future__ import annotations

import numpy as np

from partita.blocking.candidates import collapse
from partita.data import Records
from partita.data.source_column import find_source_column, split_sources
from partita.errors import InputError
from partita.kernel import Ints
from partita.linkage.settings import Settings

__all__ = ["choose_task", "exclusive_sources", "explain_mode", "use_source_column"]

MAX_IDENTICAL = 0.2
"""Share of records with an identical record in their own file, up to which two files are linked
one to one. Origin: the panel, whose two-file sets have .06 and less; similarity cannot replace it,
because products of one shop resemble each other more than their matches."""


def use_source_column(records: Records, settings: Settings) -> tuple[Records, Settings]:
    """Records and settings with the sources of a column that the settings do not mention."""
    name = None if settings.source is not None else find_source_column(records)
    if name is None or name in settings.columns:
        return records, settings
    return split_sources(records, name), settings.replaced(source=name)


def choose_task(records: Records, settings: Settings, basis: Settings | None = None) -> Settings:
    """The settings with mode and one_to_one chosen by the sources of the records.

    `basis` are the settings of the user, which may not name the column of sources.
    """
    several = len(records.source_names) > 1
    _check_task(settings, several)
    _check_reference(records, settings)
    mode, one_to_one = settings.mode, settings.one_to_one
    if one_to_one is None and settings.reference is not None:
        one_to_one = False
    if one_to_one is None:
        # similar names in one column stay apart by their source, which equal ones need not do
        is_list = len(records.names) == 1 and bool(settings.source)
        possible = _are_two_files(records, basis or settings) and mode in ("auto", "link")
        possible = possible and not is_list
        one_to_one = possible and measure_identical(records) <= MAX_IDENTICAL
    if mode == "auto":
        mode = ("link" if one_to_one else "both") if several else "dedupe"
    return settings.replaced(mode=mode, one_to_one=one_to_one)


def _are_two_files(records: Records, settings: Settings) -> bool:
    """Whether the sources are two files, and not values of a column that the settings name."""
    return len(records.source_names) == 2 and not settings.source


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


def measure_identical(records: Records) -> float:
    """The largest share, over sources, of records with an identical record in their source."""
    if records.sources is None:
        return 0.0
    same = collapse({name: records.column(name) for name in records.names})
    key = same * len(records.source_names) + records.sources
    _, group, size = np.unique(key, return_inverse=True, return_counts=True)
    repeated = size[group.reshape(-1)] > 1
    return max(
        float(repeated[records.sources == source].mean())
        for source in range(len(records.source_names))
        if (records.sources == source).any()
    )


def explain_mode(records: Records, settings: Settings, basis: Settings) -> str:
    """The reason for the mode; for links one to one, with the flag that turns them off."""
    if basis.mode != "auto" and basis.one_to_one is not None:
        return "the settings require it"
    if settings.one_to_one and basis.one_to_one is None:
        return (
            f"{' and '.join(records.source_names)} are linked one to one; if one of them holds "
            "duplicates, give --no-one-to-one (one_to_one=False)"
        )
    if settings.reference is not None:
        return f"{settings.reference} is a reference: its records are different entities"
    is_default = basis.mode == "auto" and basis.one_to_one is None
    is_measured = is_default and len(records.names) > 1 and _are_two_files(records, basis)
    if settings.mode == "both" and is_measured:
        names = " and ".join(records.source_names)
        return f"{names} hold duplicates themselves; for clean sources --one-to-one"
    several = f"{len(records.source_names)} sources"
    if settings.mode == "both":
        return f"{several}, which may hold duplicates themselves; for clean sources --one-to-one"
    return "one source" if settings.mode == "dedupe" else several
