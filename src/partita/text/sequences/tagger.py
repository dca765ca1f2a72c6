"""Tagger: a linear chain with learned weights that labels sequences."""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from partita.errors import InputError
from partita.kernel import Floats, Ints
from partita.learning.files import read_file, write_file
from partita.states.checks import whole
from partita.text.sequences.encoding import Encoder, Function, Sequences, columns
from partita.text.sequences.lattice import compute_marginals, find_best, find_n_best, score_tokens

__all__ = ["Tagger"]

KIND = "tagger"


@dataclass(frozen=True)
class Tagger:
    """Weights of attributes by label and of neighbouring labels, with their encoder.

    The score of a labeling is the sum over tokens of emission[attribute, label] * value and over
    neighbours of transition[left, right], plus observed[attribute, left, right] * value with the
    attributes of the right token, if there are such weights.
    """

    encoder: Encoder
    emission: Floats
    transition: Floats
    about: Mapping[str, Any] = field(default_factory=dict)
    observed: Floats | None = None

    def codes(self, sequences: Sequences) -> Ints:
        """Return the best label numbers of encoded sequences (Viterbi)."""
        scores = self.scores(sequences)
        longest = int(np.diff(sequences.start).max(initial=1))
        path = np.zeros(scores.shape[0], np.int64)
        labels = len(self.encoder.labels)
        reach, back = np.zeros((2, labels)), np.zeros((max(1, longest), labels), np.int64)
        find_best(sequences.start, scores, self.steps(sequences), path, reach, back)
        return path

    def scores(self, sequences: Sequences) -> Floats:
        """Return scores of encoded tokens by label, without those of neighbours."""
        scores = np.zeros((sequences.row.size - 1, len(self.encoder.labels)))
        score_tokens(sequences.row, sequences.attribute, sequences.value, self.emission, scores)
        return scores

    def steps(self, sequences: Sequences) -> Floats:
        """Return scores of neighbouring labels: one matrix for all tokens, or one for each."""
        if self.observed is None:
            return self.transition[None]
        width = self.observed.shape[0]
        steps = sequences.matrix(width) @ self.observed.reshape(width, -1)
        return self.transition + steps.reshape(-1, *self.transition.shape)

    def predict(self, sentences: Sequence[Any]) -> list[list[str]]:
        """Return the best labels of each sequence."""
        return self.label(self.encoder.encode(sentences))

    def label(self, sequences: Sequences) -> list[list[str]]:
        """Return the best labels of encoded sequences."""
        return self._cut(self.codes(sequences), sequences.start)

    def marginals(self, sentences: Sequence[Any]) -> list[Floats]:
        """Return the probability of every label at every token, by sequence."""
        sequences = self.encoder.encode(sentences)
        scores = self.scores(sequences)
        return np.split(self._spread(sequences, scores)[0], sequences.start[1:-1])

    def _spread(self, sequences: Sequences, scores: Floats) -> tuple[Floats, float]:
        """Return marginals of all tokens, and the sum of log Z."""
        labels = scores.shape[1]
        marginals, pairs = np.zeros_like(scores), np.zeros((1, labels, labels))
        factor = np.exp(self.steps(sequences))
        return marginals, compute_marginals(
            sequences.start, scores, factor, marginals, pairs, np.zeros(labels)
        )

    def n_best(self, sentence: Any, n: int) -> list[tuple[list[str], float]]:
        """Return the n best labelings of one sequence with their probabilities, best first."""
        whole(n, "n")
        if not len(sentence):
            raise InputError("the sequence is empty; give at least one token")
        sequences = self.encoder.encode([sentence])
        scores = self.scores(sequences)
        length, labels = scores.shape
        paths, totals = np.zeros((n, length), np.int64), np.zeros(n)
        reach, back = np.zeros((length, labels, n)), np.zeros((length, labels, n), np.int64)
        count = find_n_best(scores, self.steps(sequences), reach, back, paths, totals)
        log_z = self._spread(sequences, scores)[1]
        return [
            (self._names(paths[k]), float(np.exp(totals[k] - log_z))) for k in range(int(count))
        ]

    def _names(self, codes: Ints) -> list[str]:
        return [self.encoder.labels[code] for code in codes]

    def _cut(self, codes: Ints, start: Ints) -> list[list[str]]:
        names = self._names(codes)
        return [names[a:b] for a, b in itertools.pairwise(start)]

    def named(self) -> dict[str, float]:
        """Return all non-zero weights by name: `label|attribute` and `left -> right`."""
        labels, names = self.encoder.labels, self.encoder.attribute_names()
        weights = {
            f"{labels[b]}|{names[a]}": float(self.emission[a, b])
            for a, b in zip(*np.nonzero(self.emission), strict=True)
        }
        for a, b in np.ndindex(self.transition.shape):
            weights[f"{labels[a]} -> {labels[b]}"] = float(self.transition[a, b])
        if self.observed is not None:
            for k, a, b in zip(*np.nonzero(self.observed), strict=True):
                weights[f"{labels[a]} -> {labels[b]}|{names[k]}"] = float(self.observed[k, a, b])
        return weights

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the weights to a model file; the file does not contain a features function."""
        used = np.flatnonzero(np.abs(self.emission).sum(1))
        if self.observed is not None:
            used = np.union1d(used, np.flatnonzero(np.abs(self.observed).sum((1, 2))))
        names = self.encoder.attribute_names()
        content = {
            "about": dict(self.about),
            "labels": list(self.encoder.labels),
            "buckets": self.encoder.buckets,
            "attributes": {
                (str(k) if self.encoder.buckets else names[k]): self.emission[k].tolist()
                for k in used
            },
            "transitions": self.transition.tolist(),
        }
        if self.observed is not None:
            # non-zero weights only, in the order of the attributes above
            cells = self.observed[used].reshape(len(used), -1)
            rows, pairs = np.nonzero(cells)
            content["observed"] = [rows.tolist(), pairs.tolist(), cells[rows, pairs].tolist()]
        return write_file(path, KIND, content)

    @classmethod
    def load(cls, path: str | os.PathLike[str], features: Function | Sequence[str]) -> Tagger:
        """Read a saved tagger; `features` is the function, or the columns, of its training."""
        content = read_file(path, KIND)
        try:
            labels = tuple(str(label) for label in content["labels"])
            buckets = int(content["buckets"])
            attributes = dict(content["attributes"])
            transition = np.array(content["transitions"], float)
            rows = np.array(list(attributes.values()), float).reshape(-1, len(labels))
            emission = rows
            if buckets:
                emission = np.zeros((buckets, len(labels)))
                emission[[int(k) for k in attributes]] = rows
            observed = _observed(
                content, [int(k) for k in attributes] if buckets else None, emission
            )
        except (KeyError, TypeError, ValueError, IndexError):
            raise InputError(f"{path} is damaged; train the tagger again") from None
        if transition.shape != (len(labels), len(labels)):
            raise InputError(f"{path} is damaged; train the tagger again")
        function = features if callable(features) else columns(features)
        names = () if buckets else tuple(attributes)
        encoder = Encoder(function, names, buckets, labels)
        return cls(encoder, emission, transition, content.get("about", {}), observed)

    def with_facts(self, **about: Any) -> Tagger:
        """Return the same tagger with more facts `about` its training."""
        return replace(self, about={**self.about, **about})


def _observed(
    content: Mapping[str, Any], places: list[int] | None, emission: Floats
) -> Floats | None:
    """Read the weights of pairs with attributes from the list of a file."""
    if "observed" not in content:
        return None
    width, labels = emission.shape
    rows, pairs, weights = (np.array(column) for column in content["observed"])
    dense = np.zeros((width, labels * labels))
    dense[np.array(places)[rows] if places else rows, pairs] = weights
    return dense.reshape(width, labels, labels)
