"""Options of mentions in a knowledge base, with the features of each mention by itself.

The options of a mention are NIL and the records that its name may mean. `link_coherence.py` adds
features of the other links of the document, `link_model.py` gives probabilities, and
`entity_links.py` turns these into scores of the collapsed link factor.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from partita.kernel import Floats, Ints
from partita.knowledge.name_table import Meaning, NameTable, count_names, count_types
from partita.text.coreference.attributes import is_name, normalise_name
from partita.text.coreference.documents import Document, Mention

__all__ = [
    "SIZE",
    "LinkOptions",
    "feature",
    "list_names",
    "list_options",
    "split_words",
    "take_mentions",
    "title_tail",
]

SIZE = 1 << 20
"""Number of weights that the features share, by hash; 8 MB. Origin: collisions among 2**18 cost one
point of accuracy on AIDA's development part (testa)."""
ADJACENT_CHARACTERS = 40
"""Characters before and after a mention in which the adjacent word is sought. Origin: a choice."""
TITLE_WORDS = 3
"""Words of a title beside the name that are features, the last ones. Origin: a choice; titles of
one kind end alike (national football team, album)."""
MAX_CANDIDATES = 30
"""Records of a name at most: the most often meant, then the most popular."""
CACHED_FEATURES = 1 << 17
"""Numbers of features that are kept, because most options share theirs. Origin: a choice."""
NIL = -1
WORD = re.compile(r"\w+")
EMPTY: Mapping[str, int] = Counter()


class LinkOptions(NamedTuple):
    """The options of all mentions: NIL first, then records."""

    features: NDArray[np.int32]
    start: Ints
    record: Ints
    """The record of each option; -1 for NIL."""


def take_mentions(
    options: LinkOptions, probabilities: Floats, mentions: Ints
) -> tuple[LinkOptions, Floats]:
    """The options of some mentions, with their probabilities."""
    first, counts = options.start[mentions], np.diff(options.start)[mentions]
    start = np.concatenate([[0], np.cumsum(counts)])
    rows = np.arange(start[-1]) + np.repeat(first - start[:-1], counts)
    kept = LinkOptions(options.features[rows], start, options.record[rows])
    return kept, probabilities[rows]


@lru_cache(CACHED_FEATURES, typed=True)
def feature(*parts: object) -> int:
    """The number of a feature."""
    return crc32("|".join(map(str, parts)).encode()) % (SIZE - 1) + 1


def level(value: float) -> int:
    """The class of a count: powers of two."""
    return round(math.log2(value + 1))


def share_level(share: float) -> int:
    """The class of a share: thirds of a power of ten, down to a thousandth."""
    return 0 if share <= 0 else 1 + round(3 * max(math.log10(share), -3) + 9)


class Context(NamedTuple):
    """The document of a mention: its words, and tails of candidate titles."""

    words: frozenset[str]
    outside: frozenset[str]
    """Its words outside the mentions."""
    tails: Counter[str]
    """In how many names of the document a tail of a title occurs among the candidates."""
    names: list[str]
    lexical: bool
    """Whether words of titles are features."""


def title_tail(title: str, name: str) -> str:
    """The title of a record without the name, which separates records of one name."""
    lower = normalise_name(title)
    return lower.replace(name, "~", 1) if name in lower else ""


def split_words(text: str) -> list[str]:
    """The words of a text that have more than two letters."""
    return [word for word in WORD.findall(text) if len(word) > 2]


def list_names(document: Document) -> list[str]:
    """The normalised name of each mention; empty if the mention is no name."""
    return [
        normalise_name(mention.text) if is_name(mention.text) else ""
        for mention in document.mentions
    ]


def match_title(title: str, name: str) -> str:
    """How a name agrees with the title of a record."""
    lower = normalise_name(title)
    if lower == name:
        return "equal"
    if re.sub(r"\s*\(.*\)$", "", lower) == name:
        return "before parenthesis"
    if lower.split(",")[0] == name:
        return "before comma"
    words, own = lower.split(), name.split()
    if words[-len(own) :] == own:
        return "end"
    if words[: len(own)] == own:
        return "begin"
    if set(own) <= set(words):
        return "words"
    if "".join(word[0] for word in words if word) == name.replace(" ", ""):
        return "initials"
    return "prefix" if lower[:4] == name[:4] else "other"


def list_options(
    documents: Sequence[Document],
    table: NameTable,
    *,
    context: bool,
    lexical: bool = True,
    folds: Ints | None = None,
) -> LinkOptions:
    """List NIL and the candidates of every mention with their features.

    With `context`, words beside a mention and tails of titles are features. Without `lexical`,
    words of titles are not. With the folds of the documents, the counts of a fold's annotations
    are left out of the features of its documents, so that these are read as new documents are.
    """
    rows: list[list[int]] = []
    start, record = [0], []
    totals = table.count_records()
    left_out = {} if folds is None else _count_folds(documents, folds, table)
    for number, document in enumerate(documents):
        without = None if folds is None else left_out[int(folds[number])]
        names = list_names(document)
        known = _inherit(
            {name: _candidates(table, name, without and without.names) for name in names}
        )
        about = _describe_document(document, known, table, lexical)
        options: dict[tuple[str, str], list[list[int]]] = {}
        for mention, name in zip(document.mentions, names, strict=True):
            key = (name, mention.type)
            if key not in options:
                options[key] = list(
                    _features(
                        name, mention.type, known[name], table, totals, without, about, context
                    )
                )
            rows += options[key]
            if context:
                endings = _find_endings(name, known[name], table)
                around = _find_adjacent_words(document, mention)
                rows[start[-1] :] = [
                    row + _adjacent_features(*around, ending)
                    for row, ending in zip(options[key], endings, strict=True)
                ]
            record += [NIL, *(meaning.record for meaning in known[name])]
            start.append(len(rows))
    features = np.zeros((len(rows), max(map(len, rows), default=1)), np.int32)
    for place, row in enumerate(rows):
        features[place, : len(row)] = row
    return LinkOptions(features, np.array(start, np.int64), np.array(record, np.int64))


class FoldCounts(NamedTuple):
    """Counts of the annotations of a fold of documents."""

    names: Counter[tuple[str, str]]
    """By name and id."""
    records: Counter[int]
    types: dict[str, Counter[str]]
    """Of types by id."""


def _count_folds(
    documents: Sequence[Document], folds: Ints, table: NameTable
) -> dict[int, FoldCounts]:
    """Count the annotations of the documents of each fold."""
    counts = {}
    for fold in np.unique(folds).tolist():
        own = [documents[k] for k in np.flatnonzero(folds == fold).tolist()]
        names = count_names(own)
        records: Counter[int] = Counter()
        for (_, id), count in names.items():
            records[table.number[id]] += count
        counts[fold] = FoldCounts(names, records, count_types(own))
    return counts


def _candidates(
    table: NameTable, name: str, without: Counter[tuple[str, str]] | None
) -> list[Meaning]:
    meanings = table.look_up(name, without)
    meanings.sort(key=lambda item: (-item.times, -table.popularity[item.record], item.record))
    return meanings[:MAX_CANDIDATES]


def _inherit(known: dict[str, list[Meaning]]) -> dict[str, list[Meaning]]:
    """Add the candidates of longer names of the document that contain a name as words."""
    extended = {}
    for name, meanings in known.items():
        own = {item.record for item in meanings}
        added = {
            item.record: Meaning(item.record, 0.0, False)
            for other, others in known.items()
            if name and name != other and f" {name} " in f" {other} "
            for item in others
            if item.record not in own
        }
        extended[name] = meanings + list(added.values())[:MAX_CANDIDATES]
    return extended


def _describe_document(
    document: Document, known: dict[str, list[Meaning]], table: NameTable, lexical: bool
) -> Context:
    tails: Counter[str] = Counter()
    for name, meanings in known.items():
        tails.update({title_tail(table.titles[item.record], name) for item in meanings} - {"~", ""})
    names = [name for name in known if name]
    words = frozenset(WORD.findall(document.text.lower()))
    return Context(words, _find_outside_words(document), tails, names, lexical)


def _find_outside_words(document: Document) -> frozenset[str]:
    """The words of a document that begin outside its mentions, which may be nested."""
    depth = np.zeros(len(document.text) + 1, np.int64)
    for mention in document.mentions:
        depth[mention.start] += 1
        depth[mention.end] -= 1
    covered = np.cumsum(depth) > 0
    words = WORD.finditer(document.text)
    return frozenset(word.group().lower() for word in words if not covered[word.start()])


def _features(
    name: str,
    type: str,
    meanings: list[Meaning],
    table: NameTable,
    totals: Floats,
    without: FoldCounts | None,
    about: Context,
    context: bool,
) -> Iterator[list[int]]:
    """The features of NIL and of each candidate of a name."""
    own: Counter[int] = without.records if without else Counter()
    counts = sum(item.times for item in meanings)
    popular = max((table.popularity[item.record] for item in meanings), default=0.0)
    longer = any(name != other and f" {name}" in f" {other}" for other in about.names)
    matches = [match_title(table.titles[item.record], name) for item in meanings]
    best = "equal" in matches
    many = min(len(meanings), 4)
    yield [
        feature("nil", type),
        feature("nil many", type, many, best),
        feature("nil counts", type, level(counts), many),
        feature("nil longer", type, longer, many),
        feature("nil words", type, min(len(name.split()), 3), many),
        feature("nil popular", type, level(popular) // 2, level(counts) > 0),
    ]
    order = sorted(range(len(meanings)), key=lambda k: -table.popularity[meanings[k].record])
    rank = {k: min(place, 5) for place, k in enumerate(order)}
    for k, item in enumerate(meanings):
        record = item.record
        share = item.times / counts if counts else -1.0
        popularity = table.popularity[record]
        relative = share_level(popularity / popular) if popular else -1
        total = level(max(totals[record] - own[record], 0))
        tail = title_tail(table.titles[record], name)
        row = [
            feature("share", share_level(share), level(counts)),
            feature("share alone", share_level(share)),
            feature("rank", rank[k], many),
            feature("relative", relative, counts > 0),
            feature("popularity", level(popularity), counts > 0),
            feature("match", matches[k], type),
            feature("match rank", matches[k], rank[k], counts > 0),
            feature("total", total, counts > 0),
            feature("type", type, table.types[record]),
            feature("coherent", min(about.tails[tail], 6) if tail not in ("", "~") else -1),
            feature("longer", longer, matches[k]),
            feature("inherited", type, item.is_listed or item.times > 0, matches[k]),
        ]
        row.append(_title_form(table.titles[record], name, type))
        row += _title_words(name, table.titles[record], type, about)
        row += _type_share(record, type, table, without)
        if about.lexical:
            row += [feature("title word", w, type) for w in split_words(tail)[-TITLE_WORDS:]]
        if context:
            row.append(feature("tail", tail, type))
        yield row


def _title_form(title: str, name: str, type: str) -> int:
    """The feature of the form of a title beside the name."""
    lower = normalise_name(title)
    more = len(lower.split()) - len(name.split())
    form = ("(" in title, "," in title, min(more, 3), any(map(str.isdigit, title)))
    return feature("form", form, lower.startswith(name), lower.endswith(name), type)


def _title_words(name: str, title: str, type: str, about: Context) -> list[int]:
    """The features of the words of a title beside the name that the document contains."""
    own = set(name.split())
    words = [w for w in split_words(normalise_name(title)) if w not in own]
    shared = sum(word in about.words for word in words)
    outside = sum(word in about.outside for word in words)
    return [
        feature("shared", min(len(words), 3), min(shared, 3)),
        feature("shared outside", min(len(words), 3), min(outside, 3), type),
    ]


def _type_share(record: int, type: str, table: NameTable, without: FoldCounts | None) -> list[int]:
    """The feature of the share of the annotated mentions of a record that have a type."""
    id = table.ids[record]
    counts = table.type_counts.get(id, EMPTY)
    left = without.types.get(id, EMPTY) if without else EMPTY
    total = sum(counts.values()) - sum(left.values())
    if total <= 0:
        return []
    share = (counts[type] - left[type]) / total
    return [feature("types", share_level(share), min(level(total), 3))]


def _find_endings(name: str, meanings: list[Meaning], table: NameTable) -> list[str]:
    """The kind of NIL and of each record: the last word of the title beside the name, or a type."""
    endings = ["nil"]
    for item in meanings:
        tail = title_tail(table.titles[item.record], name)
        words = split_words(tail)
        endings.append(words[-1] if words else tail or f"type {table.types[item.record]}")
    return endings


def _find_adjacent_words(document: Document, mention: Mention) -> tuple[str, str]:
    """The words before and after a mention; numbers count as one word."""
    text = document.text
    before = text[max(0, mention.start - ADJACENT_CHARACTERS) : mention.start].split()[-1:] or ["^"]
    after = text[mention.end : mention.end + ADJACENT_CHARACTERS].split()[:1] or ["$"]
    if mention.start in document.sentences:
        before = ["^"]
    return _fold_number(before[0]), _fold_number(after[0])


def _fold_number(word: str) -> str:
    return "#" if any(map(str.isdigit, word)) else word.lower()


def _adjacent_features(before: str, after: str, ending: str) -> list[int]:
    """Features of a kind of record with the words beside the mention."""
    return [
        feature("before", before, ending),
        feature("after", after, ending),
        feature("beside", before, after, ending),
    ]
