"""Weights of the segment model: from one vector to a lattice, and from sums to a gradient."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.kernel import Floats
from partita.text.extraction.attributes import Attributes
from partita.text.extraction.semi_markov import Expectations, Lattice, score_segments

__all__ = ["Layout", "Parts", "cover_tokens"]


class Parts(NamedTuple):
    """Weights, or counts of features, by role; the last axis is the labels."""

    inside: Floats
    opening: Floats
    closing: Floats
    whole: Floats
    length: Floats
    steps: Floats
    """Labels by labels; the last row is the start of a line."""


@dataclass(frozen=True)
class Layout:
    """Where the weights of each role are in one vector, and how nodes of the tree share them.

    The weight of a label is the sum of the weights of its node and of the node's ancestors.
    """

    widths: tuple[int, int, int, int]
    longest: tuple[int, ...]
    """The most tokens of a segment of each label."""
    ancestry: NDArray[np.float64]
    """Labels by nodes: 1 where the node is the label or an ancestor of the label."""

    @property
    def labels(self) -> int:
        """The number of labels."""
        return len(self.ancestry)

    @property
    def lengths(self) -> int:
        """The most tokens of a segment."""
        return max(self.longest)

    @property
    def rows(self) -> tuple[int, ...]:
        """The number of rows of each role; every row has one column for each node."""
        return (*self.widths, self.lengths, self.ancestry.shape[1] + 1)

    @property
    def size(self) -> int:
        """The number of weights."""
        return sum(self.rows) * self.ancestry.shape[1]

    def unpack(self, weights: Floats) -> Parts:
        """Return the weights of labels, by role."""
        roles, at = [], 0
        nodes = self.ancestry.shape[1]
        for rows in self.rows:
            roles.append(weights[at : at + rows * nodes].reshape(rows, nodes) @ self.ancestry.T)
            at += rows * nodes
        steps = roles[-1]
        roles[-1] = np.vstack([self.ancestry @ steps[:-1], steps[-1:]])
        return Parts(*roles)

    def pack(self, counts: Parts) -> Floats:
        """Return counts of labels as counts of nodes, in one vector: the transpose of `unpack`."""
        steps = np.vstack([self.ancestry.T @ counts.steps[:-1], counts.steps[-1:]])
        return np.concatenate([(part @ self.ancestry).ravel() for part in (*counts[:-1], steps)])

    def score(self, attributes: Attributes, parts: Parts, openings: Floats) -> Lattice:
        """Score all segments of lines; `openings` adds to the score of each first token."""
        tokens = attributes.inside.shape[0]
        scores = attributes.whole @ parts.whole
        scores = np.ascontiguousarray(scores).reshape(tokens, self.lengths, self.labels)
        length = parts.length.copy()
        for label, most in enumerate(self.longest):
            length[most:, label] = -np.inf
        score_segments(
            attributes.start,
            np.ascontiguousarray(attributes.inside @ parts.inside),
            np.ascontiguousarray(attributes.opening @ parts.opening + openings),
            np.ascontiguousarray(attributes.closing @ parts.closing),
            length,
            scores,
        )
        return Lattice(attributes.start, scores, np.ascontiguousarray(parts.steps))

    def count(self, attributes: Attributes, sums: Expectations) -> Parts:
        """Return the expected counts of all features of labels."""
        return self.count_segments(attributes, sums.segments, sums.steps)

    def count_segments(self, attributes: Attributes, segments: Floats, steps: Floats) -> Parts:
        """Return the counts of all features, from counts of segments and of adjacent labels."""
        tokens = attributes.inside.shape[0]
        covered, last = cover_tokens(segments)
        return Parts(
            attributes.inside.T @ covered,
            attributes.opening.T @ segments.sum(1),
            attributes.closing.T @ last,
            attributes.whole.T @ segments.reshape(tokens * self.lengths, self.labels),
            segments.sum(0),
            steps,
        )


def cover_tokens(segments: Floats) -> tuple[Floats, Floats]:
    """Return the probability of each label of each token, and that its segment ends there.

    `segments[t, k, y]` is the probability of the segment of k + 1 tokens that starts at t.
    """
    tokens, lengths, labels = segments.shape
    covered, last = np.zeros((tokens, labels)), np.zeros((tokens, labels))
    longer = np.zeros((tokens, labels))
    for k in range(min(lengths, tokens) - 1, -1, -1):
        longer += segments[:, k]
        covered[k:] += longer[: tokens - k]
        last[k:] += segments[: tokens - k, k]
    return covered, last
