"""Whether the first row of a table names its columns or is a record.

The log odds that the first row is a record add up over the columns. Under one hypothesis the first
cell is drawn like the other cells of its column; under the other it is drawn like a column name.
Features of a cell: its class (number, date, words and so on), whether its text occurs again in the
column, its length in columns of fixed width, and whether a number lies in the range of its column.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from partita.data.column_types import EMAIL, is_date, is_number

__all__ = ["SAMPLE_ROWS", "has_header", "name_columns"]

SAMPLE_ROWS = 1000
"""Rows that are compared with the first one."""
MIN_ROWS = 3
"""Rows after the first one below which it always counts as a header."""
PRIOR = math.log(0.02 / 0.98)
"""Log odds, before any cell is read, that a table has no header: 2 in 100, an assumption."""
NAME_CLASSES = {
    **{"words": 0.93, "code": 0.03, "text": 0.02, "empty": 0.01},
    **{"number": 0.006, "date": 0.003, "email": 0.001},
}
"""The share of column names of each class: rounded from the headers of public record sets, where
numbers, dates and e-mail addresses never occur."""
NAME_REPEATS = 0.01
"""The chance that a column name occurs among the values of its column: an assumption."""
NAME_LENGTH = 0.1
"""The chance that a column name is as long as the values of a column of fixed width: names have 2
to about 15 characters."""
NAME_IN_RANGE = 0.5
"""The chance that a number as a column name lies in the range of its column: an assumption."""
FIXED_WIDTH = 0.95
"""The share of equal lengths from which a column counts as one of fixed width."""
MAX_WORDS = 4
"""Words of a cell above which it is text rather than a name."""
PSEUDO_COUNT = 0.5
"""Added to the counts of the cells of a column (Jeffreys prior)."""
NULLS = frozenset(("", "na", "n/a", "nan", "null", "none", "-"))


def has_header(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first of some rows, all of one width, names the columns."""
    first = [cell.strip() for cell in rows[0]]
    # a header that is repeated further down, as in concatenated files, is no evidence
    body = [cells for row in rows[1:] if (cells := [cell.strip() for cell in row]) != first]
    if len(body) < MIN_ROWS:
        return True
    progression = _find_progression(first)
    odds = PRIOR + sum(
        _weigh_cell(first[at], [row[at] for row in body])
        for at in range(len(first))
        if at not in progression
    )
    return odds < 0


def name_columns(width: int) -> list[str]:
    """Names for the columns of a table without a header."""
    return [f"column_{at + 1}" for at in range(width)]


def _classify(cell: str) -> str:
    """The class of a cell, a key of NAME_CLASSES."""
    lowered = cell.lower()
    if lowered in NULLS:
        return "empty"
    if is_number(lowered):
        return "number"
    if is_date(lowered):
        return "date"
    if EMAIL.fullmatch(lowered):
        return "email"
    if len(cell.split()) > MAX_WORDS:
        return "text"
    return "code" if any(sign.isdigit() for sign in cell) else "words"


def _find_progression(cells: Sequence[str]) -> set[int]:
    """Columns whose names would be 0, 1, 2 or 2019, 2020: whole numbers in steps of one."""
    whole = [(at, int(cell)) for at, cell in enumerate(cells) if re.fullmatch(r"\d{1,9}", cell)]
    return {at for a, b in pairwise(whole) if b[1] - a[1] == 1 for at in (a[0], b[0])}


def _weigh_cell(cell: str, column: Sequence[str]) -> float:
    """The log odds that a cell is a value of its column and not its name."""
    n = len(column)
    own = _classify(cell)
    classes: Counter[str] = Counter()
    for text, times in Counter(column).items():
        classes[_classify(text)] += times
    odds = _compare(classes[own], n, len(NAME_CLASSES), NAME_CLASSES[own])
    if own == "empty" or not classes[own]:
        return odds
    filled = [value for value in column if value.lower() not in NULLS]
    if own == "number":
        return odds + _weigh_range(cell, filled)
    counts = Counter(filled)
    repeated = sum(count for count in counts.values() if count > 1)
    if cell in counts:
        odds += _compare(repeated, len(filled), 2, NAME_REPEATS)
    else:
        odds += _compare(len(filled) - repeated, len(filled), 2, 1 - NAME_REPEATS)
    length, fixed = Counter(map(len, filled)).most_common(1)[0]
    if fixed >= FIXED_WIDTH * len(filled) and len(cell) != length:
        # names as short as the values of a narrow column are common, so only a difference counts
        odds += _compare(len(filled) - fixed, len(filled), 2, 1 - NAME_LENGTH)
    return odds


def _compare(count: int, total: int, outcomes: int, chance: float) -> float:
    """The log ratio of a smoothed share and the chance of the same outcome for a column name."""
    return math.log((count + PSEUDO_COUNT) / (total + outcomes * PSEUDO_COUNT) / chance)


def _weigh_range(cell: str, column: Sequence[str]) -> float:
    """The log odds of a number by the range of its column, unless the column is sorted."""
    try:
        value, *others = (float(text.replace(",", "")) for text in (cell, *column))
    except ValueError:
        return 0.0
    if others == sorted(others) or others == sorted(others, reverse=True):
        # the first of sorted numbers lies outside the range of the others
        return 0.0
    # one more draw lies outside the range of n draws with probability 2 / (n + 1)
    outside = 2 / (len(others) + 1)
    if min(others) <= value <= max(others):
        return math.log((1 - outside) / NAME_IN_RANGE)
    return math.log(outside / (1 - NAME_IN_RANGE))
