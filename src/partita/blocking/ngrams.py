"""Features of values: a value itself, or the character n-grams of its words.

Grams are read from the UTF-8 bytes of all distinct values at once and numbered by an open-addressed
table, so that no string is ever made.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.kernel import Bytes, Ints, entry, kernel

__all__ = ["MULTIPLIER", "PRIME", "Int32s", "ValueFeatures", "extract_ngrams", "use_whole_values"]

Int32s = NDArray[np.int32]

PRIME = 2**31 - 1
"""Hashes are residues of it, so that no product leaves 63 bits, compiled or not."""
FACTOR, MULTIPLIER = 48271, 1_220_703_125
BLANK = 32


class ValueFeatures(NamedTuple):
    """Features of each value: those of value v are feature[start[v]:start[v + 1]]."""

    start: Ints
    feature: Int32s
    total: int


class Table(NamedTuple):
    """An open-addressed table from the key of a gram to its number."""

    keys: Ints
    names: Int32s
    seen: Int32s
    """The last value in which each gram was seen."""


def use_whole_values(count: int) -> ValueFeatures:
    """Each value is its own only feature."""
    return ValueFeatures(np.arange(count + 1), np.arange(count, dtype=np.int32), count)


def extract_ngrams(texts: Bytes, ends: Ints, length: int = 3) -> ValueFeatures:
    """Distinct character n-grams of each value, from all values' UTF-8 and where each ends.

    Grams are cut from words framed by blanks; a word too short for one is a gram as a whole.
    """
    start = np.zeros(ends.size + 1, np.int64)
    feature = np.empty(texts.size, np.int32)
    word = np.empty(int(np.diff(ends, prepend=0).max(initial=0)) + 2, np.int64)
    size = 1 << 14
    keys, names = np.full(size, -1, np.int64), np.zeros(size, np.int32)
    seen = np.full(size, -1, np.int32)
    done, count = 0, 0
    while done < ends.size:
        table = Table(keys, names, seen)
        done, count = _grams(texts, ends, word, length, start, feature, table, done, count)
        if done < ends.size:
            size *= 4
            keys, names = np.full(size, -1, np.int64), np.zeros(size, np.int32)
            seen = np.concatenate([seen, np.full(size - seen.size, -1, np.int32)])
            _rehash(table.keys, table.names, keys, names)
    return ValueFeatures(start, feature[: start[-1]].copy(), count)


@kernel
def _cell(keys: Ints, key: int) -> int:
    """The cell of a key in an open-addressed table, or the empty cell where it belongs."""
    mask = keys.size - 1
    cell = key % PRIME & mask
    while keys[cell] != -1 and keys[cell] != key:
        cell = (cell + 1) & mask
    return cell


@entry
def _rehash(old_keys: Ints, old_names: Int32s, keys: Ints, names: Int32s) -> None:
    for k in range(old_keys.size):
        if old_keys[k] != -1:
            cell = _cell(keys, old_keys[k])
            keys[cell] = old_keys[k]
            names[cell] = old_names[k]


@kernel
def _word(texts: Bytes, at: int, end: int, word: Ints) -> tuple[int, int]:
    """Decode one word of UTF-8, framed by blanks; its length, and where the next one starts."""
    word[0] = BLANK
    size = 1
    while at < end and texts[at] != BLANK:
        lead = int(texts[at])
        many = 1 + (lead >= 0xC0) + (lead >= 0xE0) + (lead >= 0xF0)
        code = lead if many == 1 else lead & (0x7F >> many)
        for k in range(1, many):
            code = code << 6 | int(texts[at + k]) & 0x3F
        word[size] = code
        size += 1
        at += many
    word[size] = BLANK
    return size + 1, at + 1


@kernel
def _key(word: Ints, at: int, end: int) -> int:
    """A number of 62 bits for a run of characters: two independent polynomial hashes."""
    a, b = 0, 0
    for k in range(at, end):
        a = (a * FACTOR + word[k]) % PRIME
        b = (b * MULTIPLIER + word[k]) % PRIME
    return a << 31 | b


@entry
def _grams(
    texts: Bytes,
    ends: Ints,
    word: Ints,
    length: int,
    start: Ints,
    feature: Int32s,
    table: Table,
    done: int,
    count: int,
) -> tuple[int, int]:
    """Append the grams of values from `done` on, until the table might be half full."""
    for value in range(done, ends.size):
        at = 0 if value == 0 else ends[value - 1]
        if 2 * (count + ends[value] - at) > table.keys.size:
            return value, count
        top = start[value]
        while at < ends[value]:
            size, at = _word(texts, at, ends[value], word)
            for left in range(max(1, size - length + 1) if size > 2 else 0):
                key = _key(word, left, min(left + length, size))
                cell = _cell(table.keys, key)
                if table.keys[cell] == -1:
                    table.keys[cell] = key
                    table.names[cell] = count
                    count += 1
                name = table.names[cell]
                if table.seen[name] != value:
                    table.seen[name] = value
                    feature[top] = name
                    top += 1
        start[value + 1] = top
    return ends.size, count
