"""Features of values: the value itself, or the character n-grams of its words.

N-grams are read from the UTF-8 bytes of all distinct values and numbered by an open-addressed hash
table, without making strings.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.kernel import Bytes, Ints, entry, kernel

__all__ = [
    "MULTIPLIER",
    "PRIME",
    "Int32s",
    "ValueFeatures",
    "extract_ngrams",
    "hash_values",
    "use_whole_values",
]

Int32s = NDArray[np.int32]

PRIME = 2**31 - 1
"""Hashes are residues modulo this prime, so that products fit into 63 bits."""
FACTOR = 48271
"""Multiplier of the first polynomial hash, a primitive root of PRIME."""
MULTIPLIER = 1_220_703_125
"""Multiplier of the second polynomial hash and of tie breaking, 5**13."""
BLANK = 32
"""The code of a blank, which frames words."""
NO_KEYS = np.empty(0, np.int64)
"""Keys of features that have none."""


class ValueFeatures(NamedTuple):
    """Features of each value: those of value v are feature[start[v]:start[v + 1]]."""

    start: Ints
    feature: Int32s
    total: int
    keys: Ints = NO_KEYS
    """The hash of each n-gram, which is the same in every file; empty for whole values."""


class Table(NamedTuple):
    """An open-addressed hash table from the key of an n-gram to its number."""

    keys: Ints
    names: Int32s
    seen: Int32s
    """The last value in which each n-gram occurred."""


def use_whole_values(count: int) -> ValueFeatures:
    """Make each value its own single feature."""
    return ValueFeatures(np.arange(count + 1), np.arange(count, dtype=np.int32), count)


def extract_ngrams(texts: Bytes, ends: Ints, length: int = 3) -> ValueFeatures:
    """Extract the distinct character n-grams of each value from the UTF-8 of all values.

    Words are framed by blanks; a word shorter than an n-gram is one n-gram as a whole.
    """
    start = np.zeros(ends.size + 1, np.int64)
    # a word of k letters, framed, has k + 3 - length n-grams, and at least one
    feature = np.empty(texts.size * max(1, 4 - length), np.int32)
    word = np.empty(int(np.diff(ends, prepend=0).max(initial=0)) + 2, np.int64)
    size = 1 << 14
    keys, names = np.full(size, -1, np.int64), np.zeros(size, np.int32)
    seen = np.full(size, -1, np.int32)
    done, count = 0, 0
    while done < ends.size:
        table = Table(keys, names, seen)
        done, count = _append_ngrams(texts, ends, word, length, start, feature, table, done, count)
        if done < ends.size:
            size *= 4
            keys, names = np.full(size, -1, np.int64), np.zeros(size, np.int32)
            seen = np.concatenate([seen, np.full(size - seen.size, -1, np.int32)])
            _rehash(table.keys, table.names, keys, names)
    hashes = np.empty(count, np.int64)
    hashes[names[keys != -1]] = keys[keys != -1]
    return ValueFeatures(start, feature[: start[-1]].copy(), count, hashes)


def hash_values(texts: Bytes, ends: Ints, seeds: Ints) -> Ints:
    """Hash the UTF-8 of each whole value to 62 bits, with a seed for each value."""
    keys = np.empty(ends.size, np.int64)
    _hash_texts(texts, ends, seeds, keys)
    return keys


@entry
def _hash_texts(texts: Bytes, ends: Ints, seeds: Ints, keys: Ints) -> None:
    at = 0
    for value in range(ends.size):
        a, b = seeds[value] % PRIME, (seeds[value] * MULTIPLIER + 1) % PRIME
        while at < ends[value]:
            a = (a * FACTOR + int(texts[at]) + 1) % PRIME
            b = (b * MULTIPLIER + int(texts[at]) + 1) % PRIME
            at += 1
        keys[value] = a << 31 | b


@kernel
def _find_cell(keys: Ints, key: int) -> int:
    """Find the cell of a key, or the empty cell for it."""
    mask = keys.size - 1
    cell = key % PRIME & mask
    while keys[cell] != -1 and keys[cell] != key:
        cell = (cell + 1) & mask
    return cell


@entry
def _rehash(old_keys: Ints, old_names: Int32s, keys: Ints, names: Int32s) -> None:
    for k in range(old_keys.size):
        if old_keys[k] != -1:
            cell = _find_cell(keys, old_keys[k])
            keys[cell] = old_keys[k]
            names[cell] = old_names[k]


@kernel
def _decode_word(texts: Bytes, at: int, end: int, word: Ints) -> tuple[int, int]:
    """Decode one word of UTF-8, framed by blanks; return its length and the next start."""
    word[0] = BLANK
    size = 1
    while at < end and texts[at] != BLANK:
        lead = int(texts[at])
        width = 1 + (lead >= 0xC0) + (lead >= 0xE0) + (lead >= 0xF0)
        code = lead if width == 1 else lead & (0x7F >> width)
        for k in range(1, width):
            code = code << 6 | int(texts[at + k]) & 0x3F
        word[size] = code
        size += 1
        at += width
    word[size] = BLANK
    return size + 1, at + 1


@kernel
def _hash_run(word: Ints, at: int, end: int) -> int:
    """Hash a run of characters to 62 bits by two polynomial hashes."""
    a, b = 0, 0
    for k in range(at, end):
        a = (a * FACTOR + word[k]) % PRIME
        b = (b * MULTIPLIER + word[k]) % PRIME
    return a << 31 | b


@entry
def _append_ngrams(
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
    """Append the n-grams of values from `done` on, until the table may be half full."""
    for value in range(done, ends.size):
        at = 0 if value == 0 else ends[value - 1]
        if 2 * (count + ends[value] - at) > table.keys.size:
            return value, count
        top = start[value]
        while at < ends[value]:
            size, at = _decode_word(texts, at, ends[value], word)
            for left in range(max(1, size - length + 1) if size > 2 else 0):
                key = _hash_run(word, left, min(left + length, size))
                cell = _find_cell(table.keys, key)
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
