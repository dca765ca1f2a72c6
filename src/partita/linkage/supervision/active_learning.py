"""Which pair to ask about next: the one whose answer is likely to change most.

Most questions are where the current model is undecided, spread over kinds of pairs and over
entities; some are where it is sure, since only there wrong certainty shows. Sides are chosen so
that answers become as many matches as non-matches. The model is fitted anew as answers come in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from partita.kernel import Floats, Ints, find_components, generators
from partita.linkage.pairwise.scored_pairs import ScoredPairs
from partita.linkage.supervision.refit import Anchor, pool_of

__all__ = ["Answer", "Questions"]

ENDS = 0.25
"""The share of questions where the model is sure."""
DOUBT = 0.05
"""p * (1 - p) below which it is."""
FIRST, GROWTH = 20, 1.1
"""Answers before the model is first fitted, and by how much they grow until it is again."""
STRENGTH = 10.0
"""How strongly the weights are held while answers come in."""


class Answer(NamedTuple):
    """A pair of distinct records, the smaller first, and what was said: None if nobody knows."""

    left: int
    right: int
    match: bool | None


class Questions:
    """Pairs to ask about, given all answers so far; the same answers give the same question."""

    def __init__(self, scored: ScoredPairs, seed: int = 0) -> None:
        self.scored, self.seed = scored, seed
        self.pool = pool_of(scored.model, scored.scores, scored.scores.probability)
        _, kind = np.unique(self.pool.levels, axis=0, return_inverse=True)
        self.kind: Ints = kind.reshape(-1)
        """Pairs with the same levels are of one kind."""
        n = scored.n
        self.group = find_components(scored.pairs[scored.scores.total > 0], n)
        """Records that are likely one entity are of one group."""
        keys = scored.pairs[:, 0] * n + scored.pairs[:, 1]
        self.order = np.argsort(keys, kind="stable")
        self.keys = keys[self.order]
        self.fitted: tuple[Answer, ...] = ()
        self.scores = scored.scores.total

    def next(self, answers: Sequence[Answer]) -> tuple[int, int] | None:
        """The pair of distinct records to ask about; None if all were."""
        self._fit(answers)
        rng = generators(self.seed + len(answers), 1)[0]
        weight = self._worth(answers, bool(rng.random() < ENDS))
        total = np.cumsum(weight)
        if not total.size or total[-1] <= 0:
            return None
        chosen = int(np.searchsorted(total, rng.random() * total[-1], side="right"))
        left, right = self.scored.pairs[min(chosen, total.size - 1)].tolist()
        return left, right

    def _worth(self, answers: Sequence[Answer], sure: bool) -> Floats:
        """How much each pair is worth asking; 0 if it was asked."""
        p = 1.0 / (1.0 + np.exp(-np.clip(self.scores, -500, 500)))
        doubt = p * (1.0 - p)
        asked = self._places(answers)
        groups = self.group[self.scored.pairs]
        seen = np.bincount(groups[asked].ravel(), minlength=self.scored.n)
        kinds = np.bincount(self.kind[asked], minlength=int(self.kind.max(initial=0)) + 1)
        often = seen[groups].sum(1)
        rare = 1.0 / ((1.0 + kinds[self.kind]) * (1.0 + often))
        rare[asked] = 0.0
        said = [one.match for one in answers if one.match is not None]
        wanted = (self.scores > 0) == (2 * sum(said) <= len(said))
        # where no pair of a kind is left, the next best kind
        for worth in ((doubt < DOUBT) * wanted if sure else doubt * wanted, doubt * wanted, doubt):
            found = worth * rare
            if found.sum() > 0:
                return np.asarray(found, float)
        return np.asarray(rare, float)

    def _places(self, answers: Sequence[Answer]) -> Ints:
        """Where the pairs of answers stand; some may be no candidates."""
        keys = np.array([one.left * self.scored.n + one.right for one in answers], np.int64)
        at = np.searchsorted(self.keys, keys)
        at = np.minimum(at, self.keys.size - 1)
        return self.order[at[self.keys[at] == keys]] if self.keys.size else at

    def _fit(self, answers: Sequence[Answer]) -> None:
        """Learn from the answers, if there are enough new ones."""
        told = [one for one in answers if one.match is not None]
        some = tuple(told[: _stage(len(told))])
        if some == self.fitted:
            return
        self.fitted = some
        if not some or len({one.match for one in some}) < 2:
            self.scores = self.scored.scores.total
            return
        pairs = np.array([one[:2] for one in some], np.int64)
        scores = self.scored.model.score(self.scored.comparisons, pairs)
        anchor = Anchor(self.scored.model)
        pool = pool_of(self.scored.model, scores, np.array([one.match for one in some], float))
        self.scores = anchor.score(self.pool, anchor.fit(pool, STRENGTH, anchor.still()))


def _stage(many: int) -> int:
    """How many of the answers the model is fitted to, so that few questions wait for it."""
    stage, following = 0, FIRST
    while following <= many:
        stage, following = following, int(np.ceil(GROWTH * following))
    return stage
