"""The probability that a column is a key: unique values of one form, which number the records."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pyarrow.compute as pc

from partita.data import Column
from partita.data.arrow import from_numpy, to_numpy
from partita.data.redundancy import ID_NAME, UUID
from partita.kernel import Ints

__all__ = ["measure_key"]

SAMPLE_VALUES = 500
"""Values whose form is read. A limit of CPU seconds."""
MIN_RECORDS = 30
"""Filled records from which uniqueness is evidence; with fewer the probability shrinks. Origin: a
choice."""
REPEATS = 0.02
"""Share of repeated values at which the probability of uniqueness is halved, with 2 values more.
Origin: a choice; duplicates that copy an identifier repeat more."""
PLAIN_SHARE = 0.7
"""Probability that unique values of one form are a key. Origin: a choice."""
NAMED_SHARE = 0.95
"""The same where the column is named like a key. Origin: a choice."""
ADDRESS_SHARE = 0.2
"""The same for phones, e-mails and identifiers that an authority gives out. Origin: a choice."""
AUTHORITY_NAME = re.compile(
    r"(?:^|[\W_])(?:isbn|issn|doi|ean|gtin|upc|orcid|ssn|soc|vat|tax|lei|duns|siren|iban|cusip|isin)"
    r"(?:id|no|nr|number|code)?(?:$|[\W_\d])|phone|mail",
    re.IGNORECASE,
)
"""Names of identifiers that belong to entities."""
KEY_NAME = re.compile(
    r"guid|uuid|hash|serial|(?:^|[\W_])key(?:$|[\W_])|(?:^|[\W_])(?:nr|no)$|number$", re.IGNORECASE
)
"""Further names of keys."""
HEX = r"^[0-9a-f]{8,64}$"
"""Hashes in hexadecimal digits, after cleaning."""


def measure_key(column: Column, column_type: str) -> float:
    """The probability that a column numbers the records, by uniqueness, form and name.

    Each repeated value lowers it a little: no value decides by itself. A column that is unique in
    each file and shared between files has repeated values, and is none.
    """
    filled, distinct = int(column.counts.sum()), len(column.values)
    if not filled:
        return 0.0
    repeats = filled - distinct
    unique = 1.0 / (1.0 + repeats / (REPEATS * filled + 2.0))
    enough = filled / (filled + MIN_RECORDS)
    if column_type in ("phone", "email") or AUTHORITY_NAME.search(column.name):
        share = ADDRESS_SHARE
    elif ID_NAME.search(column.name) or KEY_NAME.search(column.name):
        share = NAMED_SHARE
    else:
        share = PLAIN_SHARE
    return share * unique * enough * _measure_form(column)


def _measure_form(column: Column) -> float:
    """The share of the values that have the most frequent form; UUIDs and hashes are one form."""
    step = max(1, len(column.values) // SAMPLE_VALUES)
    some: Ints = np.arange(0, len(column.values), step)
    values = column.values.take(from_numpy(some))
    hexadecimal = max(
        float(to_numpy(pc.match_substring_regex(values, form)).mean()) for form in (UUID, HEX)
    )
    texts = column.texts(some)
    masks = Counter(re.sub(r"[^\W\d_]", "a", re.sub(r"\d", "9", text)) for text in texts)
    has_digit = float(np.mean([any(sign.isdigit() for sign in text) for text in texts]))
    return max(hexadecimal, has_digit * masks.most_common(1)[0][1] / len(texts))
