"""Coherence of links: features of a record from the likely links of the other names of a document.

A title without the name it is meant by is a tail: `~ national football team` for Germany. Records
of one document often share a tail, or words of tails. The features class how many other names
are expected to have the tail, a word of it, or the record itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
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

WIDTH = 10
"""Features of an option at most."""
PLAIN = "~"
"""The tail of a title that is the name itself."""
EXPECTED_LEVELS = (0.05, 0.2, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Limits of the classes of an expected number of names. Origin: a choice, about powers of two."""
TOP_TAILS = 2
"""Frequent tails of a document that are paired with the tail of a record. Origin: a choice."""
MIN_TAIL = 0.3
"""Expected names of a frequent tail at least. Origin: a choice."""
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


class DocumentLinks(NamedTuple):
    """Expected numbers over all names of a document."""

    tails: Counter[str]
    words: Counter[str]
    records: Counter[int]
    nil: Counter[str]
    """By type, over names with candidates."""
    candidates: Counter[str]
    """Names with candidates by type."""
    name_words: Counter[str]
    """In how many names each word occurs."""


def expected_level(value: float) -> int:
    """The class of an expected number of names."""
    return int(np.searchsorted(EXPECTED_LEVELS, value))


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
        first += len(document.mentions)
        about = _sum_links(names)
        for name in names:
            top = _find_top_tails(name, about) if lexical else []
            rows = list(_describe_options(name, about, top))
            for mention in name.mentions:
                for place, row in enumerate(rows, int(options.start[mention])):
                    added[place, : len(row)] = row
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
        p_tail: Counter[str] = Counter()
        p_word: Counter[str] = Counter()
        for tail, share in zip(tails, p[1:].tolist(), strict=True):
            if tail:
                p_tail[tail] += share
            for word in set(split_words(tail)):
                p_word[word] += share
        names.append(NameLinks(name, type, mentions, records, p, tails, p_tail, p_word))
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
    for k, tail in enumerate(links.tails):
        kind = "plain" if tail == PLAIN else "tail" if tail else "none"
        yield [
            feature("tail level", kind, expected_level(tails[k]) if kind == "tail" else -1),
            feature("tail best", kind, expected_level(best_tail), tails[k] == best_tail),
            feature("word level", kind, expected_level(words[k])),
            feature("word best", kind, expected_level(best_word), words[k] == best_word),
            feature("tail plain", kind, expected_level(best_tail), plain),
            feature("support", expected_level(support[k]), expected_level(most_support)),
            feature("support type", expected_level(support[k]), links.type),
            feature("named", min(named[k], 2), min(most_named, 2), kind),
            *(feature("tails", tail, other) for other in top),
        ]


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
