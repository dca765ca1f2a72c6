"""Attributes of tokens and segments, as sparse rows of the segment model.

An attribute of a token is computed once for each distinct word. The vocabulary numbers the
attributes of the training lines; other lines keep only attributes of the vocabulary.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse

from partita.kernel import Floats, Ints
from partita.text.extraction.contexts import DIMENSIONS, embed_words, form_of
from partita.text.extraction.rules import Rules
from partita.text.extraction.tokens import Tokens, fold

__all__ = ["Attributes", "Vocabulary", "describe_word", "read_vocabulary"]

AFFIX = 3
"""Letters of the prefix and suffix of a word, as in CoNLL taggers."""
WORD = "w="
"""Prefix of the attribute of the word itself."""
LEFT, RIGHT = -1, 1
PARTS, STEPS = 6, 8
"""Parts of a line, and tokens from either end, that are attributes of a token's place; as in the
attributes of CDRANK's citations."""
PLACES = PARTS + 2 * STEPS
"""Attributes of a token's place."""


class Attributes(NamedTuple):
    """Sparse attributes of lines; each matrix has one column for each attribute of its role."""

    start: Ints
    inside: sparse.csr_array
    """Tokens by attributes: a segment has the sum of its tokens' rows."""
    opening: sparse.csr_array
    """Attributes of the first token of a segment."""
    closing: sparse.csr_array
    """Attributes of the last token of a segment."""
    whole: sparse.csr_array
    """Rows token * lengths + (length - 1): attributes of one segment."""

    def take(self, first: int, last: int) -> Attributes:
        """Return the lines first .. last - 1."""
        if (first, last) == (0, self.start.size - 1):
            return self
        a, b = self.start[first], self.start[last]
        lengths = self.whole.shape[0] // max(1, int(self.start[-1]))
        return Attributes(
            self.start[first : last + 1] - a,
            self.inside[a:b],
            self.opening[a:b],
            self.closing[a:b],
            self.whole[a * lengths : b * lengths],
        )


def describe_word(word: str) -> list[str]:
    """Return the attributes of a word: itself, its shape, affixes and last sign.

    >>> describe_word("Road,")
    ['w=road', 's=Aa,', 'p=roa', 'e=oad', 'end=,']
    """
    form = fold(word)
    names = [f"{WORD}{form}", f"s={shape_of(word)}"]
    if len(form) > AFFIX:
        names += [f"p={form[:AFFIX]}", f"e={form[-AFFIX:]}"]
    if len(word) > 1 and not word[-1].isalnum():
        names.append(f"end={word[-1]}")
    return names


def shape_of(word: str) -> str:
    """Return the shape of a word: runs of letters, digits and signs.

    >>> shape_of("I-80"), shape_of("12/25"), shape_of("2.5*")
    ('A-0', '0/0', '0.0*')
    """
    shape = re.sub(r"\d+", "0", word)
    shape = re.sub(r"[^\W\d_]+", _letters, shape)
    return shape[:8]


def _letters(match: re.Match[str]) -> str:
    run = match.group()
    if run.islower():
        return "a"
    return "A" if run.isupper() and len(run) == 1 else "AA" if run.isupper() else "Aa"


@dataclass(frozen=True)
class Vocabulary:
    """Numbers of the attributes of each role; rules have numbers of their own."""

    word: dict[str, int]
    """Attributes of words; each has one number inside, one to the left and one to the right."""
    vectors: dict[str, Floats]
    """Distributional attributes of forms (see `contexts`)."""
    rules: int
    lengths: int
    own_forms: bool = True
    """Whether a token has the attributes of its own form, or of its neighbours' forms only.

    Rules select tokens by form. Without labels, the weights of a token's own form would extend the
    selection to tokens at which no rule fires; the context does not.
    """

    @property
    def widths(self) -> tuple[int, int, int, int]:
        """The number of attributes of each role: inside, opening, closing, whole."""
        words = len(self.word)
        # inside: bias and place, contexts, own word, both neighbours, rules before and after the
        # token, rules, no rule
        inside = 3 + PLACES + DIMENSIONS + 3 * words + 3 * self.rules + 1
        return inside, 2 * words + 1, 2 * words + 1, self.rules

    @property
    def rule_rows(self) -> slice:
        """The rows of `inside` of the rules, and as the last one of tokens without a firing."""
        first = 3 + PLACES + DIMENSIONS + 3 * len(self.word) + 2 * self.rules
        return slice(first, first + self.rules + 1)

    def _context(self, tokens: Tokens) -> sparse.csr_array:
        """Return tokens by the distributional attributes of their forms."""
        rows = np.zeros((len(tokens.words), DIMENSIONS))
        for k, word in enumerate(tokens.words):
            vector = self.vectors.get(form_of(word))
            if vector is not None:
                rows[k, : vector.size] = vector
        return sparse.csr_array(rows[tokens.word])

    def encode(self, rules: Rules) -> Attributes:
        """Encode the tokens of compiled rules, and the firings of the rules."""
        tokens = rules.tokens
        own = _rows_of_words(self.word, tokens)
        left, right = _shift(own, tokens, LEFT), _shift(own, tokens, RIGHT)
        if not self.own_forms:
            is_word = [float(name.startswith(WORD)) for name in self.word]
            own = sparse.csr_array(own @ sparse.diags_array(is_word))
            own.eliminate_zeros()
        ends = np.zeros((tokens.n, 3))
        filled = np.flatnonzero(np.diff(tokens.start))
        ends[:, 0] = 1.0
        ends[tokens.start[filled], 1] = 1.0
        ends[tokens.start[filled + 1] - 1, 2] = 1.0
        fired = fire_tokens(rules)
        silent = sparse.csr_array(weigh_silence(fired, tokens).reshape(-1, 1))
        return Attributes(
            tokens.start,
            _join(
                sparse.csr_array(ends),
                find_places(tokens),
                self._context(tokens),
                *(own, left, right),
                surround_tokens(fired, tokens),
                *(fired, silent),
            ),
            _join(own, left, sparse.csr_array(ends[:, [1]])),
            _join(own, right, sparse.csr_array(ends[:, [2]])),
            fire_segments(rules, self.lengths),
        )


def weigh_silence(fired: sparse.csr_array, tokens: Tokens) -> Floats:
    """Return the weight of the statement `other` at tokens without a firing, else 0.

    That no dictionary and no pattern has a word is one observation of the word, not one of each of
    its tokens; the tokens of a word share a weight of 1.
    """
    is_silent = fired.sum(axis=1) == 0
    count = np.bincount(tokens.word[is_silent], minlength=len(tokens.words))
    return np.where(is_silent, 1.0 / np.maximum(count[tokens.word], 1), 0.0)


def find_places(tokens: Tokens) -> sparse.csr_array:
    """Return tokens by places: the part of the line, and the tokens from its start and end."""
    line = tokens.line_of()
    before = np.arange(tokens.n) - tokens.start[line]
    after = tokens.start[line + 1] - 1 - tokens.start[line] - before
    part = PARTS * before // (before + after + 1)
    column = np.stack(
        [
            part,
            PARTS + np.minimum(before, STEPS - 1),
            PARTS + STEPS + np.minimum(after, STEPS - 1),
        ],
        1,
    )
    row = np.arange(0, column.size + 1, column.shape[1])
    cells = (np.ones(column.size), column.ravel(), row)
    return sparse.csr_array(cells, shape=(tokens.n, PLACES))


def surround_tokens(fired: sparse.csr_array, tokens: Tokens) -> sparse.csr_array:
    """Return tokens by rules that fire before, and then that fire after, the token in its line."""
    count = np.asarray(fired.todense())
    line = tokens.line_of()
    total = np.concatenate([np.zeros((1, count.shape[1])), np.cumsum(count, 0)])
    before = total[:-1] > total[tokens.start[line]]
    after = total[tokens.start[line + 1]] > total[1:]
    return sparse.csr_array(np.hstack([before, after]).astype(float))


def _join(*parts: sparse.csr_array) -> sparse.csr_array:
    return sparse.csr_array(sparse.hstack(parts, format="csr"))


def read_vocabulary(rules: Rules, lengths: int, own_forms: bool = True) -> Vocabulary:
    """Number the attributes of the words of lines."""
    tokens = rules.tokens
    names = dict.fromkeys(name for word in tokens.words for name in describe_word(word))
    places = {name: k for k, name in enumerate(names)}
    return Vocabulary(places, embed_words(tokens), len(rules.schema.rules), lengths, own_forms)


def _rows_of_words(places: dict[str, int], tokens: Tokens) -> sparse.csr_array:
    """Return tokens by attributes of words."""
    numbers = [
        [places[name] for name in describe_word(word) if name in places] for word in tokens.words
    ]
    row = np.concatenate([[0], np.cumsum([len(n) for n in numbers], dtype=np.int64)])
    flat = np.array([k for row_numbers in numbers for k in row_numbers], np.int64)
    by_word = sparse.csr_array(
        (np.ones(flat.size), flat, row), shape=(len(tokens.words), len(places))
    )
    return sparse.csr_array(by_word[tokens.word])


def _shift(rows: sparse.csr_array, tokens: Tokens, by: int) -> sparse.csr_array:
    """Return the row of each token's neighbour in its line; a zero row beyond the line."""
    if tokens.n == 0:
        return rows
    chosen = tokens.find_shifted(by)
    selector = sparse.csr_array(
        (np.ones(chosen.size), (chosen, chosen + by)), shape=(tokens.n, tokens.n)
    )
    return sparse.csr_array(selector @ rows)


def fire_tokens(rules: Rules) -> sparse.csr_array:
    """Return tokens by rules: 1 where a firing of the rule covers the token."""
    _, token, rule = rules.firings.spread()
    return _mark_cells(token, rule, (rules.tokens.n, len(rules.schema.rules)))


def fire_segments(rules: Rules, lengths: int) -> sparse.csr_array:
    """Return segments by rules: 1 where a firing of the rule is the segment."""
    rule, _, start, stop = rules.firings
    size = stop - start
    fits = size <= lengths
    segment = start[fits] * lengths + size[fits] - 1
    return _mark_cells(segment, rule[fits], (rules.tokens.n * lengths, len(rules.schema.rules)))


def _mark_cells(row: Ints, column: Ints, shape: tuple[int, int]) -> sparse.csr_array:
    """Return a matrix with 1 in each listed cell, however often the list has the cell."""
    cells = sparse.coo_array((np.ones(row.size), (row, column)), shape=shape).tocsr()
    cells.sum_duplicates()
    cells.data[:] = 1.0
    return sparse.csr_array(cells)
