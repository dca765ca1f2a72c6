"""Active learning: choose the next pair to label.

Most pairs are chosen by uncertainty sampling: P(match) is near 1/2, and pairs are spread over
comparison patterns and over entities. Some pairs are chosen where the model is certain, because
only they can show that the model is overconfident. Where another reading than EM scores the pairs,
half of the first pairs are disputed: one reading calls them matches, the other does not. The
sampler balances likely matches and likely non-matches. The model is refitted as answers arrive.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.kernel import Floats, Ints, find_components, generators, logistic
from partita.linkage.pairwise.scored_pairs import ScoredPairs
from partita.linkage.supervision.refit import PenalisedRefit, training_pairs

__all__ = ["Answer", "Questions"]

CERTAIN_SHARE = 0.25
"""Share of the questions about pairs of which the model is certain. Origin: 0.1."""
DISPUTED_SHARE = 0.5
"""Share of the questions before the first refit about pairs on which readings disagree.
Origin: a choice."""
MAX_CERTAIN_VARIANCE = 0.05
"""Largest p * (1 - p) of a pair of which the model is certain. Origin: 0.1."""
FIRST_REFIT = 20
"""Answers before the first refit. Origin: 0.1."""
REFIT_GROWTH = 1.1
"""Factor by which the number of answers grows until the next refit. Origin: 0.1."""
PENALTY = 10.0
"""Penalty of the refits; see `refit`. Origin: 0.1."""


class Answer(NamedTuple):
    """A pair of distinct records, the smaller first, and its label; None if unsure."""

    left: int
    right: int
    match: bool | None


class Questions:
    """Chooses pairs to label; the same answers give the same next pair."""

    def __init__(self, scored: ScoredPairs, seed: int = 0) -> None:
        self.scored, self.seed = scored, seed
        self.pool = training_pairs(scored.model, scored.scores, scored.scores.probability)
        _, pattern = np.unique(self.pool.levels, axis=0, return_inverse=True)
        self.pattern: Ints = pattern.reshape(-1)
        """The comparison pattern of each pair: equal levels in all columns."""
        n = scored.n
        self.group = find_components(scored.pairs[scored.scores.total > 0], n)
        """The group of each record; likely matches are in one group."""
        keys = scored.pairs[:, 0] * n + scored.pairs[:, 1]
        self.order = np.argsort(keys, kind="stable")
        self.keys = keys[self.order]
        total = scored.scores.total
        self.disputed = (total > 0) != (total - scored.scores.reading > 0)
        """Pairs on whose match EM and the chosen reading disagree."""
        self.fitted: tuple[Answer, ...] = ()
        self.scores = scored.scores.total

    def next(self, answers: Sequence[Answer]) -> tuple[int, int] | None:
        """The next pair of distinct records to label; None if every pair has an answer."""
        self._fit(answers)
        rng = generators(self.seed + len(answers), 1)[0]
        certain = bool(rng.random() < CERTAIN_SHARE)
        disputes = not self.fitted and bool(self.disputed.any())
        if disputes and rng.random() < DISPUTED_SHARE:
            weight = self._weigh(answers, self.disputed)
        else:
            weight = self._weigh(answers, self._certain() if certain else None)
        total = np.cumsum(weight)
        if not total.size or total[-1] <= 0:
            return None
        place = int(np.searchsorted(total, rng.random() * total[-1], side="right"))
        left, right = self.scored.pairs[min(place, total.size - 1)].tolist()
        return left, right

    def _variance(self) -> Floats:
        p = logistic(self.scores)
        return np.asarray(p * (1.0 - p), float)

    def _certain(self) -> NDArray[np.bool_]:
        return self._variance() < MAX_CERTAIN_VARIANCE

    def _weigh(self, answers: Sequence[Answer], chosen: NDArray[np.bool_] | None) -> Floats:
        """The sampling weight of each pair; 0 for a pair with an answer.

        `chosen` marks the pairs to choose from, as long as one is left; None: by uncertainty.
        """
        variance = self._variance()
        answered = self._places(answers)
        groups = self.group[self.scored.pairs]
        group_answers = np.bincount(groups[answered].ravel(), minlength=self.scored.n)
        counts = np.bincount(self.pattern[answered], minlength=int(self.pattern.max(initial=0)) + 1)
        spread = 1.0 / ((1.0 + counts[self.pattern]) * (1.0 + group_answers[groups].sum(1)))
        spread[answered] = 0.0
        labels = [answer.match for answer in answers if answer.match is not None]
        balance = (self.scores > 0) == (2 * sum(labels) <= len(labels))
        first = variance if chosen is None else chosen
        # each rule applies where no pair is left for the one before it
        rules = (first * balance, variance * balance, variance)
        for rule in rules:
            weight = rule * spread
            if weight.sum() > 0:
                return np.asarray(weight, float)
        return np.asarray(spread, float)

    def _places(self, answers: Sequence[Answer]) -> Ints:
        """The positions of the answered pairs among the candidates; other pairs have none."""
        keys = np.array(
            [answer.left * self.scored.n + answer.right for answer in answers], np.int64
        )
        at = np.searchsorted(self.keys, keys)
        at = np.minimum(at, self.keys.size - 1)
        return self.order[at[self.keys[at] == keys]] if self.keys.size else at

    def _fit(self, answers: Sequence[Answer]) -> None:
        """Refit the model if there are enough new answers."""
        labelled = [answer for answer in answers if answer.match is not None]
        fitted = tuple(labelled[: _refit_size(len(labelled))])
        if fitted == self.fitted:
            return
        self.fitted = fitted
        if not fitted or len({pair.match for pair in fitted}) < 2:
            self.scores = self.scored.scores.total
            return
        pairs = np.array([pair[:2] for pair in fitted], np.int64)
        scores = self.scored.model.score(self.scored.comparisons, pairs)
        refit = PenalisedRefit(self.scored.model)
        pool = training_pairs(
            self.scored.model,
            scores,
            np.array([pair.match for pair in fitted], float),
        )
        self.scores = refit.score(self.pool, refit.fit(pool, PENALTY, refit.no_change()))


def _refit_size(answers: int) -> int:
    """The number of answers at the last refit; rare refits keep questions fast."""
    size, following = 0, FIRST_REFIT
    while following <= answers:
        size, following = following, int(np.ceil(REFIT_GROWTH * following))
    return size
