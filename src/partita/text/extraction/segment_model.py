"""A trained segment model, and the posterior of segmentations of lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from partita.errors import InputError
from partita.kernel import Floats, Ints
from partita.text.extraction.attributes import Vocabulary
from partita.text.extraction.expectations import Lines, read_lines
from partita.text.extraction.rules import Rules
from partita.text.extraction.schema import Schema
from partita.text.extraction.segment_search import (
    find_best_segments,
    find_n_best_segments,
    sample_segments,
)
from partita.text.extraction.segment_weights import Layout, Parts
from partita.text.extraction.semi_markov import Lattice, sum_segments

__all__ = ["Segment", "SegmentModel", "SegmentPosterior"]


class Segment(NamedTuple):
    """A segment of a line: tokens `start` up to `stop`, numbered over all lines."""

    start: int
    stop: int
    field: str
    probability: float
    """Posterior probability of exactly these tokens with this field."""


@dataclass(frozen=True, eq=False)
class SegmentModel:
    """Weights of the segment model, and rate and dual of each rule."""

    schema: Schema
    vocabulary: Vocabulary
    layout: Layout
    weights: Floats
    duals: Floats
    rates: Floats
    """The estimated share of firings at which each rule is right; last, tokens without firing."""

    def posterior(self, rules: Rules) -> SegmentPosterior:
        """Return the posterior of the segmentations of lines, at q: model and rules together."""
        if rules.schema.labels != self.schema.labels:
            raise InputError("the lines have another schema than the model; compile the same one")
        lines = read_lines(rules, self.layout, self.vocabulary)
        return SegmentPosterior(rules, lines, lines.weigh(self.weights, self.duals))


@dataclass(frozen=True, eq=False)
class SegmentPosterior:
    """The posterior distribution of the segmentations of lines."""

    rules: Rules
    lines: Lines
    parts: Parts

    @cached_property
    def _sums(self) -> tuple[Ints, Floats, Floats, Floats]:
        """Best segmentation, its probability by line, token marginals, segment probabilities."""
        tokens, labels = self.rules.tokens.n, self.lines.layout.labels
        best, line_p = np.zeros((2, tokens), np.int64), np.zeros(len(self.rules.tokens.lines))
        marginals, segment_p = np.zeros((tokens, labels)), np.zeros(tokens)
        start = self.rules.tokens.start
        for first, last in self.lines.split():
            lattice = self.lines.score(first, last, self.parts)
            sums = sum_segments(lattice)
            a, b = start[first], start[last]
            readings = find_best_segments(lattice)
            rows = self.lines.layout.read_rows(readings)
            marginals[a:b] = self.lines.layout.cover(sums)
            segment_p[a:b] = self.lines.layout.rate(sums, rows)
            line_p[first:last] = _score_readings(lattice, readings) - sums.log_z
            best[:, a:b] = rows[0] + a, rows[1]
        return best, np.exp(np.minimum(line_p, 0.0)), marginals, segment_p

    @property
    def first(self) -> Ints:
        """The first token of each token's segment in the best segmentation."""
        return self._sums[0][0]

    @property
    def label(self) -> Ints:
        """The label of each token in the best segmentation."""
        return self._sums[0][1]

    @property
    def line_probability(self) -> Floats:
        """The posterior probability of the best segmentation of each line."""
        return self._sums[1]

    @property
    def marginals(self) -> Floats:
        """The posterior probability of each label of each token."""
        return self._sums[2]

    def segments(self, line: int) -> list[Segment]:
        """Return the segments of the best segmentation of a line, those of `other` left out."""
        first, last = self.rules.tokens.start[line], self.rules.tokens.start[line + 1]
        return self._list(self.first[first:last], self.label[first:last], self._sums[3][first:last])

    def n_best(self, line: int, n: int) -> list[tuple[float, list[Segment]]]:
        """Return the n best segmentations of a line with their probabilities, best first."""
        lattice, sums = self.lines.sum(line, line + 1, self.parts)
        readings, scores = find_n_best_segments(lattice, 0, n)
        result, layout = [], self.lines.layout
        for rows, score in zip(layout.read_rows(readings), scores, strict=True):
            offset = self.rules.tokens.start[line]
            segments = self._list(rows[0] + offset, rows[1], layout.rate(sums, rows))
            result.append((float(np.exp(min(0.0, score - sums.log_z[0]))), segments))
        return result

    def sample(self, n: int, rng: np.random.Generator) -> Iterator[list[list[Segment]]]:
        """Draw n segmentations of each line; yield them line by line.

        The probability of a segment is not computed: it is NaN.
        """
        start = self.rules.tokens.start
        for first, last in self.lines.split():
            base = start[first]
            drawn = sample_segments(self.lines.score(first, last, self.parts), rng, n)
            draws = self.lines.layout.read_rows(drawn)
            for line in range(first, last):
                own = draws[:, :, start[line] - base : start[line + 1] - base]
                unknown = np.full(own.shape[2], np.nan)
                yield [self._list(rows[0] + base, rows[1], unknown) for rows in own]

    def _list(self, first: Ints, label: Ints, probability: Floats) -> list[Segment]:
        """List the segments of one line from the rows of its tokens."""
        schema, segments = self.rules.schema, []
        for at in np.flatnonzero(np.diff(first, prepend=-1)):
            name = schema.labels[label[at]]
            if name != schema.other:
                stop = int(first[at]) + int((first == first[at]).sum())
                segments.append(Segment(int(first[at]), stop, name, float(probability[at])))
        return segments


def _score_readings(lattice: Lattice, readings: Ints) -> Floats:
    """Return the score of a segmentation of each line."""
    start, scores, steps = lattice
    size = np.bincount(readings[0], minlength=readings.shape[1])[readings[0]]
    tokens = np.arange(readings.shape[1])
    opens = readings[0] == tokens
    total = np.where(opens, scores[readings[0], size - 1, readings[1]], 0.0)
    left = np.full(readings.shape[1], steps.shape[0] - 1)
    left[1:] = readings[1][:-1]
    left[start[:-1][np.diff(start) > 0]] = steps.shape[0] - 1
    total += np.where(opens, steps[left, readings[1]], 0.0)
    line = np.repeat(np.arange(start.size - 1), np.diff(start))
    sums = np.zeros(start.size - 1)
    np.add.at(sums, line, total)
    return sums
