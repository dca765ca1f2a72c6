"""Expectation constraints: p is the model, q the closest distribution in which rules hold.

p(s | x) ~ exp(theta . G) is the segment model, and q ~ p(s | x) exp(lambda . G') adds the rules.
The statistic G' of a rule counts the tokens at which the rule fires and the label is one that the
rule states. A last statistic counts tokens without a firing that are `other`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.kernel import Floats, Ints, entry
from partita.text.extraction.attributes import Attributes, Vocabulary
from partita.text.extraction.rules import Rules
from partita.text.extraction.segment_states import clamp_states
from partita.text.extraction.segment_weights import Layout, Parts
from partita.text.extraction.semi_markov import Lattice, sum_segments
from partita.text.extraction.structure import Structure, read_structure

__all__ = ["BLOCK_CELLS", "Counts", "Lines", "Statistics", "read_lines", "read_statistics"]

BLOCK_CELLS = 4_000_000
"""Cells of a lattice in memory at a time (tokens * lengths * labels): 32 MB an array."""


class Statistics(NamedTuple):
    """Labels that each rule states; the last row is the rule about tokens without a firing."""

    allowed: NDArray[np.bool_]
    """Rules by labels: the labels that each rule states."""
    active: NDArray[np.bool_]
    """Rules that state some labels but not all."""

    def raise_scores(self, parts: Parts, rows: slice, duals: Floats) -> Parts:
        """Return the weights of q: those of p, and the duals for the labels that rules state."""
        inside = parts.inside.copy()
        inside[rows] += np.where(self.active, duals, 0.0)[:, None] * self.allowed
        return parts._replace(inside=inside)


def read_statistics(rules: Rules) -> Statistics:
    """Return the statistics of the rules of a schema."""
    schema = rules.schema
    silent = np.array([[label == schema.other for label in schema.labels]])
    positive = np.array([not rule.is_structural for rule in schema.rules], bool)
    allowed = np.vstack([rules.allowed & positive[:, None], silent])
    return Statistics(allowed, np.asarray(allowed.any(1) & ~allowed.all(1)))


@entry
def _clamp_lines(start: Ints, known: Ints, longest: Ints, scores: Floats) -> None:
    """Forbid segments that contradict known labels (-1: unknown).

    A run of one known label that fits into one segment is one segment.
    """
    lengths, labels = scores.shape[1], scores.shape[2]
    for line in range(start.size - 1):
        last = start[line + 1]
        run = start[line]
        for t in range(start[line], last):
            if t == start[line] or known[t] != known[t - 1]:
                run = t
            stop = t + 1
            while known[t] >= 0 and stop < last and known[stop] == known[t]:
                stop += 1
            for y in range(labels):
                fits = True
                for k in range(min(lengths, last - t)):
                    fits = fits and (known[t + k] < 0 or known[t + k] == y)
                    is_run = known[t] == y and stop - run <= longest[y]
                    if not fits or (is_run and (t != run or t + k + 1 != stop)):
                        scores[t, k, y] = -np.inf


class Counts(NamedTuple):
    """Sums over lines under one distribution."""

    features: Floats
    """Expected features G, as one vector of weights."""
    rules: Floats
    """Expected statistics G' of the rules."""
    log_z: float


@dataclass(frozen=True, eq=False)
class Lines:
    """Encoded lines with the fixed parts of their lattice."""

    layout: Layout
    vocabulary: Vocabulary
    attributes: Attributes
    structure: Structure
    statistics: Statistics
    known: Ints | None = None
    """The known label of each token, or -1; None if no token has one."""
    evidence: Floats | None = None
    """Tokens by labels: further scores of the labels of tokens, from outside of their lines."""

    @property
    def fired(self) -> Floats:
        """The number of tokens at which each rule fires."""
        return self.count_fired(0, self.attributes.start.size - 1)

    def count_fired(self, first: int, last: int) -> Floats:
        """Return the number of tokens of some lines at which each rule fires."""
        inside = self.attributes.take(first, last).inside
        return np.asarray(inside.sum(0)).ravel()[self.vocabulary.rule_rows]

    def split(self) -> Iterator[tuple[int, int]]:
        """Yield ranges of lines whose lattices fit into memory."""
        start = self.attributes.start
        tokens = max(1, BLOCK_CELLS // (self.layout.lengths * self.layout.labels))
        first, lines = 0, start.size - 1
        while first < lines:
            last = int(np.searchsorted(start, start[first] + tokens, side="right")) - 1
            last = min(lines, max(last, first + 1))
            yield first, last
            first = last

    def weigh(self, weights: Floats, duals: Floats | None = None) -> Parts:
        """Return the weights of labels at p, or with duals at q."""
        parts = self.layout.unpack(weights)
        parts = parts._replace(
            length=parts.length + self.structure.length, steps=parts.steps + self.structure.steps
        )
        if duals is None:
            return parts
        return self.statistics.raise_scores(parts, self.vocabulary.rule_rows, duals)

    def score(self, first: int, last: int, parts: Parts, *, clamped: bool = False) -> Lattice:
        """Score the segments of the lines first .. last - 1; known labels enter if clamped."""
        attributes = self.attributes.take(first, last)
        tokens = slice(self.attributes.start[first], self.attributes.start[last])
        evidence = 0.0 if self.evidence is None else self.evidence[tokens]
        lattice = self.layout.score(attributes, parts, self.structure.opening[tokens], evidence)
        if clamped and self.known is not None:
            longest, known = self.layout.longest, self.known[tokens]
            if self.layout.is_limited:
                _clamp_lines(lattice.start, known, np.array(longest), lattice.scores)
            else:
                clamp_states(lattice.start, known, longest, lattice.scores)
        return lattice

    def count(self, weights: Floats, duals: Floats | None = None) -> Counts:
        """Sum over all lines at p, or with duals at q; labels are clamped at q only."""
        parts = self.weigh(weights, duals)
        features, log_z = np.zeros(self.layout.size), 0.0
        stated = np.zeros(len(self.statistics.allowed))
        for first, last in self.split():
            block = self.count_block(first, last, parts, clamped=duals is not None)
            features += block.features
            stated += block.rules
            log_z += block.log_z
        return Counts(features, stated, log_z)

    def count_block(self, first: int, last: int, parts: Parts, *, clamped: bool = False) -> Counts:
        """Sum over the lines first .. last - 1 under one distribution."""
        sums = sum_segments(self.score(first, last, parts, clamped=clamped))
        counts = self.layout.count(self.attributes.take(first, last), sums)
        features = self.layout.pack(counts)
        return Counts(features, self.count_stated(counts), float(sums.log_z.sum()))

    def count_stated(self, counts: Parts) -> Floats:
        """Return the statistics of the rules from the counts of features."""
        by_rule = counts.inside[self.vocabulary.rule_rows]
        return np.asarray((by_rule * self.statistics.allowed).sum(1))


def read_lines(
    rules: Rules, layout: Layout, vocabulary: Vocabulary, known: Ints | None = None
) -> Lines:
    """Encode the tokens and rules of lines for a model."""
    return Lines(
        layout,
        vocabulary,
        vocabulary.encode(rules),
        read_structure(rules, layout.lengths),
        read_statistics(rules),
        known,
    )
