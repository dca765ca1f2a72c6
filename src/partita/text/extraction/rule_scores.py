"""Scores of segments from the rules alone: the labels of tokens and a cost of changes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partita.kernel import Floats
from partita.text.extraction.rules import Rules
from partita.text.extraction.semi_markov import Lattice, score_segments

__all__ = ["RuleScores", "fit_segments"]

MAX_LENGTH = 40
"""Tokens of a segment where the schema has no limit; lists of authors are the longest fields."""
CHANGE_COST = 2.0
"""Log-odds against a change of the label between two tokens."""


@dataclass(frozen=True, eq=False)
class RuleScores:
    """The probability of each label of each token, as scores of segments."""

    rules: Rules
    probabilities: Floats
    lengths: int

    def segmenter(self, line: int, last: int) -> Lattice:
        """Score all segments of a range of lines."""
        start = self.rules.tokens.start[line : last + 1]
        span = slice(start[0], start[-1])
        token = np.log(np.maximum(self.probabilities[span], 1e-9))
        labels = token.shape[1]
        length = np.zeros((self.lengths, labels))
        steps = np.full((labels + 1, labels), -CHANGE_COST)
        steps[labels] = 0.0
        np.fill_diagonal(steps[:labels], -np.inf)
        if self.rules.schema.other is not None:
            # every segment of `other` has one token, so that a reading has one segmentation
            length[1:, -1] = -np.inf
            steps[labels - 1, -1] = 0.0
        scores = np.zeros((token.shape[0], self.lengths, labels))
        none = np.zeros_like(token)
        score_segments(start - start[0], token, none, none, length, scores)
        return Lattice(start - start[0], scores, steps)


def fit_segments(rules: Rules, probabilities: Floats) -> RuleScores:
    """Score segments by the labels' probabilities, given the rules."""
    longest = int(np.diff(rules.tokens.start).max(initial=1))
    return RuleScores(rules, probabilities, min(longest, rules.schema.max_length or MAX_LENGTH))
