"""Coherence of links: features of a record from the likely links of the other names of a document.

A title without the name it is meant by is a tail: `~ national football team` for Germany. Records
of one document often share a tail, words of tails, or the shape of a tail. The features class how
many other names are expected to have the tail, a word of it, its shape, or the record itself, in
the document and among the mentions beside a mention. The types and distances of the mentions beside
it are features, too.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from partita.kernel import Floats
from partita.knowledge.mention_links import (
    LinkOptions,
    feature,
    list_names,
    split_words,
    title_tail,
)
from partita.knowledge.name_table import NameTable
from partita.text.coreference.documents import Document

__all__ = ["add_coherence"]

WIDTH = 18
"""Features of an option at most."""
WORDS = re.compile(r"\w+(?:\s+\w+)*")
"""Words with nothing but space between them."""
CACHED_SHAPES = 1 << 16
"""Shapes of tails that are kept. Origin: a choice."""
PLAIN = "~"
"""The tail of a title that is the name itself."""
EXPECTED_LEVELS = (0.05, 0.2, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Limits of the classes of an expected number of names. Origin: a choice, about powers of two."""
TOP_TAILS = 2
"""Frequent tails of a document that are paired with the tail of a record. Origin: a choice."""
MIN_TAIL = 0.3
"""Expected names of a frequent tail at least. Origin: a choice."""
NEAR = 2
"""Mentions before and after a mention whose links are averaged. Origin: a choice."""
SHARE_LEVELS = (0.02, 0.1, 0.25, 0.5, 0.75)
"""Limits of the classes of a mean probability. Origin: a choice."""
GAP_LEVELS = (3, 12)
"""Limits of the classes of the characters between two mentions: adjacent, in one phrase, farther.
Origin: a choice."""
NIL_LEVELS = 4
"""Classes of the mean probability of NIL over the other names of a type. Origin: a choice."""


class NameLinks(NamedTuple):
    """The options of a name: its mentions, their tails, and the probabilities of tails."""

    name: str
    type: str
    mentions: list[int]
    records: list[int]
    p: Floats
    """Probabilities of NIL and of the records, averaged over the mentions."""
    tails: list[str]
    p_tail: Counter[str]
    p_word: Counter[str]
    shapes: list[str]
    """The shape of each record (`find_shape`)."""
    p_shape: Counter[str]

    @property
    def kinds(self) -> list[str]:
        """The kind of each tail: the title is the name, contains it, or does not."""
        return ["plain" if t == PLAIN else "tail" if t else "none" for t in self.tails]


class DocumentLinks(NamedTuple):
    """Expected numbers over all names of a document."""

    tails: Counter[str]
    words: Counter[str]
    records: Counter[int]
    nil: Counter[str]
    """By type, over names with candidates."""
    candidates: Counter[str]
    """Names with candidates by type."""
    shapes: Counter[tuple[str, str]]
    """By type and shape, over names with candidates."""
    name_words: Counter[str]
    """In how many names each word occurs."""


def expected_level(value: float) -> int:
    """The class of an expected number of names."""
    return bisect_left(EXPECTED_LEVELS, value)


@lru_cache(CACHED_SHAPES)
def find_shape(tail: str, type: str) -> str:
    """The tail of a title with x for its words, and the type of the record.

    Teams of towns share no word (`Aston Villa`, `Derby County`), but the shape `~ x`.
    """
    return f"{WORDS.sub('x', tail)} {type}"


def add_coherence(
    documents: Sequence[Document],
    table: NameTable,
    options: LinkOptions,
    probabilities: Floats,
    lexical: bool = True,
) -> LinkOptions:
    """Add features of coherence, given the probability of every option by itself.

    Without `lexical`, pairs of tails are no features.
    """
    added = np.zeros((len(options.features), WIDTH), np.int32)
    first = 0
    for document in documents:
        names = _group_names(document, first, table, options, probabilities)
        begin, first = first, first + len(document.mentions)
        neighbours = Neighbours(document, begin, names)
        about = _sum_links(names)
        for name in names:
            top = _find_top_tails(name, about) if lexical else []
            rows = list(_describe_options(name, about, top))
            for mention in name.mentions:
                near = neighbours.describe(mention - begin, name)
                for place, row in enumerate(rows, int(options.start[mention])):
                    both = row + near[place - int(options.start[mention])]
                    added[place, : len(both)] = both
    return options._replace(features=np.concatenate([options.features, added], 1))


def _group_names(
    document: Document, first: int, table: NameTable, options: LinkOptions, probabilities: Floats
) -> list[NameLinks]:
    """The distinct names of a document; equal names of a type have the same records."""
    groups: dict[tuple[str, str], list[int]] = {}
    for k, name in enumerate(list_names(document)):
        if name:
            groups.setdefault((name, document.mentions[k].type), []).append(first + k)
    names = []
    for (name, type), mentions in groups.items():
        begin, end = options.start[mentions[0]], options.start[mentions[0] + 1]
        records = options.record[begin + 1 : end].tolist()
        starts = options.start[mentions]
        p = probabilities[starts[:, None] + np.arange(end - begin)].mean(0)
        tails = [title_tail(table.titles[record], name) for record in records]
        shapes = [
            find_shape(tail, table.types[record])
            for tail, record in zip(tails, records, strict=True)
        ]
        p_tail: Counter[str] = Counter()
        p_word: Counter[str] = Counter()
        p_shape: Counter[str] = Counter()
        for tail, shape, share in zip(tails, shapes, p[1:].tolist(), strict=True):
            p_shape[shape] += share
            if tail:
                p_tail[tail] += share
            for word in set(split_words(tail)):
                p_word[word] += share
        names.append(
            NameLinks(name, type, mentions, records, p, tails, p_tail, p_word, shapes, p_shape)
        )
    return names


def _sum_links(names: Sequence[NameLinks]) -> DocumentLinks:
    about = DocumentLinks(*(Counter() for _ in DocumentLinks._fields))
    for links in names:
        about.tails.update(links.p_tail)
        about.words.update(links.p_word)
        about.records.update(dict(zip(links.records, links.p[1:].tolist(), strict=True)))
        if links.records:
            about.nil[links.type] += links.p[0]
            about.candidates[links.type] += 1
            for shape, share in links.p_shape.items():
                about.shapes[links.type, shape] += share
    about.name_words.update(
        word for name in {links.name for links in names} for word in split_words(name)
    )
    return about


def _describe_options(
    links: NameLinks, about: DocumentLinks, top: Sequence[str]
) -> Iterator[list[int]]:
    """The features of NIL and of each record of a name."""
    tails = [about.tails[tail] - links.p_tail[tail] if tail else 0.0 for tail in links.tails]
    words = [
        max((about.words[word] - links.p_word[word] for word in split_words(tail)), default=0.0)
        for tail in links.tails
    ]
    support = [
        about.records[r] - p for r, p in zip(links.records, links.p[1:].tolist(), strict=True)
    ]
    own = set(split_words(links.name))
    named = [
        sum(about.name_words[word] > (word in own) for word in set(split_words(tail)))
        for tail in links.tails
    ]
    other_tails = [value for value, tail in zip(tails, links.tails, strict=True) if tail != PLAIN]
    best_tail, best_word = max(other_tails, default=0.0), max(words, default=0.0)
    most_support, most_named = max(support, default=0.0), max(named, default=0)
    yield [
        feature("nil tail", expected_level(best_tail)),
        feature("nil word", expected_level(best_word)),
        feature("nil support", expected_level(most_support)),
        feature("nil rate", _nil_level(links, about), links.type),
    ]
    plain = expected_level(about.tails[PLAIN] - links.p_tail[PLAIN])
    others = about.candidates[links.type] - 1
    shapes = [
        (about.shapes[links.type, shape] - links.p_shape[shape]) / max(others, 1)
        for shape in links.shapes
    ]
    best_shape = max(shapes, default=0.0)
    for k, (tail, kind) in enumerate(zip(links.tails, links.kinds, strict=True)):
        yield [
            feature("tail level", kind, expected_level(tails[k]) if kind == "tail" else -1),
            feature("tail best", kind, expected_level(best_tail), tails[k] == best_tail),
            feature("word level", kind, expected_level(words[k])),
            feature("word best", kind, expected_level(best_word), words[k] == best_word),
            feature("tail plain", kind, expected_level(best_tail), plain),
            feature("support", expected_level(support[k]), expected_level(most_support)),
            feature("support type", expected_level(support[k]), links.type),
            feature("shape", kind, share_class(shapes[k]), min(others, 3)),
            feature("shape best", share_class(best_shape), shapes[k] == best_shape, min(others, 3)),
            feature("named", min(named[k], 2), min(most_named, 2), kind),
            *(feature("tails", tail, other) for other in top),
        ]


class Neighbours:
    """The names of a document in the order of their mentions."""

    def __init__(self, document: Document, first: int, names: Sequence[NameLinks]) -> None:
        """Find the name of each mention; `first` is the number of the first mention."""
        self.document = document
        self.names: list[NameLinks | None] = [None] * len(document.mentions)
        for name in names:
            for mention in name.mentions:
                self.names[mention - first] = name

    def describe(self, place: int, links: NameLinks) -> list[list[int]]:
        """The features of NIL and of each record of a mention from the mentions beside it."""
        near = [
            name
            for name in self.names[max(0, place - NEAR) : place + NEAR + 1]
            if name is not None and name is not links
        ]
        sides = self._side(place, -1), self._side(place, 1)
        nil = _mean_level([name.p[0] for name in near])
        rows = [
            [
                feature("near nil", nil, links.type),
                *(feature("side", k, "nil", *side, links.type) for k, side in enumerate(sides)),
            ]
        ]
        plain = _mean_level([name.p_tail[PLAIN] for name in near])
        for tail, kind, shape in zip(links.tails, links.kinds, links.shapes, strict=True):
            alike = _mean_level([name.p_shape[shape] for name in near])
            same = _mean_level([name.p_tail[tail] for name in near]) if tail else -1
            rows.append(
                [
                    feature("near tail", kind, same, plain),
                    feature("near shape", kind, alike),
                    feature("near type", kind, same, links.type),
                    *(feature("side", k, kind, *side, links.type) for k, side in enumerate(sides)),
                    feature("sides", kind, *sides[0], *sides[1], links.type),
                ]
            )
        return rows

    def _side(self, place: int, step: int) -> tuple[str, int]:
        """The type of the mention beside another one, and the class of the gap between them."""
        mentions, other = self.document.mentions, place + step
        if not 0 <= other < len(mentions):
            return "", len(GAP_LEVELS)
        left, right = sorted((place, other))
        gap = mentions[right].start - mentions[left].end
        return mentions[other].type, bisect_left(GAP_LEVELS, gap)


def _mean_level(values: Sequence[float]) -> int:
    """The class of a mean probability; -1 without any."""
    return share_class(sum(values) / len(values)) if values else -1


def share_class(value: float) -> int:
    """The class of a mean probability."""
    return bisect_left(SHARE_LEVELS, value)


def _nil_level(links: NameLinks, about: DocumentLinks) -> int:
    """The class of the mean probability of NIL over other names of the type; -1 without any."""
    others = about.candidates[links.type] - bool(links.records)
    if not links.records or others < 1:
        return -1
    return round(NIL_LEVELS * (about.nil[links.type] - links.p[0]) / others)


def _find_top_tails(links: NameLinks, about: DocumentLinks) -> list[str]:
    """The most expected tails of the other names; "-" where there are fewer."""
    others = {
        tail: value - links.p_tail[tail] for tail, value in about.tails.items() if tail != PLAIN
    }
    ranked = sorted(others, key=lambda tail: (-others[tail], tail))[:TOP_TAILS]
    frequent = [tail for tail in ranked if others[tail] > MIN_TAIL]
    return [*frequent, *["-"] * (TOP_TAILS - len(frequent))]
