"""Blocking rules of the user: records that are equal in all columns of a rule are candidates.

A rule is a list of columns, each optionally cut to a prefix: ["surname[:3]", "postcode"]. A record
with a missing value in one of them is in no block of the rule.
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

LARGEST_SHOWN = 3
"""Blocks of a rule that the summary names."""
MAX_PAIRS = 500_000_000
"""Pairs of a rule; a rule with more is rejected, since the pairs would occupy 4 GB."""
PREFIX = re.compile(r"(?P<name>.+)\[:(?P<length>[1-9]\d*)\]")


class Column(Protocol):
    """One column: a code per record, -1 where missing, and the distinct values by code."""

    @property
    def codes(self) -> Int32s:
        """The code of each record's value."""

    @property
    def values(self) -> Any:
        """A pyarrow array of strings, one per code."""


class Rule(NamedTuple):
    """A rule: its name, and each column with the length of its prefix (0 for the whole value)."""

    name: str
    parts: tuple[tuple[str, int], ...]


class Block(NamedTuple):
    """The records that agree in the columns of a rule."""

    label: str
    size: int


class Blocks(NamedTuple):
    """The pairs of one rule."""

    pairs: Int32s
    largest: tuple[Block, ...]
    message: str
    """A message about blocks that are too large, or an empty string."""


def parse_rule(rule: Sequence[str], columns: Mapping[str, Column]) -> Rule:
    """Parse a rule such as ["surname[:3]", "postcode"]."""
    if isinstance(rule, str) or not isinstance(rule, Sequence) or not rule:
        raise InputError(f"the rule {rule!r} is no list of columns; write it as ['surname', 'dob']")
    parts = []
    for text in rule:
        cut = None if text in columns else PREFIX.fullmatch(str(text))
        name, length = (cut["name"], int(cut["length"])) if cut else (text, 0)
        if name not in columns:
            names = ", ".join(columns)
            raise InputError(f"the rule {list(rule)} names {text!r}; the columns are {names}")
        parts.append((name, length))
    return Rule(" & ".join(map(str, rule)), tuple(parts))


def build_blocks(rule: Rule, columns: Mapping[str, Column], source: Int32s, largest: int) -> Blocks:
    """Build the pairs of a rule's blocks of at most `largest` records; report larger blocks."""
    key = _number_blocks(rule, columns)
    order = np.argsort(key, kind="stable")
    order = order[np.searchsorted(key[order], 0) :]
    size = np.bincount(key[order]) if order.size else np.zeros(0, np.int64)
    start = np.concatenate([[0], np.cumsum(size)])
    biggest = np.argsort(-size, kind="stable")[:LARGEST_SHOWN]
    top = tuple(
        Block(_label_block(rule, columns, int(order[start[b]])), int(size[b]))
        for b in biggest
        if size[b] > 1
    )
    small = np.flatnonzero((size > 1) & (size <= largest))
    count = int((size[small] * (size[small] - 1) // 2).sum())
    if count > MAX_PAIRS:
        raise InputError(
            f"the rule {rule.name!r} makes {count:,} pairs; add a column to it, or lower "
            f"largest_block={largest}"
        )
    pairs = np.empty((count, 2), np.int32)
    written = _write_pairs(order, start, small, source, pairs)
    large = size[size > largest]
    message = ""
    if large.size:
        message = (
            f"the rule {rule.name!r} has {large.size:,} blocks above largest_block={largest} with "
            f"{large.sum():,} records, the largest {top[0].size:,} ({top[0].label}); the rule "
            "adds no pairs of these: add a column to it, or raise the limit"
        )
    return Blocks(pairs[:written], top, message)


def _number_blocks(rule: Rule, columns: Mapping[str, Column]) -> Ints:
    """Number the block of each record from 0; -1 where a value is missing."""
    key: Ints | None = None
    for name, length in rule.parts:
        codes = _cut_codes(columns[name], length)
        if key is None:
            key = codes
            continue
        combined = key * (int(codes.max(initial=0)) + 1) + codes
        # blocks are renumbered after every column, so that products stay below 2**62
        present = (key >= 0) & (codes >= 0)
        key = np.full(key.size, -1, np.int64)
        key[present] = np.unique(combined[present], return_inverse=True)[1].reshape(-1)
    assert key is not None
    return key


def _cut_codes(column: Column, length: int) -> Ints:
    codes = np.asarray(column.codes).astype(np.int64)
    if length == 0 or len(column.values) == 0:
        return codes
    cut = pc.utf8_slice_codeunits(column.values, 0, length)
    if isinstance(cut, pa.ChunkedArray):
        cut = cut.combine_chunks()
    short = to_numpy(cut.dictionary_encode().indices).astype(np.int64)
    return np.where(codes >= 0, short[codes], -1)


def _label_block(rule: Rule, columns: Mapping[str, Column], record: int) -> str:
    parts = []
    for name, length in rule.parts:
        value = str(columns[name].values[int(columns[name].codes[record])])
        parts.append(f"{name}={value[:length] if length else value}")
    return ", ".join(parts)


@entry
def _write_pairs(order: Ints, start: Ints, blocks: Ints, source: Int32s, pairs: Int32s) -> int:
    """Write every pair of the listed blocks, only across sources if any; return their number."""
    count = 0
    for b in blocks:
        for p in range(start[b], start[b + 1]):
            for q in range(p + 1, start[b + 1]):
                i, j = order[p], order[q]
                if source.size == 0 or source[i] != source[j]:
                    pairs[count, 0] = i
                    pairs[count, 1] = j
                    count += 1
    return count
