"""Compiled rules: the matches of a schema's rules in tokenised lines, as flat arrays."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.kernel import Ints
from partita.text.extraction.dictionary import (
    match_abbreviations,
    match_near,
    match_phrases,
    match_tokens,
)
from partita.text.extraction.rule import Rule
from partita.text.extraction.schema import Schema
from partita.text.extraction.tokens import MAX_LINE_TOKENS, Tokens, is_punctuation, tokenise

__all__ = [
    "Boundary",
    "Firings",
    "Length",
    "Once",
    "Order",
    "Rules",
    "TokenFirings",
    "compile_rules",
]

MATCHERS = {
    "phrase": match_phrases,
    "tokens": match_tokens,
    "near": match_near,
    "abbreviation": match_abbreviations,
}
"""The function of each way to match a dictionary."""

Mask = NDArray[np.bool_]


class Firings(NamedTuple):
    """Matches of token rules: the rule states a field of the tokens `start` up to `stop`."""

    rule: Ints
    """The place of the rule in `schema.rules`; firings are sorted by rule, then by start."""
    line: Ints
    start: Ints
    """The first token of the match, numbered over all lines."""
    stop: Ints
    """The token after the match."""

    def take(self, chosen: Mask) -> Firings:
        """Return the chosen firings."""
        return Firings(*(column[chosen] for column in self))

    def spread(self) -> TokenFirings:
        """Return one row for each token of each firing."""
        sizes = self.stop - self.start
        firing = np.repeat(np.arange(self.rule.size), sizes)
        offset = np.arange(firing.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return TokenFirings(firing, self.start[firing] + offset, self.rule[firing])


class TokenFirings(NamedTuple):
    """Firings spread over their tokens."""

    firing: Ints
    token: Ints
    rule: Ints


class Once(NamedTuple):
    """A field of the mask has at most one segment in a line."""

    rule: int
    mask: Mask


class Order(NamedTuple):
    """The first segments of fields follow the order of their ranks; rank -1 has no place."""

    rule: int
    rank: Ints


class Boundary(NamedTuple):
    """A segment of a label of the mask begins only at tokens where `may_begin` holds."""

    rule: int
    mask: Mask
    may_begin: Mask


class Length(NamedTuple):
    """A segment of a label of the mask has from `fewest` to `most` tokens."""

    rule: int
    mask: Mask
    fewest: int
    most: int


@dataclass(frozen=True, eq=False)
class Rules:
    r"""The rules of a schema, compiled against tokens.

    Examples
    --------
    >>> from partita.text.extraction.schema import read_schema
    >>> year = {"name": "year", "field": "date", "pattern": r"(19|20)\d\d"}
    >>> schema = read_schema({"fields": ["author", "date"], "rules": [year]})
    >>> rules = compile_rules(schema, ["Lee, A. 1999"])
    >>> rules.firings.start.tolist(), rules.allowed[0].tolist()
    ([4], [False, True, False])
    """

    schema: Schema
    tokens: Tokens
    firings: Firings
    allowed: Mask
    """Rules by labels: the labels that each rule states."""
    once: tuple[Once, ...]
    order: tuple[Order, ...]
    boundary: tuple[Boundary, ...]
    length: tuple[Length, ...]
    notes: tuple[str, ...]
    """Sentences about rules and lines that need attention."""

    def counts(self) -> Ints:
        """Return the number of firings of each rule."""
        return np.bincount(self.firings.rule, minlength=len(self.schema.rules))

    def votes(self) -> Ints:
        """Return the number of firings that state each label, by token."""
        votes = np.zeros((self.tokens.n, len(self.schema.labels)), np.int64)
        for rule, _, start, stop in zip(*self.firings, strict=True):
            if not self.schema.rules[rule].is_negative:
                votes[start:stop] += self.allowed[rule]
        return votes


def compile_rules(schema: Schema, lines: Sequence[str | None] | Tokens) -> Rules:
    """Match all rules of a schema against lines, or against tokens that are already split."""
    tokens = lines if isinstance(lines, Tokens) else tokenise(lines, schema.split)
    line = tokens.line_of()
    parts: list[tuple[Ints, Ints]] = []
    matched: dict[tuple[str, ...], Mask] = {}
    for rule in schema.rules:
        starts, stops = _match(rule, tokens, line, matched)
        order = np.lexsort((stops, starts))
        parts.append((starts[order], stops[order]))
    empty = np.zeros(0, np.int64)
    sizes = [starts.size for starts, _ in parts]
    start = np.concatenate([empty, *(starts for starts, _ in parts)])
    stop = np.concatenate([empty, *(stops for _, stops in parts)])
    rule_of = np.repeat(np.arange(len(parts)), sizes)
    firings = Firings(rule_of, line[start] if start.size else empty, start, stop)
    allowed = np.array([schema.allowed(rule) for rule in schema.rules], bool)
    compiled = Rules(
        schema,
        tokens,
        firings,
        allowed.reshape(len(schema.rules), len(schema.labels)),
        *_compile_structure(schema, tokens),
        (),
    )
    return replace(compiled, notes=tuple(_find_notes(compiled)))


def _match(
    rule: Rule, tokens: Tokens, line: Ints, matched: dict[tuple[str, ...], Mask]
) -> tuple[Ints, Ints]:
    """Return the spans of tokens at which a rule fires."""
    if rule.kind == "pattern":
        starts = _match_pattern(rule.pattern, tokens, line, matched)
        stops = starts + len(rule.pattern)
    elif rule.kind == "place":
        starts = np.flatnonzero(_find_place(rule.place, tokens))
        stops = starts + 1
    elif rule.words:
        starts, stops = MATCHERS[rule.match](rule.words, tokens)
    else:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    fits = np.ones(starts.size, bool)
    if rule.place:
        fits &= _find_place(rule.place, tokens)[starts if rule.place == "first" else stops - 1]
    if rule.before:
        first = _match_pattern(rule.before, tokens, line, matched) + len(rule.before)
        fits &= np.isin(starts, first) & ~np.isin(starts, tokens.start)
    if rule.after:
        last = _match_pattern(rule.after, tokens, line, matched)
        fits &= np.isin(stops, last) & ~np.isin(stops, tokens.start)
    return starts[fits], stops[fits]


def _find_place(place: str, tokens: Tokens) -> Mask:
    """Return for each token whether it is the first, or the last, of its line."""
    filled = np.flatnonzero(np.diff(tokens.start))
    at = np.zeros(tokens.n, bool)
    at[tokens.start[filled] if place == "first" else tokens.start[filled + 1] - 1] = True
    return at


def _match_pattern(
    patterns: Sequence[str], tokens: Tokens, line: Ints, matched: dict[tuple[str, ...], Mask]
) -> Ints:
    """Return the first tokens of the places where consecutive tokens match the patterns."""
    size = tokens.n - len(patterns) + 1
    if size <= 0:
        return np.zeros(0, np.int64)
    fits = line[:size] == line[len(patterns) - 1 :]
    for at, pattern in enumerate(patterns):
        if (pattern,) not in matched:
            fullmatch = re.compile(pattern).fullmatch
            # a pattern is matched once for each distinct word, not once for each token
            matched[pattern,] = np.array([fullmatch(word) is not None for word in tokens.words])
        fits &= matched[pattern,][tokens.word[at : at + size]]
    return np.flatnonzero(fits)


def _compile_structure(
    schema: Schema, tokens: Tokens
) -> tuple[tuple[Once, ...], tuple[Order, ...], tuple[Boundary, ...], tuple[Length, ...]]:
    """Compile the rules about segments."""
    once, orders, boundaries, lengths = [], [], [], []
    fields = np.array([label != schema.other for label in schema.labels])
    for k, rule in enumerate(schema.rules):
        mask = schema.allowed(rule)
        if rule.kind == "once":
            once.append(Once(k, mask & fields))
        elif rule.kind == "order":
            rank = np.full(len(schema.labels), -1)
            for place, name in enumerate(rule.fields):
                rank[schema.mask([name])] = place
            orders.append(Order(k, rank))
        elif rule.kind == "boundary":
            ends = np.array([is_punctuation(word) for word in tokens.words], bool)
            may_begin = np.ones(tokens.n, bool)
            if tokens.n:
                may_begin[1:] = ends[tokens.word[:-1]]
            may_begin[tokens.start[:-1][np.diff(tokens.start) > 0]] = True
            boundaries.append(Boundary(k, mask, may_begin))
        elif rule.kind == "length":
            most = MAX_LINE_TOKENS if rule.length[1] is None else rule.length[1]
            lengths.append(Length(k, mask, rule.length[0], most))
    return tuple(once), tuple(orders), tuple(boundaries), tuple(lengths)


def _find_notes(rules: Rules) -> list[str]:
    """Return a sentence for each rule that never fires and for lines that are cut or empty."""
    notes = []
    counts = rules.counts()
    for rule, count in zip(rules.schema.rules, counts, strict=True):
        if not (count or rule.is_structural or rules.schema.is_ready):
            notes.append(f"rule {rule.name!r} never fires; correct it, or remove it")
    empty = int((np.diff(rules.tokens.start) == 0).sum())
    if empty:
        lines = "1 line is empty; its" if empty == 1 else f"{empty:,} lines are empty; their"
        notes.append(f"{lines} fields are missing")
    cut = rules.tokens.cut_lines
    if cut:
        limit = f"more than {MAX_LINE_TOKENS:,} tokens"
        lines = (
            f"1 line has {limit}: line {cut[0] + 1:,}"
            if len(cut) == 1
            else f"{len(cut):,} lines have {limit}, such as line {cut[0] + 1:,}"
        )
        notes.append(f"{lines}; fields are read from the first {MAX_LINE_TOKENS:,} tokens only")
    return notes
