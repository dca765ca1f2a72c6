"""P(record or none) of each mention, by a log-linear model in two passes.

The first pass reads each name by itself. The second pass adds features of the likely links of the
other names of the document (`link_coherence.py`). Training computes these from first passes that
were fitted without the document, so that they are as uncertain as those of a new document.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from partita.errors import InputError
from partita.kernel import Bytes, Floats, Ints
from partita.knowledge.link_coherence import add_coherence
from partita.knowledge.link_topics import Topics, add_topics, fit_topics
from partita.knowledge.mention_links import SIZE, LinkOptions, list_options
from partita.knowledge.name_table import NameTable
from partita.learning.choice_model import (
    Choices,
    ChoiceSettings,
    choose_probabilities,
    cross_fit_choices,
    load_choice_weights,
    save_choice_weights,
)
from partita.text.coreference.documents import Document

__all__ = [
    "FittedLinks",
    "LinkExamples",
    "LinkModel",
    "calibrate_links",
    "fit_link_parts",
    "fit_links",
    "strip_types",
]

FOLDS = 5
"""Parts of the training documents that a first pass leaves out in turn. Origin: a choice."""
FEATURES = 2
"""Version of the features; a file states it, because weights of other features are no model."""
TEMPERATURES = (0.8, 0.9, 1.0, 1.05, 1.1, 1.15, 1.2, 1.3, 1.5)
"""Temperatures of scores that development documents choose from. Origin: a choice."""


@dataclass(frozen=True, eq=False)
class LinkModel:
    """Weights of the features of links in both passes."""

    first: Floats
    second: Floats
    context: bool
    """Whether words beside a mention, tails of titles and topics are features."""
    typed: bool = True
    """Whether types of mentions are features; their names differ between annotations."""
    lexical: bool = True
    """Whether words of titles are features."""
    topics: Topics | None = None
    """The training documents by words; only with `context`."""

    def infer(self, documents: Sequence[Document], table: NameTable) -> tuple[LinkOptions, Floats]:
        """List the options of all mentions with their probabilities."""
        texts = documents if self.typed else strip_types(documents)
        options = list_options(texts, table, context=self.context, lexical=self.lexical)
        if self.topics is not None:
            options = add_topics(texts, table, options, self.topics)
        alone = choose_probabilities(options.features, options.start, self.first)
        options = add_coherence(texts, table, options, alone, self.lexical)
        return options, choose_probabilities(options.features, options.start, self.second)

    def save(self, path: Path) -> None:
        """Write the weights to a JSON file."""
        weights = np.concatenate([self.first, self.second])
        settings: dict[str, Any] = {
            "version": FEATURES,
            "context": self.context,
            "typed": self.typed,
            "lexical": self.lexical,
        }
        if self.topics is not None:
            settings["topics"] = self.topics.encode()
        save_choice_weights(path, weights, **settings)

    @classmethod
    def load(cls, path: Path) -> LinkModel:
        """Read the weights from a JSON file."""
        weights, settings = load_choice_weights(path, 2 * SIZE)
        if settings.get("version") != FEATURES:
            raise InputError(f"{path} is no link model of the present features; train it again")
        flags = {name: bool(settings.get(name)) for name in ("context", "typed", "lexical")}
        topics = Topics.decode(settings["topics"]) if settings.get("topics") else None
        return cls(weights[:SIZE], weights[SIZE:], **flags, topics=topics)


class LinkExamples(NamedTuple):
    """Documents with annotated links, and a table of names."""

    documents: Sequence[Document]
    table: NameTable
    held_out: bool = True
    """Whether the counts of the table contain the documents, so that a document's own counts are
    left out of its features."""


class FittedLinks(NamedTuple):
    """A model, and the probabilities of its training mentions without their own documents."""

    model: LinkModel
    options: LinkOptions
    probabilities: Floats


def strip_types(documents: Sequence[Document]) -> list[Document]:
    """The documents without types of mentions."""
    return [
        replace(document, mentions=tuple(replace(m, type="") for m in document.mentions))
        for document in documents
    ]


def fit_links(
    documents: Sequence[Document],
    table: NameTable,
    settings: ChoiceSettings | None = None,
    *,
    context: bool,
    seed: int = 0,
) -> FittedLinks:
    """Learn the link model from documents with annotated links, which the table's counts contain.

    A mention whose record is no candidate is not learned from.
    """
    return fit_link_parts([LinkExamples(documents, table)], settings, context=context, seed=seed)


def fit_link_parts(
    parts: Sequence[LinkExamples],
    settings: ChoiceSettings | None = None,
    *,
    context: bool,
    typed: bool = True,
    lexical: bool = True,
    seed: int = 0,
) -> FittedLinks:
    """Learn one link model from several tables and the same documents, with `context` from one."""
    if context and len(parts) > 1:
        raise InputError("words of documents are learned with one table; give one")
    topics = fit_topics(*parts[0][:2]) if context else None
    passes = [_list_first(part, topics, lexical) for part in parts]
    right = np.concatenate(
        [_mark_right(*part[:2], options) for part, options in zip(parts, passes, strict=True)]
    )
    fold = np.concatenate(
        [np.repeat(_number_folds(len(sizes)), sizes) for sizes in map(_count_mentions, parts)]
    )
    alone = _join(passes)
    first, left_out = _cross_fit(alone, right, fold, settings, seed)
    at = np.cumsum([0, *(len(options.features) for options in passes)])
    coherent = _join(
        [
            add_coherence(*part[:2], options, left_out[at[k] : at[k + 1]], lexical)
            for k, (part, options) in enumerate(zip(parts, passes, strict=True))
        ]
    )
    second, left_out = _cross_fit(coherent, right, fold, settings, seed)
    return FittedLinks(
        LinkModel(first, second, context, typed, lexical, topics), coherent, left_out
    )


def calibrate_links(
    links: FittedLinks, documents: Sequence[Document], table: NameTable
) -> FittedLinks:
    """Divide the scores of the second pass by the temperature that fits development documents best.

    The likeliest option of a mention stays; the likelihood of the annotated options chooses.
    """
    options, p = links.model.infer(documents, table)
    right = _mark_right(documents, table, options)
    if not right.any():
        raise InputError("development documents have no annotated mention; give others")
    losses = {
        temperature: -np.log(_temper(p, options.start, temperature)[right > 0]).mean()
        for temperature in TEMPERATURES
    }
    best = min(losses, key=lambda temperature: losses[temperature])
    model = replace(links.model, second=links.model.second / best)
    return FittedLinks(
        model, links.options, _temper(links.probabilities, links.options.start, best)
    )


def _temper(probabilities: Floats, start: Ints, temperature: float) -> Floats:
    """The probabilities of options whose scores are divided by the temperature."""
    raised = np.maximum(probabilities, np.finfo(float).tiny) ** (1 / temperature)
    return np.asarray(raised / np.repeat(np.add.reduceat(raised, start[:-1]), np.diff(start)))


def _list_first(part: LinkExamples, topics: Topics | None, lexical: bool) -> LinkOptions:
    """The options of the first pass, without what the fold of a document adds to counts."""
    documents, table, held_out = part
    folds = _number_folds(len(documents))
    options = list_options(
        documents,
        table,
        context=topics is not None,
        lexical=lexical,
        folds=folds if held_out else None,
    )
    return options if topics is None else add_topics(documents, table, options, topics, folds)


def _number_folds(n: int) -> Ints:
    """The fold of each of `n` documents: adjacent ones, because news of one day share names."""
    return np.arange(n) * FOLDS // max(n, 1)


def _count_mentions(part: LinkExamples) -> list[int]:
    return [len(document.mentions) for document in part.documents]


def _join(parts: Sequence[LinkOptions]) -> LinkOptions:
    """The options of several sets, one after the other."""
    counts = np.concatenate([np.diff(options.start) for options in parts])
    features = [options.features for options in parts]
    width = max(rows.shape[1] for rows in features)
    return LinkOptions(
        np.concatenate([np.pad(rows, ((0, 0), (0, width - rows.shape[1]))) for rows in features]),
        np.concatenate([[0], np.cumsum(counts)]),
        np.concatenate([options.record for options in parts]),
    )


def _mark_right(documents: Sequence[Document], table: NameTable, options: LinkOptions) -> Bytes:
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


def _cross_fit(
    options: LinkOptions, right: Bytes, fold: Ints, settings: ChoiceSettings | None, seed: int
) -> tuple[Floats, Floats]:
    """The mean weights over the folds, and probabilities by weights without a mention's own fold.

    The mean of fits without one fold each is less certain than a fit of all mentions: the weight of
    a feature that one fold has shrinks.
    """
    annotated = np.add.reduceat(right, options.start[:-1]) > 0
    if np.unique(fold[annotated]).size < 2:
        raise InputError(
            "links cannot be learned from fewer than two annotated documents; give more documents "
            "with links"
        )
    choices = Choices(options.features, options.start, right)
    return cross_fit_choices(choices, fold, SIZE, settings, seed=seed)
