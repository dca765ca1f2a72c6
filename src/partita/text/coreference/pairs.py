"""Features of a mention with each possible antecedent, and of a mention that opens an entity.

Features are numbers: hashes of a template and of codes of attributes. The templates are those of
KBALIGN, Table 1, as far as they need no parser: string, head, form, gender, number, type, distance.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.kernel import Ints
from partita.text.coreference.attributes import PRON, Attributes

__all__ = [
    "AGREEMENT",
    "GUESSED",
    "SIZE",
    "Antecedents",
    "list_antecedents",
    "mix_codes",
    "new_features",
    "pair_features",
]

SIZE = 1 << 19
"""Number of weights that the features share, by hash; 4 MB."""
MAX_DISTANCE = 80
"""Mentions before a mention that are always possible antecedents. Origin: 98 % of the nearest
antecedents of GUM's training documents; mentions with the same head are listed beyond it."""
MAX_FAR = 50
"""Mentions beyond that distance with the same head, text or initials that are possible antecedents,
the latest ones: without a limit, their number grows with the square of the mentions of a name.
Origin: a choice."""
MAX_WORDS = 6
"""Content words of a mention that are compared."""
WIDTH = 34
"""Features of an option at most."""
AGREEMENT = 23
"""The first of two columns that agreement of links fills; 0 without a knowledge base."""
GUESSED = 25
"""The first of nine columns that features of guessed entities fill; 0 in the first pass."""
SENTENCES = np.array([1, 2, 3, 5, 9, 17])
"""Limits of the classes of distance in sentences."""
MENTIONS = np.array([2, 3, 5, 9, 17, 33, 65])
"""Limits of the classes of distance in mentions."""
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
"""Odd constant of Fibonacci hashing."""


class Antecedents(NamedTuple):
    """Pairs of a mention and an earlier one, ordered by mention."""

    mention: Ints
    other: Ints


def mix_codes(template: int, *columns: Any) -> NDArray[np.int32]:
    """Hash a template and columns of codes to feature numbers 1..SIZE-1."""
    with np.errstate(over="ignore"):
        mixed: Any = np.uint64(template + 1) * MULTIPLIER
        for column in columns:
            mixed = (mixed ^ np.asarray(column).astype(np.uint64)) * MULTIPLIER
            mixed = mixed ^ (mixed >> np.uint64(29))
    return np.asarray(mixed % np.uint64(SIZE - 1)).astype(np.int32) + np.int32(1)


def list_antecedents(of: Attributes) -> Antecedents:
    """List nearby mentions, and earlier mentions with the same head, text or initials."""
    n = of.form.size
    mention, other = [], []
    keys: dict[tuple[int, int], list[int]] = {}
    for j in range(n):
        near = max(0, j - MAX_DISTANCE)
        far: set[int] = set()
        own = [(0, int(of.head[j])), (1, int(of.text[j])), (1, int(of.last[j]))]
        if of.form[j] != PRON:
            for key in own:
                # places ascend, and at most MAX_DISTANCE of them are near
                latest = keys.get(key, [])[-MAX_FAR - MAX_DISTANCE :]
                far.update([i for i in latest if i < near][-MAX_FAR:])
        for key in own[:2]:
            keys.setdefault(key, []).append(j)
        places = [*sorted(far), *range(near, j)]
        other += places
        mention += [j] * len(places)
    return Antecedents(np.array(mention, np.int64), np.array(other, np.int64))


def pair_features(of: Attributes, pairs: Antecedents, lexical: bool = True) -> NDArray[np.int32]:
    """Return the features of each pair, one row each; without `lexical` no single words."""
    j, i = pairs
    words = _pad_words(of)
    kinds, forms = (of.kind[i], of.kind[j]), (of.form[i], of.form[j])
    text, head = of.text[i] == of.text[j], of.head[i] == of.head[j]
    near = np.searchsorted(SENTENCES, np.maximum(of.sentence[j] - of.sentence[i], 0), "right")
    apart = np.searchsorted(MENTIONS, j - i, "right")
    shared = _count_shared(words, i, j)
    parts = _is_word(words, of.head[i], j) + 2 * _is_word(words, of.head[j], i)
    types = np.where((of.type[i] == 0) | (of.type[j] == 0), 2, of.type[i] == of.type[j])
    number, gender = of.number[i] + 2 * of.number[j], of.gender[i] + 4 * of.gender[j]
    ends = (of.first[i] == of.first[j]) + 2 * (of.last[i] == of.last[j])
    short = (of.initials[i] == of.letters[j]) | (of.initials[j] == of.letters[i])
    short &= (of.initials[i] != 0) | (of.initials[j] != 0)
    nested = (of.end[j] <= of.end[i]).astype(np.int64)
    is_last = _next_same(of.text)[i] >= j
    between = _find_between(of, i, j)
    columns = [
        mix_codes(0, *kinds),
        mix_codes(1, *kinds, text, is_last),
        mix_codes(2, *kinds, head),
        mix_codes(3, *forms, shared, head),
        mix_codes(4, *forms, parts, head),
        mix_codes(5, of.type[i], of.type[j], *forms),
        mix_codes(6, *forms, types, head, text),
        mix_codes(7, of.kind[j], of.type[i], near),
        mix_codes(8, *kinds, gender),
        mix_codes(9, *forms, number, head),
        mix_codes(10, *kinds, near),
        mix_codes(11, *kinds, apart),
        mix_codes(12, *forms, nested, near == 0),
        mix_codes(13, *forms, ends, types),
        mix_codes(14, *forms, short, types),
        mix_codes(15, *forms, of.prefix[i] == of.prefix[j], head, types),
        mix_codes(16, *kinds, between),
        mix_codes(17, head, types, number, near, *forms),
        mix_codes(18, text, types, apart, *forms),
    ]
    if lexical:
        columns += [
            mix_codes(19, of.head[j], of.form[i], head),
            mix_codes(20, of.head[i], of.kind[j], head),
            mix_codes(21, np.minimum(of.head[i], of.head[j]), np.maximum(of.head[i], of.head[j])),
            np.where(text, mix_codes(22, of.text[j]), np.int32(0)),
        ]
    return _fill(columns)


def new_features(of: Attributes, lexical: bool = True) -> NDArray[np.int32]:
    """Return the features of each mention as the first one of its entity."""
    seen_text, seen_head = _count_seen(of.text), _count_seen(of.head)
    nested = np.append(0, of.begin[1:] < np.maximum.accumulate(of.end)[:-1])[: of.form.size]
    columns = [
        mix_codes(32, of.kind),
        mix_codes(33, of.kind, of.type),
        mix_codes(34, of.kind, seen_text),
        mix_codes(35, of.kind, seen_head),
        mix_codes(36, of.kind, of.length),
        mix_codes(37, of.kind, nested),
        mix_codes(38, of.kind, of.number, of.gender),
        mix_codes(39, of.form, np.minimum(np.arange(of.form.size), 3)),
        mix_codes(40, of.form, of.type, seen_head, of.length),
    ]
    if lexical:
        columns += [
            mix_codes(41, of.head),
            mix_codes(42, of.first, of.form),
            mix_codes(43, of.before, of.form),
            mix_codes(44, of.after, of.form),
            mix_codes(45, of.text),
        ]
    return _fill(columns)


def _fill(columns: list[NDArray[np.int32]]) -> NDArray[np.int32]:
    rows = np.zeros((len(columns[0]), WIDTH), np.int32)
    for k, column in enumerate(columns):
        rows[:, k] = column
    return rows


def _pad_words(of: Attributes) -> Ints:
    words = np.zeros((of.form.size, MAX_WORDS), np.int64)
    for row, words_of_row in zip(words, of.words, strict=True):
        some = sorted(words_of_row)[:MAX_WORDS]
        row[: len(some)] = some
    return words


def _count_shared(words: Ints, i: Ints, j: Ints) -> Ints:
    """The class of shared words: none, some, all of the shorter mention, all of both."""
    size = (words != 0).sum(1)
    same = (words[i][:, :, None] == words[j][:, None, :]) & (words[i] != 0)[:, :, None]
    shared = same.sum((1, 2))
    shorter, longer = np.minimum(size[i], size[j]), np.maximum(size[i], size[j])
    whole = (shared == shorter) & (shared > 0)
    return np.where(shared == 0, 0, np.where(whole, np.where(shared == longer, 3, 2), 1))


def _is_word(words: Ints, head: Ints, of: Ints) -> Ints:
    return np.asarray((words[of] == head[:, None]).any(1)).astype(np.int64)


def _next_same(codes: Ints) -> Ints:
    """The next mention with the same code; the number of mentions if there is none."""
    n = codes.size
    following = np.full(n, n)
    last: dict[int, int] = {}
    for k in range(n - 1, -1, -1):
        following[k] = last.get(int(codes[k]), n)
        last[int(codes[k])] = k
    return following


def _count_seen(codes: Ints) -> Ints:
    """How many earlier mentions have the same code, at most 2."""
    counts: dict[int, int] = {}
    seen = np.zeros(codes.size, np.int64)
    for k, value in enumerate(codes.tolist()):
        seen[k] = min(counts.get(value, 0), 2)
        counts[value] = counts.get(value, 0) + 1
    return seen


def _find_between(of: Attributes, i: Ints, j: Ints) -> Ints:
    """A code of the tokens between two mentions that stand at most two tokens apart; else 0."""
    gap = of.begin[j] - of.end[i]
    tokens = np.append(of.tokens, [0, 0])
    at = np.clip(of.end[i], 0, tokens.size - 2)
    x, y = tokens[at], tokens[np.minimum(at + 1, tokens.size - 1)]
    return np.where(gap == 0, 1, np.where(gap == 1, x, np.where(gap == 2, x * 31 + y, 0)))
