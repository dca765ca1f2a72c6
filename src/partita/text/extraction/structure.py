"""Structural rules as fixed scores of the lattice: lengths, boundaries, order, repetitions."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from partita.kernel import Floats
from partita.text.extraction.rules import Rules
from partita.text.extraction.segment_states import ANY_LENGTH

__all__ = [
    "LENGTH_LIMIT",
    "STRUCTURE_RATE",
    "Structure",
    "cost_of",
    "read_longest",
    "read_structure",
]

LENGTH_LIMIT = 8
"""The most tokens of a segment of a schema with a length rule and without `max_length`."""
STRUCTURE_RATE = 0.95
"""Share of segments in which a structural rule without a strength holds; set before any test."""


class Structure(NamedTuple):
    """Scores that the weights do not change."""

    length: Floats
    """Lengths by labels."""
    steps: Floats
    """Labels and the start of a line, by labels."""
    opening: Floats
    """Tokens by labels: the score of a segment that begins there."""


def read_longest(rules: Rules) -> tuple[int, ...]:
    """Return the most tokens of a segment of each label; `other` has segments of one token.

    A schema without `max_length` and without a length rule has segments of any length.
    """
    schema = rules.schema
    tokens = int(np.diff(rules.tokens.start).max(initial=1))
    limit = max(1, min(schema.max_length or LENGTH_LIMIT, tokens))
    if not (schema.max_length or rules.length):
        limit = ANY_LENGTH
    return tuple(1 if label == schema.other else limit for label in schema.labels)


def read_structure(rules: Rules, lengths: int) -> Structure:
    """Turn structural rules into scores: a violation costs the log-odds of the rule's strength.

    Here `once` and `order` compare adjacent segments; `history` compares all segments of a line.
    """
    labels = len(rules.schema.labels)
    length, steps = np.zeros((lengths, labels)), np.zeros((labels + 1, labels))
    opening = np.zeros((rules.tokens.n, labels))
    for limit in rules.length:
        size = np.arange(1, lengths + 1)
        breaks = (size < limit.fewest) | (size > limit.most)
        length[np.ix_(breaks, limit.mask)] += cost_of(rules, limit.rule)
    for boundary in rules.boundary:
        opening[np.ix_(~boundary.may_begin, boundary.mask)] += cost_of(rules, boundary.rule)
    for once in rules.once:
        for label in np.flatnonzero(once.mask):
            steps[label, label] += cost_of(rules, once.rule)
    for order in rules.order:
        rank = order.rank
        reversed_ = (rank[:, None] > rank[None]) & (rank[None] >= 0)
        steps[:-1][reversed_] += cost_of(rules, order.rule)
    return Structure(length, steps, opening)


def cost_of(rules: Rules, rule: int) -> float:
    """Return the log-odds that a rule is broken."""
    rate = min(rules.schema.rules[rule].strength or STRUCTURE_RATE, 1 - 1e-6)
    return math.log((1 - rate) / rate)
