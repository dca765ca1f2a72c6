"""Weights of the segment model: from one vector to a lattice, and from sums to a gradient."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.kernel import Floats, Ints
from partita.text.extraction.attributes import Attributes
from partita.text.extraction.segment_states import (
    ANY_LENGTH,
    expand_states,
    fold_states,
    fold_steps,
    rate_segments,
)
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
    """The most tokens of a segment of each label; 0 without a limit (see `segment_states`)."""
    ancestry: NDArray[np.float64]
    """Labels by nodes: 1 where the node is the label or an ancestor of the label."""

    @property
    def labels(self) -> int:
        """The number of labels."""
        return len(self.ancestry)

    @property
    def is_limited(self) -> bool:
        """Whether all segments have a limit of length."""
        return ANY_LENGTH not in self.longest

    @property
    def lengths(self) -> int:
        """The most tokens of a segment in the lattice."""
        return max(self.longest) if self.is_limited else 1

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

    def score(
        self,
        attributes: Attributes,
        parts: Parts,
        openings: Floats,
        evidence: Floats | float = 0.0,
    ) -> Lattice:
        """Score all segments of lines.

        `openings` adds to the score of each first token, `evidence` to that of each token.
        """
        inside = np.ascontiguousarray(attributes.inside @ parts.inside + evidence)
        opening = np.ascontiguousarray(attributes.opening @ parts.opening + openings)
        if not self.is_limited:
            return expand_states(attributes.start, inside, opening, parts.steps, self.longest)
        tokens = attributes.inside.shape[0]
        scores = attributes.whole @ parts.whole
        scores = np.ascontiguousarray(scores).reshape(tokens, self.lengths, self.labels)
        length = parts.length.copy()
        for label, most in enumerate(self.longest):
            length[most:, label] = -np.inf
        score_segments(
            attributes.start,
            inside,
            opening,
            np.ascontiguousarray(attributes.closing @ parts.closing),
            length,
            scores,
        )
        return Lattice(attributes.start, scores, np.ascontiguousarray(parts.steps))

    def count(self, attributes: Attributes, sums: Expectations) -> Parts:
        """Return the expected counts of all features of labels."""
        if self.is_limited:
            return self.count_segments(attributes, sums.segments, sums.steps)
        begin = sums.segments[:, 0, : self.labels]
        # the ends and lengths of segments of any length have no features
        ends, whole, lengths = (np.zeros((rows, self.labels)) for rows in self.rows[2:5])
        return Parts(
            attributes.inside.T @ self.cover(sums),
            attributes.opening.T @ begin,
            ends,
            whole,
            lengths,
            fold_steps(sums.steps),
        )

    def cover(self, sums: Expectations) -> Floats:
        """Return the probability of each label of each token."""
        if self.is_limited:
            return cover_tokens(sums.segments)[0]
        return np.asarray(sums.segments[:, 0, : self.labels] + sums.segments[:, 0, self.labels :])

    def read_rows(self, rows: Ints) -> Ints:
        """Return first token and label of each token's segment, from rows of the lattice."""
        return rows if self.is_limited else fold_states(rows, self.labels)

    def rate(self, sums: Expectations, rows: Ints) -> Floats:
        """Return the probability of the segment of each token in a segmentation."""
        first, label = rows
        if not self.is_limited:
            return rate_segments(sums.segments[:, 0], first, label)
        size = np.bincount(first, minlength=first.size)[first]
        return np.asarray(sums.segments[first, size - 1, label])

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
