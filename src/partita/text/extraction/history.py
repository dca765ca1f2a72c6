"""Rules about all segments of a line: `once` and `order` beyond adjacent segments.

A chain scores adjacent segments only. Where the best segmentation of a line breaks a rule, the
labels concerned are tracked: a state of the chain is a label and the set of tracked labels that
had a segment before. Sums and searches are then exact for the tracked labels of the line.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from partita.kernel import Floats, Ints
from partita.text.extraction.rules import Rules
from partita.text.extraction.semi_markov import Expectations, Lattice
from partita.text.extraction.structure import cost_of

__all__ = ["History", "group_lines", "take_lines"]

MAX_TRACKED = 3
"""Tracked labels of a line; each one doubles the states of the chain."""


@dataclass(frozen=True, eq=False)
class History:
    """The rules about all segments of a line, for a set of tracked labels."""

    rules: Rules
    tracked: tuple[int, ...] = ()

    @property
    def is_needed(self) -> bool:
        """Whether the schema has rules about all segments of a line."""
        return bool(self.rules.once or self.rules.order)

    def track(self, tracked: tuple[int, ...]) -> History:
        """Return the same rules with other tracked labels."""
        return History(self.rules, tracked)

    def add_broken(self, label: Sequence[int]) -> tuple[int, ...]:
        """Return the tracked labels, and labels that break a rule in a line of these segments."""
        count = Counter(label)
        first = list(dict.fromkeys(label))
        broken = {
            y: count[y] for once in self.rules.once for y in count if once.mask[y] and count[y] > 1
        }
        for order in self.rules.order:
            ranked = [y for y in first if order.rank[y] >= 0]
            for left, right in itertools.combinations(ranked, 2):
                if order.rank[left] > order.rank[right]:
                    broken = {left: 1, right: 1, **broken}
        new = sorted(broken.keys() - set(self.tracked), key=lambda y: (-broken[y], y))
        return tuple(sorted([*self.tracked, *new[: MAX_TRACKED - len(self.tracked)]]))

    def expand(self, lattice: Lattice) -> Lattice:
        """Return the lattice whose states are those of the chain with each set of labels before."""
        if not self.tracked:
            return lattice
        states, sets = lattice.scores.shape[2], 1 << len(self.tracked)
        labels = len(self.rules.schema.labels)
        place = np.arange(states)
        bit = np.zeros(states, np.int64)
        bit[list(self.tracked)] = 1 << np.arange(len(self.tracked))
        moves = np.full((states * sets + 1, states * sets), -np.inf)
        moves[-1, bit * states + place] = lattice.steps[-1]
        for past in range(sets):
            steps = lattice.steps[:-1].copy()
            # the inside of a segment (state labels + y) breaks no rule
            steps[:, :labels] += self._penalise(past)[place % labels]
            moves[past * states + place[:, None], (past | bit) * states + place] = steps
        scores = np.ascontiguousarray(np.tile(lattice.scores, (1, 1, sets)))
        return Lattice(lattice.start, scores, moves)

    def _penalise(self, past: int) -> Floats:
        """Return the cost of a segment after another one, by labels; adjacent ones cost nothing.

        The steps of the lattice contain the cost of adjacent segments.
        """
        labels = len(self.rules.schema.labels)
        before = np.array([y for k, y in enumerate(self.tracked) if past >> k & 1], np.int64)
        cost = np.zeros((labels, labels))
        for once in self.rules.once:
            again = before[once.mask[before]]
            cost[:, again] += cost_of(self.rules, once.rule)
            cost[again, again] -= cost_of(self.rules, once.rule)
        for order in self.rules.order:
            rank = order.rank
            late = (rank >= 0) & (rank < rank[before].max(initial=-1))
            late[before] = False
            adjacent = rank[:, None] > rank[None]
            cost += np.where(late[None] & ~adjacent, cost_of(self.rules, order.rule), 0.0)
        return cost

    def fold_rows(self, rows: Ints, lattice: Lattice) -> Ints:
        """Return first token and state of the chain, from rows of the expanded lattice."""
        folded = rows.copy()
        folded[..., 1, :] %= lattice.scores.shape[2] >> len(self.tracked)
        return folded

    def split_sums(self, sums: Expectations) -> list[Expectations]:
        """Return the sums of the chain's states for each set of labels before.

        Expected steps are left out.
        """
        parts = np.split(sums.segments, 1 << len(self.tracked), axis=2)
        return [Expectations(sums.log_z, part, np.zeros((0, 0))) for part in parts]

    def fold_sums(self, sums: Expectations) -> Expectations:
        """Return the sums of the chain's states over all sets of labels before."""
        parts = self.split_sums(sums)
        return parts[0]._replace(segments=np.sum([part.segments for part in parts], 0))


def take_lines(lattice: Lattice, lines: Ints) -> tuple[Lattice, Ints]:
    """Return the lattice of some lines, and their tokens."""
    size = np.diff(lattice.start)[lines]
    start = np.concatenate([[0], np.cumsum(size)])
    tokens = np.arange(start[-1]) + np.repeat(lattice.start[lines] - start[:-1], size)
    return Lattice(start, lattice.scores[tokens], lattice.steps), tokens


def group_lines(
    keys: Sequence[tuple[int, ...]], size: Ints, limit: int
) -> Iterator[tuple[tuple[int, ...], Ints]]:
    """Yield each key with its lines, in groups of one line or about `limit` >> len(key) tokens."""
    for key in sorted(set(keys)):
        lines = np.array([k for k, own in enumerate(keys) if own == key], np.int64)
        group = np.cumsum(size[lines]) // max(1, limit >> len(key))
        yield from ((key, lines[group == k]) for k in np.unique(group))
