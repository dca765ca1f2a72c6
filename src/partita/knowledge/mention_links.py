"""Links of mentions to a knowledge base: P(record or none) of each mention by itself.

The options of a mention are NIL and the records that its name may mean. A log-linear model of
binary features, learned from annotated documents, gives their probabilities. `entity_links.py`
turns these into scores of the collapsed link factor.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from partita.kernel import Bytes, Floats, Ints
from partita.knowledge.name_table import Meaning, NameTable, count_names
from partita.learning.choice_model import (
    Choices,
    ChoiceSettings,
    choose_probabilities,
    fit_choices,
    load_choice_weights,
    save_choice_weights,
)
from partita.text.coreference.attributes import is_name, normalise_name
from partita.text.coreference.documents import Document

__all__ = ["LinkModel", "LinkOptions", "fit_links", "list_options", "mark_right", "strip_types"]

SIZE = 1 << 18
"""Number of weights that the features share, by hash; 2 MB."""
WIDTH = 24
"""Features of an option at most."""
MAX_CANDIDATES = 30
"""Records of a name at most: the most often meant, then the most popular."""
NIL = -1
KEYWORDS = 4
"""Words at the start of a document that stand for its topic."""


class LinkOptions(NamedTuple):
    """The options of all mentions: NIL first, then records."""

    features: NDArray[np.int32]
    start: Ints
    record: Ints
    """The record of each option; -1 for NIL."""


@dataclass(frozen=True, eq=False)
class LinkModel:
    """Weights of the features of links."""

    weights: Floats
    context: bool
    """Whether words of the document are features."""
    typed: bool = True
    """Whether types of mentions are features; their names differ between annotations."""

    def options(self, documents: Sequence[Document], table: NameTable) -> LinkOptions:
        """List the options of all mentions with the features of this model."""
        texts = documents if self.typed else strip_types(documents)
        return list_options(texts, table, context=self.context)

    def save(self, path: Path) -> None:
        """Write the weights to a JSON file."""
        save_choice_weights(path, self.weights, context=self.context, typed=self.typed)

    @classmethod
    def load(cls, path: Path) -> LinkModel:
        """Read the weights from a JSON file."""
        weights, settings = load_choice_weights(path, SIZE)
        return cls(weights, bool(settings.get("context")), bool(settings.get("typed")))

    def probabilities(self, options: LinkOptions) -> Floats:
        """Return the probability of every option."""
        return choose_probabilities(options.features, options.start, self.weights)


def strip_types(documents: Sequence[Document]) -> list[Document]:
    """The documents without types of mentions."""
    return [
        replace(document, mentions=tuple(replace(m, type="") for m in document.mentions))
        for document in documents
    ]


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
    """The document of a mention: its first words, words, and tails of candidate titles."""

    topic: list[str]
    words: frozenset[str]
    tails: Counter[str]
    """In how many names of the document a tail of a title occurs among the candidates."""
    names: list[str]


def title_tail(title: str, name: str) -> str:
    """The title of a record without the name, which separates records of one name."""
    lower = normalise_name(title)
    return lower.replace(name, "~", 1) if name in lower else ""


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
    documents: Sequence[Document], table: NameTable, *, context: bool, held_out: bool = False
) -> LinkOptions:
    """List NIL and the candidates of every mention with their features.

    With `held_out`, the counts of a document's own annotations are left out of its features: so
    the training documents are seen as new documents are.
    """
    rows: list[list[int]] = []
    start, record = [0], []
    totals = table.count_records()
    for document in documents:
        without = count_names([document]) if held_out else None
        names = [
            normalise_name(mention.text) if is_name(mention.text) else ""
            for mention in document.mentions
        ]
        known = _inherit({name: _candidates(table, name, without) for name in names})
        own: Counter[int] = Counter()
        for (_, id), count in (without or {}).items():
            own[table.number[id]] += count
        about = _describe_document(document, known, table)
        options: dict[tuple[str, str], list[list[int]]] = {}
        for mention, name in zip(document.mentions, names, strict=True):
            key = (name, mention.type)
            if key not in options:
                options[key] = list(
                    _features(name, mention.type, known[name], table, totals, own, about, context)
                )
            rows += options[key]
            record += [NIL, *(meaning.record for meaning in known[name])]
            start.append(len(rows))
    features = np.zeros((len(rows), WIDTH), np.int32)
    for place, row in enumerate(rows):
        features[place, : len(row)] = row
    return LinkOptions(features, np.array(start, np.int64), np.array(record, np.int64))


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
    document: Document, known: dict[str, list[Meaning]], table: NameTable
) -> Context:
    words = re.findall(r"\w+", document.text.lower())
    tails: Counter[str] = Counter()
    for name, meanings in known.items():
        tails.update({title_tail(table.titles[item.record], name) for item in meanings} - {"~", ""})
    return Context(words[:KEYWORDS], frozenset(words), tails, [name for name in known if name])


def _features(
    name: str,
    type: str,
    meanings: list[Meaning],
    table: NameTable,
    totals: Floats,
    own: Counter[int],
    about: Context,
    context: bool,
) -> Iterator[list[int]]:
    """The features of NIL and of each candidate of a name."""
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
        if context:
            row += _context_features(tail, type, record, table, about)
        yield row[:WIDTH]


def _context_features(
    tail: str, type: str, record: int, table: NameTable, about: Context
) -> list[int]:
    """Features of a record with the topic of the document; learned from training documents."""
    words = [word for word in re.findall(r"\w+", tail) if len(word) > 2]
    shared_words = sum(word in about.words for word in words)
    row = [
        feature("tail", tail, type),
        feature("tail words", min(len(words), 3), min(shared_words, 3)),
    ]
    for word in about.topic:
        row.append(feature("topic tail", word, tail))
        row.append(feature("topic record", word, table.ids[record]))
    return row


def mark_right(documents: Sequence[Document], table: NameTable, options: LinkOptions) -> Bytes:
    """Mark the annotated record of each mention, or NIL where it has none."""
    right = np.zeros(len(options.features), np.uint8)
    mentions = [mention for document in documents for mention in document.mentions]
    for k, mention in enumerate(mentions):
        first, last = int(options.start[k]), int(options.start[k + 1])
        if not mention.link or last == first + 1:
            # without a candidate NIL is certain, and nothing is learned
            right[first] = 1
            continue
        record = table.number.get(mention.link, -2)
        right[first:last][options.record[first:last] == record] = 1
    return right


def fit_links(
    documents: Sequence[Document],
    table: NameTable,
    settings: ChoiceSettings | None = None,
    *,
    context: bool,
    seed: int = 0,
) -> LinkModel:
    """Learn the link model from documents with annotated links, which the table's counts contain.

    A mention whose record is no candidate is not learned from.
    """
    options = list_options(documents, table, context=context, held_out=True)
    choices = Choices(options.features, options.start, mark_right(documents, table, options))
    return LinkModel(fit_choices(choices, SIZE, settings, seed=seed), context)
