"""A trained segment model, and the posterior of segmentations of lines."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError
from partita.kernel import Floats, Ints
from partita.text.extraction.attributes import Vocabulary
from partita.text.extraction.expectations import BLOCK_CELLS, Lines, read_lines
from partita.text.extraction.history import History, group_lines, take_lines
from partita.text.extraction.rules import Rules
from partita.text.extraction.schema import Schema
from partita.text.extraction.segment_search import (
    find_best_segments,
    find_n_best_segments,
    sample_segments,
)
from partita.text.extraction.segment_weights import Layout, Parts
from partita.text.extraction.semi_markov import (
    Expectations,
    Lattice,
    find_log_z,
    sum_segments,
)

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
    def _tracked(self) -> list[tuple[int, ...]]:
        """The labels of each line whose segments break a rule about the whole line."""
        history = History(self.rules)
        tracked: list[tuple[int, ...]] = [()] * len(self.rules.tokens.lines)
        if not history.is_needed:
            return tracked
        for first, last in self.lines.split():
            lattice = self.lines.score(first, last, self.parts)
            pending = np.arange(last - first)
            while pending.size:
                keys = [tracked[first + line] for line in pending]
                broken = []
                for key, places in self._group(keys, np.diff(lattice.start)[pending]):
                    block = take_lines(lattice, pending[places])[0]
                    own = history.track(key)
                    rows = self._find_best(own, own.expand(block))
                    for line, label in _list_labels(block.start, rows[1]):
                        wider = own.add_broken(label)
                        if wider != key:
                            tracked[first + pending[places[line]]] = wider
                            broken.append(pending[places[line]])
                pending = np.array(sorted(broken), np.int64)
        return tracked

    def _group(
        self, keys: list[tuple[int, ...]], size: Ints
    ) -> Iterator[tuple[tuple[int, ...], Ints]]:
        """Group lines by their tracked labels; the lattice of a group fits into memory."""
        layout = self.lines.layout
        return group_lines(keys, size, BLOCK_CELLS // (layout.lengths * layout.labels))

    def _find_best(self, history: History, lattice: Lattice) -> Ints:
        """Return first token and label of each token in the best segmentation of a lattice."""
        rows = history.fold_rows(find_best_segments(lattice), lattice)
        return self.lines.layout.read_rows(rows)

    def _rate(self, history: History, sums: Expectations, rows: Ints) -> Floats:
        """Return the probability of each token's segment, whatever the labels before it."""
        parts = [self.lines.layout.rate(part, rows) for part in history.split_sums(sums)]
        return np.asarray(np.sum(parts, 0))

    def _lattices(self) -> Iterator[tuple[Ints, Ints, History, Lattice]]:
        """Yield lines, their tokens, the tracked labels and the lattice, group by group."""
        start = self.rules.tokens.start
        for first, last in self.lines.split():
            lattice = self.lines.score(first, last, self.parts)
            for key, lines in self._group(self._tracked[first:last], np.diff(lattice.start)):
                block, tokens = take_lines(lattice, lines)
                history = History(self.rules, key)
                yield first + lines, start[first] + tokens, history, history.expand(block)

    @cached_property
    def _sums(self) -> tuple[Ints, Floats, Floats, Floats]:
        """Best segmentation, its probability by line, token marginals, segment probabilities."""
        tokens, labels = self.rules.tokens.n, self.lines.layout.labels
        best, line_p = np.zeros((2, tokens), np.int64), np.zeros(len(self.rules.tokens.lines))
        marginals, segment_p = np.zeros((tokens, labels)), np.zeros(tokens)
        layout = self.lines.layout
        for lines, own, history, lattice in self._lattices():
            path, sums = find_best_segments(lattice), sum_segments(lattice)
            line_p[lines] = _score_readings(lattice, path) - sums.log_z
            rows = layout.read_rows(history.fold_rows(path, lattice))
            marginals[own] = layout.cover(history.fold_sums(sums))
            segment_p[own] = self._rate(history, sums, rows)
            best[:, own] = own[rows[0]], rows[1]
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

    def rate_allowed(self, lines: Ints, allow: Callable[[int], NDArray[np.bool_]]) -> Floats:
        """Return the probability that every token of a line has an allowed label, for each query.

        Query k concerns the line `lines[k]`; `allow(k)` is a mask of its tokens by labels. The
        probability is the share of the allowed segmentations in the line's partition function.
        """
        p = np.ones(lines.size)
        limit = BLOCK_CELLS // self.lines.layout.lengths
        for own_lines, _, _, lattice in self._lattices():
            log_z, size = find_log_z(lattice), np.diff(lattice.start)
            place = np.full(len(self.rules.tokens.lines), -1)
            place[own_lines] = np.arange(own_lines.size)
            queries = np.flatnonzero(place[lines] >= 0)
            cells = np.cumsum(size[place[lines[queries]]]) * lattice.scores.shape[2]
            for group in np.split(queries, np.flatnonzero(np.diff(cells // limit)) + 1):
                chosen = place[lines[group]]
                block = take_lines(lattice, chosen)[0]
                if block.scores.size:
                    _forbid(block, np.concatenate([allow(int(query)) for query in group]))
                    p[group] = np.exp(np.minimum(find_log_z(block) - log_z[chosen], 0.0))
        return p

    def segments(self, line: int) -> list[Segment]:
        """Return the segments of the best segmentation of a line, those of `other` left out."""
        first, last = self.rules.tokens.start[line], self.rules.tokens.start[line + 1]
        return self._list(self.first[first:last], self.label[first:last], self._sums[3][first:last])

    def n_best(self, line: int, n: int) -> list[tuple[float, list[Segment]]]:
        """Return the n best segmentations of a line with their probabilities, best first."""
        history = History(self.rules, self._tracked[line])
        lattice = history.expand(self.lines.score(line, line + 1, self.parts))
        readings, scores = find_n_best_segments(lattice, 0, n)
        sums, layout = sum_segments(lattice), self.lines.layout
        result, paths = [], layout.read_rows(history.fold_rows(readings, lattice))
        for rows, score in zip(paths, scores, strict=True):
            offset = self.rules.tokens.start[line]
            segments = self._list(rows[0] + offset, rows[1], self._rate(history, sums, rows))
            result.append((float(np.exp(min(0.0, score - sums.log_z[0]))), segments))
        return result

    def sample(self, n: int, rng: np.random.Generator) -> list[list[list[Segment]]]:
        """Draw n segmentations of each line; return them by line.

        The probability of a segment is not computed: it is NaN.
        """
        samples: list[list[list[Segment]]] = [[] for _ in self.rules.tokens.lines]
        for lines, own, history, lattice in self._lattices():
            paths = history.fold_rows(sample_segments(lattice, rng, n), lattice)
            draws = self.lines.layout.read_rows(paths)
            for line, (a, b) in zip(lines, itertools.pairwise(lattice.start), strict=True):
                unknown = np.full(b - a, np.nan)
                samples[line] = [
                    self._list(own[rows[0]], rows[1], unknown) for rows in draws[:, :, a:b]
                ]
        return samples

    def _list(self, first: Ints, label: Ints, probability: Floats) -> list[Segment]:
        """List the segments of one line from the rows of its tokens."""
        schema, segments = self.rules.schema, []
        for at in np.flatnonzero(np.diff(first, prepend=-1)):
            name = schema.labels[label[at]]
            if name != schema.other:
                stop = int(first[at]) + int((first == first[at]).sum())
                segments.append(Segment(int(first[at]), stop, name, float(probability[at])))
        return segments


def _forbid(lattice: Lattice, allowed: NDArray[np.bool_]) -> None:
    """Forbid the segments with a token whose label is not allowed; `allowed` is tokens by labels.

    Each label has the same number of states, which repeat in the order of the labels.
    """
    _, scores, _ = lattice
    state = np.tile(allowed, (1, scores.shape[2] // allowed.shape[1]))
    fits = np.ones_like(state)
    for k in range(scores.shape[1]):
        # a segment of k + 1 tokens beyond the end of its line is never read
        fits[: len(fits) - k] &= state[k:]
        scores[:, k][~fits] = -np.inf


def _list_labels(start: Ints, label: Ints) -> Iterator[tuple[int, list[int]]]:
    """Yield each line with tokens, and the labels of its segments; equal neighbours are one."""
    for line, (first, last) in enumerate(itertools.pairwise(start)):
        own = label[first:last]
        if own.size:
            yield line, own[np.flatnonzero(np.diff(own, prepend=-1))].tolist()


def _score_readings(lattice: Lattice, path: Ints) -> Floats:
    """Return the score of a segmentation of each line."""
    start, scores, steps = lattice
    size = np.bincount(path[0], minlength=path.shape[1])[path[0]]
    tokens = np.arange(path.shape[1])
    opens = path[0] == tokens
    total = np.where(opens, scores[path[0], size - 1, path[1]], 0.0)
    left = np.full(path.shape[1], steps.shape[0] - 1)
    left[1:] = path[1][:-1]
    left[start[:-1][np.diff(start) > 0]] = steps.shape[0] - 1
    total += np.where(opens, steps[left, path[1]], 0.0)
    line = np.repeat(np.arange(start.size - 1), np.diff(start))
    sums = np.zeros(start.size - 1)
    np.add.at(sums, line, total)
    return sums
