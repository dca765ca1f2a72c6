"""Dictionaries against tokens: whole entries, single tokens of entries, and similar entries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from partita.kernel import Ints
from partita.text.extraction.tokens import Tokens, fold, tokenise

__all__ = ["is_abbreviation", "match_abbreviations", "match_near", "match_phrases", "match_tokens"]

MIN_SIMILARITY = 0.8
"""Levenshtein similarity of two words that count as spellings of one: one error in five letters."""
MIN_FUZZY_LETTERS = 5
"""Letters of a word from which on it is compared by similarity: one error leaves 0.8."""
MIN_ABBREVIATION, MIN_OMITTED = 2, 2
"""Letters of an abbreviation, and letters that it omits, at least."""
VOWELS = frozenset("aeiou")
MIN_COVERAGE = 0.5
"""Share of an entry's letters that a similar span contains."""


def match_phrases(entries: Sequence[str], tokens: Tokens) -> tuple[Ints, Ints]:
    """Return the spans of tokens that equal an entry; the longest one at each place."""
    word, places = _fold_tokens(tokens)
    width = len(places)
    children, is_entry = _build_trie(entries, places, tokens.split)
    keys = np.array(sorted(children), np.int64)
    targets = np.array([children[key] for key in keys.tolist()], np.int64)
    accepted = np.array(is_entry)
    line_end = tokens.start[1:][tokens.line_of()]
    at = np.arange(tokens.n)
    node = np.zeros(tokens.n, np.int64)
    stop = np.zeros(tokens.n, np.int64)
    depth = 0
    while at.size and keys.size:
        inside = at + depth < line_end[at]
        at, node = at[inside], node[inside]
        key = node * width + word[at + depth]
        place = np.minimum(np.searchsorted(keys, key), keys.size - 1)
        known = keys[place] == key
        at, node = at[known], targets[place[known]]
        depth += 1
        ends = at[accepted[node]]
        stop[ends] = ends + depth
    return _drop_nested(np.flatnonzero(stop), stop[stop > 0])


def match_tokens(entries: Sequence[str], tokens: Tokens) -> tuple[Ints, Ints]:
    """Return the single tokens that occur in an entry; punctuation does not count."""
    known = {word for entry in _split_entries(entries, tokens.split) for word in entry}
    hits = np.array([_has_letter(word) and fold(word) in known for word in tokens.words], bool)
    starts = np.flatnonzero(hits[tokens.word]) if tokens.n else np.zeros(0, np.int64)
    return starts, starts + 1


def match_near(entries: Sequence[str], tokens: Tokens) -> tuple[Ints, Ints]:
    """Return the spans of tokens that are similar to an entry.

    All tokens of a span are spellings of words of one entry, and the span contains at least
    MIN_COVERAGE of the letters of these words.
    """
    split = _split_entries(entries, tokens.split)
    entries_of: dict[str, set[int]] = defaultdict(set)
    for number, entry in enumerate(split):
        for word in entry:
            entries_of[word].add(number)
    sizes = [sum(map(len, entry)) for entry in split]
    spellings = _find_spellings(tokens.words, tuple(entries_of))
    candidates = [
        set().union(*(entries_of[word] for word in spellings.get(k, ())))
        for k in range(len(tokens.words))
    ]
    letters = [len(fold(word)) for word in tokens.words]
    starts: list[int] = []
    stops: list[int] = []
    line_end = tokens.start[1:][tokens.line_of()]
    for at in range(tokens.n):
        shared, covered, best = candidates[tokens.word[at]], 0, 0
        end = at
        while shared and end < line_end[at]:
            covered += letters[tokens.word[end]]
            end += 1
            if any(covered >= MIN_COVERAGE * sizes[entry] for entry in shared):
                best = end
            if end < line_end[at]:
                shared = shared & candidates[tokens.word[end]]
        if best:
            starts.append(at)
            stops.append(best)
    return _drop_nested(np.array(starts, np.int64), np.array(stops, np.int64))


def match_abbreviations(entries: Sequence[str], tokens: Tokens) -> tuple[Ints, Ints]:
    """Return the single tokens that abbreviate a word of an entry and are no word of one."""
    known = {word for entry in _split_entries(entries, tokens.split) for word in entry}
    by_letter: dict[str, list[str]] = defaultdict(list)
    for word in sorted(known):
        by_letter[word[0]].append(word)
    hits = np.zeros(len(tokens.words), bool)
    for k, word in enumerate(tokens.words):
        short = fold(word)
        if short.isalpha() and short not in known:
            hits[k] = any(is_abbreviation(short, long) for long in by_letter.get(short[0], ()))
    starts = np.flatnonzero(hits[tokens.word]) if tokens.n else np.zeros(0, np.int64)
    return starts, starts + 1


def is_abbreviation(short: str, long: str) -> bool:
    """Return whether a word abbreviates another: its start, or some of its consonants in order.

    >>> is_abbreviation("dt", "downtown"), is_abbreviation("univ", "university")
    (True, True)
    >>> is_abbreviation("in", "inn"), is_abbreviation("on", "ocean")
    (False, False)
    """
    if not MIN_ABBREVIATION <= len(short) <= len(long) - MIN_OMITTED or short[0] != long[0]:
        return False
    if len(short) > MIN_ABBREVIATION and long.startswith(short):
        return True
    letters = iter(long)
    return VOWELS.isdisjoint(short) and all(letter in letters for letter in short)


def _split_entries(entries: Sequence[str], split: str) -> list[list[str]]:
    """Split entries into folded tokens, without tokens of punctuation."""
    tokens = tokenise(entries, split)
    folded = [fold(word) if _has_letter(word) else "" for word in tokens.words]
    numbers = np.split(tokens.word, tokens.start[1:-1])
    return [[folded[k] for k in line if folded[k]] for line in numbers]


def _has_letter(word: str) -> bool:
    return any(letter.isalnum() for letter in word)


def _fold_tokens(tokens: Tokens) -> tuple[Ints, dict[str, int]]:
    """Number the folded words and return the number of each token's folded word."""
    places: dict[str, int] = {}
    folded = [places.setdefault(fold(word), len(places)) for word in tokens.words]
    return np.array(folded, np.int64)[tokens.word], places


def _build_trie(
    entries: Sequence[str], places: dict[str, int], split: str
) -> tuple[dict[int, int], list[bool]]:
    """Build a trie of the entries whose words all occur: node * words + word -> node."""
    children: dict[int, int] = {}
    is_entry = [False]
    tokens = tokenise(entries, split)
    numbers = [places.get(fold(word), -1) for word in tokens.words]
    for line in np.split(tokens.word, tokens.start[1:-1]):
        path = [numbers[k] for k in line]
        # the full stop of "Proc." is a token of its own that a line may leave out
        while len(path) > 1 and not _has_letter(tokens.words[line[len(path) - 1]]):
            path.pop()
        if not path or min(path) < 0:
            continue
        node = 0
        for word in path:
            key = node * len(places) + word
            if key not in children:
                children[key] = len(is_entry)
                is_entry.append(False)
            node = children[key]
        is_entry[node] = True
    return children, is_entry


def _drop_nested(starts: Ints, stops: Ints) -> tuple[Ints, Ints]:
    """Drop the spans that lie inside a span with an earlier start."""
    if not starts.size:
        return starts, stops
    reached = np.concatenate([[0], np.maximum.accumulate(stops)[:-1]])
    mask = stops > reached
    return starts[mask], stops[mask]


def _find_spellings(words: Sequence[str], known: Sequence[str]) -> dict[int, list[str]]:
    """Return for each word the dictionary words of which it is a spelling."""
    by_letter: dict[str, list[str]] = defaultdict(list)
    for word in known:
        if len(word) >= MIN_FUZZY_LETTERS:
            by_letter[word[0]].append(word)
    exact = set(known)
    spellings: dict[int, list[str]] = {}
    for k, word in enumerate(words):
        folded = fold(word)
        same = [folded] if folded in exact else []
        if not same and len(folded) >= MIN_FUZZY_LETTERS:
            hits = process.extract(
                folded,
                by_letter.get(folded[0], ()),
                scorer=Levenshtein.normalized_similarity,
                score_cutoff=MIN_SIMILARITY,
                limit=None,
            )
            same = [hit[0] for hit in hits]
        if same:
            spellings[k] = same
    return spellings
