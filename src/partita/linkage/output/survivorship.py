"""Survivorship: the rule that chooses the value of a golden record, by column.

A rule is text: "phone=recent:updated", "name=longest", "*=source:crm>web". The column "*" stands
for all columns without a rule of their own.

| rule | the chosen value |
|---|---|
| `probable` | has the largest probability (the default) |
| `frequent` | occurs in most records of the entity |
| `longest` | has most characters |
| `recent:COLUMN` | is that of the record with the latest date in COLUMN |
| `source:A>B` | is that of a record of source A, else of B, else of any other |

Equal candidates are ordered by probability. A record without a value never decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from partita.comparison.dates import dates_of, days_of
from partita.data import Records
from partita.data.table import to_text
from partita.errors import InputError
from partita.kernel import Floats

__all__ = ["PROBABLE", "Survivorship", "parse_rules"]

ALL = "*"
PROBABLE, FREQUENT, LONGEST, RECENT, SOURCE = RULES = (
    *("probable", "frequent", "longest"),
    *("recent", "source"),
)
HINT = (
    "give COLUMN=RULE with a rule such as probable, frequent, longest, recent:DATE_COLUMN or "
    "source:FIRST>SECOND"
)


class Survivorship(NamedTuple):
    """The rule of one column, and its argument."""

    rule: str = PROBABLE
    argument: str = ""
    """The column of dates, or the sources in order; other rules have none."""

    def rank(self, records: Records) -> Floats | None:
        """The rank of each record, the lowest first; None for a rule that compares values."""
        if self.rule == RECENT:
            return -_read_dates(records, self.argument)
        if self.rule == SOURCE:
            return _rank_sources(records, self.argument.split(">"))
        return None


def parse_rules(texts: Sequence[str], records: Records) -> dict[str, Survivorship]:
    """The rule of each column; an InputError for an unknown column or rule."""
    rules: dict[str, Survivorship] = {}
    for text in texts:
        name, equals, rest = text.partition("=")
        rule, _, argument = rest.partition(":")
        if not equals or rule not in RULES or bool(argument) != (rule in (RECENT, SOURCE)):
            raise InputError(f"the survivorship rule is {text!r}; {HINT}")
        if name != ALL and name not in records.names:
            raise InputError(
                f"the survivorship rule {text!r} names no column of the golden records; there are "
                f"{', '.join(records.names)}"
            )
        if name in rules:
            raise InputError(f"column {name!r} has two survivorship rules; leave one of them")
        rules[name] = Survivorship(rule, argument)
        # a wrong column of dates or a wrong source fails before any work
        rules[name].rank(records)
    default = rules.pop(ALL, Survivorship())
    return {name: rules.get(name, default) for name in records.names}


def _rank_sources(records: Records, order: Sequence[str]) -> Floats:
    """The place of each record's source in the order; other sources follow."""
    known = records.source_names
    for name in order:
        if name not in known:
            names = ", ".join(known) or "none"
            raise InputError(f"there is no source {name!r} for survivorship; there are: {names}")
    assert records.sources is not None
    place = [order.index(name) if name in order else len(order) for name in known]
    return np.array(place, np.float64)[records.sources]


def _read_dates(records: Records, name: str) -> Floats:
    """The time of each record as a number; a missing one precedes all others."""
    if name not in records.table.column_names:
        names = ", ".join(records.table.column_names)
        raise InputError(
            f"there is no column {name!r} of dates for survivorship; there are: {names}"
        )
    column = records.table.column(name)
    if pa.types.is_temporal(column.type):
        column = column.cast(pa.timestamp("us")).cast(pa.int64())
    if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
        column = _parse_times(to_text(column))
    times = column.cast(pa.float64()).to_numpy(zero_copy_only=False)
    if np.isnan(times).all() and len(times):
        raise InputError(f"no value of column {name!r} is a date; name a column of dates")
    return np.where(np.isnan(times), -np.inf, times)


def _parse_times(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """Times of ISO 8601, or days of dates in any order of parts."""
    filled = pc.if_else(pc.equal(texts, ""), None, texts)
    try:
        return filled.cast(pa.timestamp("us")).cast(pa.int64())
    except pa.ArrowInvalid:
        coded = filled.combine_chunks().dictionary_encode()
        days = days_of(dates_of(coded.dictionary.to_pylist()))
        return pa.chunked_array([pa.array(days).take(coded.indices)])
