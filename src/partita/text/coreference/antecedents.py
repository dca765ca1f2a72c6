"""The antecedent model: P(antecedent) of each mention, learned from annotated documents.

The first pass reads pairs of mentions. The second pass adds features of the entities that the first
pass guesses (`guessed.py`). Training computes these from first passes that were fitted without the
document, so that they have the errors of a new document.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError
from partita.kernel import Bytes, Floats, Ints, find_components
from partita.learning.choice_model import (
    Choices,
    ChoiceSettings,
    choose_probabilities,
    cross_fit_choices,
    fit_choices,
    load_choice_weights,
    save_choice_weights,
)
from partita.text.coreference.attributes import Attributes, describe_mentions
from partita.text.coreference.documents import Document
from partita.text.coreference.guessed import entity_features
from partita.text.coreference.pairs import (
    AGREEMENT,
    GUESSED,
    SIZE,
    Antecedents,
    list_antecedents,
    new_features,
    pair_features,
)

__all__ = [
    "AntecedentModel",
    "Corpus",
    "add_guess",
    "encode_corpus",
    "fit_antecedents",
    "guess_entities",
    "label_pairs",
]

PASSES = 2
"""Passes of the model; a file states them, because weights of one pass are no model of two."""
FOLDS = 5
"""Parts of the training documents that a first pass leaves out in turn. Origin: a choice."""


class Corpus(NamedTuple):
    """Mentions of documents, numbered through, with their options.

    The first option of a mention is to open an entity; the others are its listed antecedents.
    """

    documents: Sequence[Document]
    attributes: list[Attributes]
    first: Ints
    """The first mention of each document, and the number of mentions at the end."""
    pairs: Antecedents
    features: NDArray[np.int32]
    """One row for each option."""
    start: Ints
    """The first option of each mention, and the number of options at the end."""

    @property
    def n(self) -> int:
        """The number of mentions."""
        return int(self.first[-1])

    @property
    def pair_options(self) -> Ints:
        """The option of each pair."""
        return np.arange(self.pairs.mention.size) + self.pairs.mention + 1

    def entities(self) -> Ints:
        """The annotated entity of each mention; -1 if unknown."""
        numbers: dict[tuple[int, str], int] = {}
        labels = [
            numbers.setdefault((k, mention.entity), len(numbers)) if mention.entity else -1
            for k, document in enumerate(self.documents)
            for mention in document.mentions
        ]
        return np.array(labels, np.int64)


def encode_corpus(documents: Sequence[Document], lexical: bool = True) -> Corpus:
    """Compute attributes, possible antecedents and features of all documents."""
    attributes = [describe_mentions(document) for document in documents]
    sizes = [len(document.mentions) for document in documents]
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    mentions, others, rows = [], [], []
    for of, at in zip(attributes, first[:-1], strict=True):
        pairs = list_antecedents(of)
        rows.append(_interleave(of, pairs, lexical))
        mentions.append(pairs.mention + at)
        others.append(pairs.other + at)
    pairs = Antecedents(np.concatenate(mentions), np.concatenate(others))
    counts = np.bincount(pairs.mention, minlength=int(first[-1])) + 1
    start = np.concatenate([[0], np.cumsum(counts)])
    return Corpus(documents, attributes, first, pairs, np.concatenate(rows), start)


def _interleave(of: Attributes, pairs: Antecedents, lexical: bool) -> NDArray[np.int32]:
    """Put the option to open an entity before the antecedents of each mention."""
    options = np.arange(pairs.mention.size) + pairs.mention + 1
    opening = new_features(of, lexical)
    features = np.zeros((len(opening) + options.size, opening.shape[1]), np.int32)
    is_pair = np.zeros(len(features), bool)
    is_pair[options] = True
    features[is_pair] = pair_features(of, pairs, lexical)
    features[~is_pair] = opening
    return features


def label_pairs(corpus: Corpus) -> Bytes:
    """Mark the right options: antecedents of the same entity, or to open it without any.

    Options of a mention without an annotated entity are all wrong, so that it is not learned from.
    """
    entity, (mention, other) = corpus.entities(), corpus.pairs
    right = np.zeros(len(corpus.features), np.uint8)
    same = (entity[mention] == entity[other]) & (entity[mention] >= 0)
    right[corpus.pair_options[same]] = 1
    has_antecedent = np.zeros(corpus.n, bool)
    has_antecedent[mention[same]] = True
    right[corpus.start[:-1][~has_antecedent & (entity >= 0)]] = 1
    return right


def guess_entities(corpus: Corpus, probabilities: Floats) -> Ints:
    """The entities of mentions that each join their likeliest antecedent, or open an entity."""
    edges = []
    for j in range(corpus.n):
        first, last = int(corpus.start[j]), int(corpus.start[j + 1])
        best = first + int(np.argmax(probabilities[first:last]))
        if best > first:
            edges.append((j, int(corpus.pairs.other[best - j - 1])))
    return find_components(np.array(edges, np.int64).reshape(-1, 2), corpus.n)


def add_guess(corpus: Corpus, guess: Ints) -> Corpus:
    """Add features of each mention with the guessed entity of each antecedent."""
    columns = entity_features(corpus.attributes, corpus.pairs, guess)
    features = corpus.features.copy()
    features[corpus.pair_options, GUESSED : GUESSED + columns.shape[1]] = columns
    return corpus._replace(features=features)


@dataclass(frozen=True, eq=False)
class AntecedentModel:
    """Weights of the features of antecedents in both passes."""

    first: Floats
    second: Floats
    lexical: bool
    agreement: bool = False
    """Whether agreement of links is a feature of pairs."""

    def probabilities(self, corpus: Corpus) -> Floats:
        """Return the probability of every option."""
        alone = choose_probabilities(corpus.features, corpus.start, self.first)
        guessed = add_guess(corpus, guess_entities(corpus, alone))
        return choose_probabilities(guessed.features, guessed.start, self.second)

    def save(self, path: Path) -> None:
        """Write the weights to a JSON file."""
        weights = np.concatenate([self.first, self.second])
        settings = {"passes": PASSES, "lexical": self.lexical, "agreement": self.agreement}
        save_choice_weights(path, weights, **settings)

    @classmethod
    def load(cls, path: Path) -> AntecedentModel:
        """Read the weights from a JSON file."""
        weights, settings = load_choice_weights(path, PASSES * SIZE)
        if settings.get("passes") != PASSES:
            raise InputError(f"{path} is no antecedent model of two passes; train it again")
        flags = (bool(settings.get(name)) for name in ("lexical", "agreement"))
        return cls(weights[:SIZE], weights[SIZE:], *flags)


def fit_antecedents(
    documents: Iterable[Document] | Corpus,
    settings: ChoiceSettings | None = None,
    *,
    lexical: bool = True,
    seed: int = 0,
) -> AntecedentModel:
    """Learn the antecedent model from documents with annotated entities, or from their corpus."""
    if not isinstance(documents, Corpus):
        documents = encode_corpus(list(documents), lexical)
    agreement = bool(documents.features[:, AGREEMENT].any())
    choices = Choices(documents.features, documents.start, label_pairs(documents))
    first = fit_choices(choices, SIZE, settings, seed=seed)
    fold = np.repeat(np.arange(len(documents.documents)) % FOLDS, np.diff(documents.first))
    _, left_out = cross_fit_choices(choices, fold, SIZE, settings, seed=seed)
    guessed = add_guess(documents, guess_entities(documents, left_out))
    second = fit_choices(choices._replace(features=guessed.features), SIZE, settings, seed=seed)
    return AntecedentModel(first, second, lexical, agreement)
