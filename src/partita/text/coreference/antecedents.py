"""The antecedent model: P(antecedent) of each mention, learned from annotated documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.kernel import Bytes, Floats, Ints
from partita.learning.choice_model import (
    Choices,
    ChoiceSettings,
    choose_probabilities,
    fit_choices,
    load_choice_weights,
    save_choice_weights,
)
from partita.text.coreference.attributes import Attributes, describe_mentions
from partita.text.coreference.documents import Document
from partita.text.coreference.pairs import (
    AGREEMENT,
    SIZE,
    Antecedents,
    list_antecedents,
    new_features,
    pair_features,
)

__all__ = ["AntecedentModel", "Corpus", "encode_corpus", "fit_antecedents", "label_pairs"]


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


@dataclass(frozen=True, eq=False)
class AntecedentModel:
    """Weights of the features of antecedents."""

    weights: Floats
    lexical: bool
    agreement: bool = False
    """Whether agreement of links is a feature of pairs."""

    def probabilities(self, corpus: Corpus) -> Floats:
        """Return the probability of every option."""
        return choose_probabilities(corpus.features, corpus.start, self.weights)

    def save(self, path: Path) -> None:
        """Write the weights to a JSON file."""
        settings = {"lexical": self.lexical, "agreement": self.agreement}
        save_choice_weights(path, self.weights, **settings)

    @classmethod
    def load(cls, path: Path) -> AntecedentModel:
        """Read the weights from a JSON file."""
        weights, settings = load_choice_weights(path, SIZE)
        return cls(weights, bool(settings.get("lexical")), bool(settings.get("agreement")))


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
    choices = Choices(documents.features, documents.start, label_pairs(documents))
    agreement = bool(documents.features[:, AGREEMENT].any())
    weights = fit_choices(choices, SIZE, settings, seed=seed)
    return AntecedentModel(weights, lexical, agreement)
