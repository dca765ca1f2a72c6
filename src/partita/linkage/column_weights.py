"""The weight of each column: how much its evidence counts, by relevance, type, name and values.

Idle columns, such as notes and dates of creation, have a relevance that is about normal with
variance 1. Those of columns that describe entities spread about evenly up to the highest of the
file. The weight is the posterior probability of the second kind, mixed with 1 where no column of
the file has a clear relevance. The probability that a column is a key lowers the weight further.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from partita.data import Column, ColumnProfile, Records
from partita.kernel import logistic
from partita.linkage.columns import name_unused
from partita.linkage.keys import measure_key
from partita.linkage.provenance import find_provenance
from partita.linkage.relevance import CLEAR_RELEVANCE, NeighbourSearch, measure_relevance
from partita.linkage.settings import ColumnSettings, Settings

__all__ = ["list_notes", "weigh_columns"]

CLEAR_SCALE = 3.0
"""Standard errors of the highest relevance above `CLEAR_RELEVANCE` over which shrinkage sets in, to
63 %. Origin: a choice; half and double change F1 by .008 at most on four open sets, plain and with
one and four idle columns."""
SPREAD_BELOW = 1.0
"""Standard errors below 0 from which the relevance of describing columns spreads. Origin: 10 % of
the real columns are below 2 where over 30 % of the records match, 32 % where below 5 % do; highest
relevances of 30 and 8 give these shares."""
SHARE_BELOW = 0.05
"""Share of the describing columns whose relevance is below 0, because similar records differ in
them more often than random ones, as sizes and editions do. Origin: a choice; half and double change
F1 on the same files by .012 at most."""
TEXT_ODDS = 4.0
"""Prior odds that a text or a name describes the entities. Origin: a choice; half and double change
F1 on the same files by .015 at most."""
OTHER_ODDS = 1.5
"""Prior odds that a number, a date, a code or a category does. Origin: a choice; half changes F1 on
the same files by .018 at most, double by .097 (cora_hpi_1879 with four idle columns, .86)."""
CLERICAL_FACTOR = 0.2
"""Factor of the odds of a column that is named like one of record keeping. Origin: a choice; half
changes F1 on the same files by .004 at most, double by .063."""
TEXT_TYPES = (
    *("given name", "surname", "full name", "long text", "address", "list", "email", "phone"),
)
"""Types of columns that mostly describe an entity."""
CLERICAL_NAME = re.compile(
    r"(?:^|[\W_])(created?|updated?|modified|changed|inserted|imported|loaded|timestamp|notes?|"
    r"comments?|remarks?|status|flags?|clerk|operator|entered|edited|batch|version)(?:$|[\W_])",
    re.IGNORECASE,
)
"""Names of columns of record keeping."""
TEXT_FLOOR = 0.5
"""The least weight of the most relevant text of a file. Origin: the only text of
bank_transactions has a relevance of 2, and without it F1 falls from .58 to 0."""
MIN_WEIGHT = 0.01
"""Least weight of a column; numerical, so that logarithms of it are finite."""
LOW_WEIGHT = 0.5
"""Weight below which a note names the column."""


def weigh_columns(
    records: Records, profiles: Sequence[ColumnProfile], settings: Settings
) -> list[ColumnProfile]:
    """The profiles with relevance, probability of being a key, and weight of each column.

    Columns that repeat others or are ignored do not judge others. Columns that the settings
    compare in full keep a weight of 1.
    """
    ignored = {name for name, column in settings.columns.items() if column.role == "ignore"}
    judged = [
        profile for profile in profiles if profile.is_compared and profile.name not in ignored
    ]
    columns = [records.column(profile.name) for profile in judged]
    relevance, provenance = _judge(records, judged, columns)
    provenance -= set(settings.compare) | set(settings.columns)
    known = [z for z in relevance.values() if not math.isnan(z)]
    highest = max(known, default=0.0)
    texts = [profile.name for profile in judged if profile.type in TEXT_TYPES]
    best = max(texts, key=lambda name: (np.nan_to_num(relevance[name]), name), default=None)
    weighed = {}
    for profile, column in zip(judged, columns, strict=True):
        z = relevance[profile.name]
        weight = measure_weight(z, highest, profile)
        if profile.name == best:
            weight = max(weight, TEXT_FLOOR)
        key = measure_key(column, profile.type) * (1.0 - _find_probability(z, highest, 1.0))
        weight = max(weight * (1.0 - key), MIN_WEIGHT)
        is_provenance = profile.name in provenance
        weighed[profile.name] = replace(
            profile,
            relevance=None if math.isnan(z) else round(z, 2),
            key_probability=round(key, 3),
            weight=1.0 if profile.name in settings.compare else round(weight, 3),
            is_provenance=is_provenance,
            is_usable=not is_provenance,
        )
    return [weighed.get(profile.name, profile) for profile in profiles]


def _judge(
    records: Records, profiles: Sequence[ColumnProfile], columns: Sequence[Column]
) -> tuple[dict[str, float], set[str]]:
    """The relevance of the columns, and those of provenance if the input has no sources."""
    unknown = {profile.name: float("nan") for profile in profiles}
    if len(columns) < 2:
        return unknown, set()
    several = len(records.source_names) > 1
    search = NeighbourSearch(columns, records.sources if several else None)
    relevance = unknown | measure_relevance(columns, search)
    return relevance, set() if several else find_provenance(profiles, columns, relevance, search)


def measure_weight(relevance: float, highest: float, profile: ColumnProfile) -> float:
    """The weight of a column by its relevance and the highest one of the file."""
    if math.isnan(relevance):
        return 1.0
    clear = -math.expm1(-max(highest - CLEAR_RELEVANCE, 0.0) / CLEAR_SCALE)
    odds = TEXT_ODDS if profile.type in TEXT_TYPES else OTHER_ODDS
    unclear = 1.0
    if CLERICAL_NAME.search(profile.name):
        odds *= CLERICAL_FACTOR
        # where no column is clear, its name alone speaks against it
        unclear = odds / (1.0 + odds)
    return (1.0 - clear) * unclear + clear * _find_probability(relevance, highest, odds)


def _find_probability(relevance: float, highest: float, odds: float) -> float:
    """The probability that a column describes the entities, given prior odds."""
    if math.isnan(relevance):
        return odds / (1.0 + odds)
    spread = 1.0 / (max(highest, CLEAR_RELEVANCE) + SPREAD_BELOW)
    if relevance < 0.0:
        spread *= SHARE_BELOW
    idle = math.exp(-0.5 * relevance**2) / math.sqrt(2.0 * math.pi)
    return float(logistic(np.array(math.log(odds * spread / max(idle, 1e-300)))))


def _name_weights(
    profiles: Sequence[ColumnProfile], columns: Mapping[str, ColumnSettings]
) -> list[str]:
    """Notes on keys, and on the columns of low weight."""
    notes = []
    for profile in profiles:
        weight = columns[profile.name].weight if profile.name in columns else None
        if weight is None or weight >= LOW_WEIGHT or columns[profile.name].role != "compare":
            continue
        if profile.key_probability >= LOW_WEIGHT:
            why = f"is probably a key of the records; if it is, give --id {profile.name!r}"
        else:
            why = "hardly agrees in records that are similar in the other columns"
        notes.append(
            f"column {profile.name!r} counts {weight:.2f} because it {why}; to compare it in "
            f"full, give --compare {profile.name!r}"
        )
    return notes


def list_notes(profiles: Sequence[ColumnProfile], basis: Settings, chosen: Settings) -> list[str]:
    """Notes on the columns that are not compared, or that count little."""
    return name_unused(profiles, basis, chosen) + _name_weights(profiles, chosen.columns)
