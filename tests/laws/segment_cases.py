"""Segments of lines, their templates and proposals, registered for every law."""

from __future__ import annotations

import numpy as np

from partita.factors import Model, adjacent_segments, segment_attributes, token_attributes
from partita.proposals import gibbs_recut, mixture, recut
from partita.states import Segments
from tests.laws import naive
from tests.laws.registry import Subject, register

rng = np.random.default_rng(11)


def segments_of(codes):
    """List (first, length, label) of the segments in an observed state."""
    starts = [t for t, code in enumerate(codes) if code % 2 == 1]
    ends = [*starts[1:], len(codes)]
    return [(a, b - a, codes[a] // 2) for a, b in zip(starts, ends, strict=True)]


def segments_subject(start=(0, 4), labels=2, longest=None, lengths=3):
    """Attributes of tokens and segments, and pairs of adjacent labels."""
    tokens = start[-1]
    words, wholes = rng.normal(size=(tokens, 2)), rng.normal(size=(tokens * lengths, 1))
    model = Model(
        token_attributes(words, labels, weights=rng.normal(size=(labels, 2))),
        segment_attributes(wholes, labels, lengths, weights=rng.normal(size=labels)),
        adjacent_segments(labels, weights=rng.normal(size=(labels + 1, labels))),
    )

    def whole(codes):
        out = np.zeros((labels, 1))
        for first, length, label in segments_of(codes):
            if length <= lengths:
                out[label] += wholes[first * lengths + length - 1]
        return out.ravel()

    def adjacent(codes):
        out, left = np.zeros((labels + 1, labels)), labels
        for first, _, label in segments_of(codes):
            out[labels if first in start else left, label] += 1
            left = label
        return out.ravel()

    token = naive.unary(words, labels)
    twin = naive.together(lambda codes: token(codes // 2), whole, adjacent)
    return Subject(model, twin, Segments.of(list(start), labels, longest))


SEGMENTS = segments_subject()
LIMITED = segments_subject((0, 2, 5), 2, [1, 2])

register("segments/recut", SEGMENTS, recut())
register("segments/gibbs_recut", SEGMENTS, gibbs_recut())
register("segments limited/recut", LIMITED, recut())
register("segments limited/gibbs_recut", LIMITED, gibbs_recut())
register("segments limited/mixture", LIMITED, mixture([recut(), gibbs_recut()], [0.5, 0.5]))
