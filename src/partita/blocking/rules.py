"""The user's own blocking rules: records that are equal in all columns of a rule are compared.

A rule is a list of columns, each optionally cut to its beginning: ["surname[:3]", "postcode"]. A
record with a missing value in one of them is in no block of the rule.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from partita.blocking.ngrams import Int32s
from partita.data.arrow import to_numpy
from partita.errors import InputError
from partita.kernel import Ints, entry

__all__ = ["Block", "Blocks", "Column", "Rule", "build_blocks", "parse_rule"]

SHOWN = 3
"""How many of its largest blocks are told of a rule."""
MOST_PAIRS = 500_000_000
"""A rule that makes more pairs is refused before memory is asked for."""
PREFIX = re.compile(r"(?P<name>.+)\[:(?P<length>[1-9]\d*)\]")


class Column(Protocol):
    """One column: a code per record, -1 where missing, and the distinct values they stand for."""

    @property
    def codes(self) -> Int32s:
        """The code of each record's value."""

    @property
    def values(self) -> Any:
        """A pyarrow array of strings, one per code."""


class Rule(NamedTuple):
    """One rule: its name, and each column with the length it is cut to (0 for all of it)."""

    name: str
    parts: tuple[tuple[str, int], ...]


class Block(NamedTuple):
    """Records that a rule brings together."""

    label: str
    size: int


class Blocks(NamedTuple):
    """What one rule makes of the records."""

    pairs: Int32s
    largest: tuple[Block, ...]
    message: str
    """What the user should know of blocks that were too large, or empty."""


def parse_rule(rule: Sequence[str], columns: Mapping[str, Column]) -> Rule:
    """Read one rule, such as ["surname[:3]", "postcode"]."""
    if isinstance(rule, str) or not isinstance(rule, Sequence) or not rule:
        raise InputError(f"the rule {rule!r} is no list of columns; write it as ['surname', 'dob']")
    parts = []
    for text in rule:
        cut = None if text in columns else PREFIX.fullmatch(str(text))
        name, length = (cut["name"], int(cut["length"])) if cut else (text, 0)
        if name not in columns:
            known = ", ".join(columns)
            raise InputError(f"the rule {list(rule)} names {text!r}; the columns are {known}")
        parts.append((name, length))
    return Rule(" & ".join(map(str, rule)), tuple(parts))


def build_blocks(rule: Rule, columns: Mapping[str, Column], source: Int32s, largest: int) -> Blocks:
    """All pairs of a rule's blocks of at most `largest` records; of larger ones, a message."""
    key = _keys(rule, columns)
    order = np.argsort(key, kind="stable")
    order = order[np.searchsorted(key[order], 0) :]
    size = np.bincount(key[order]) if order.size else np.zeros(0, np.int64)
    start = np.concatenate([[0], np.cumsum(size)])
    biggest = np.argsort(-size, kind="stable")[:SHOWN]
    shown = tuple(
        Block(_label(rule, columns, int(order[start[b]])), int(size[b]))
        for b in biggest
        if size[b] > 1
    )
    small = np.flatnonzero((size > 1) & (size <= largest))
    count = int((size[small] * (size[small] - 1) // 2).sum())
    if count > MOST_PAIRS:
        raise InputError(
            f"the rule {rule.name!r} makes {count:,} pairs; add a column to it, or lower "
            f"largest_block={largest}"
        )
    pairs = np.empty((count, 2), np.int32)
    made = _pairs(order, start, small, source, pairs)
    large = size[size > largest]
    message = ""
    if large.size:
        message = (
            f"the rule {rule.name!r} has {large.size:,} blocks above largest_block={largest} with "
            f"{large.sum():,} records, the largest {shown[0].size:,} ({shown[0].label}); their "
            "pairs are left to the searches and to other rules: add a column, or raise the limit"
        )
    return Blocks(pairs[:made], shown, message)


def _keys(rule: Rule, columns: Mapping[str, Column]) -> Ints:
    """The number of each record's block, -1 where a value is missing; blocks from 0 on."""
    key: Ints | None = None
    for name, length in rule.parts:
        codes = _codes(columns[name], length)
        if key is None:
            key = codes
            continue
        both = key * (int(codes.max(initial=0)) + 1) + codes
        # numbered anew after every column, so that products stay below 2**62
        present = (key >= 0) & (codes >= 0)
        key = np.full(key.size, -1, np.int64)
        key[present] = np.unique(both[present], return_inverse=True)[1].reshape(-1)
    assert key is not None
    return key


def _codes(column: Column, length: int) -> Ints:
    codes = np.asarray(column.codes).astype(np.int64)
    if length == 0 or len(column.values) == 0:
        return codes
    cut = pc.utf8_slice_codeunits(column.values, 0, length)
    if isinstance(cut, pa.ChunkedArray):
        cut = cut.combine_chunks()
    short = to_numpy(cut.dictionary_encode().indices).astype(np.int64)
    return np.where(codes >= 0, short[codes], -1)


def _label(rule: Rule, columns: Mapping[str, Column], record: int) -> str:
    found = []
    for name, length in rule.parts:
        value = str(columns[name].values[int(columns[name].codes[record])])
        found.append(f"{name}={value[:length] if length else value}")
    return ", ".join(found)


@entry
def _pairs(order: Ints, start: Ints, blocks: Ints, source: Int32s, pairs: Int32s) -> int:
    """Write every pair of every listed block, across sources if there are any; return how many."""
    made = 0
    for b in blocks:
        for p in range(start[b], start[b + 1]):
            for q in range(p + 1, start[b + 1]):
                i, j = order[p], order[q]
                if source.size == 0 or source[i] != source[j]:
                    pairs[made, 0] = i
                    pairs[made, 1] = j
                    made += 1
    return made
