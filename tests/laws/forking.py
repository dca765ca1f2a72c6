"""A generator whose draws fork: every outcome of a step is run once, with its probability.

`random()` returns a number that is not yet decided. Comparing it, or taking the whole part of a
multiple of it, decides as much of it as is needed; each decision is a branch. So the transition
matrix of a kernel is assembled from the kernel itself, without a second description of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import pairwise


class Undecided:
    """A uniform number on [low, high), times a factor."""

    def __init__(self, rng: ForkingRng, cell: list[float], factor: float = 1.0) -> None:
        self.rng, self.cell, self.factor = rng, cell, factor

    def __mul__(self, factor: float) -> Undecided:
        return Undecided(self.rng, self.cell, self.factor * float(factor))

    def __lt__(self, bound: float) -> bool:
        low, high = self.cell
        cut = min(max(float(bound) / self.factor, low), high)
        below = self.rng.branch([(cut - low) / (high - low), (high - cut) / (high - low)]) == 0
        self.cell[:] = [low, cut] if below else [cut, high]
        return below

    def __int__(self) -> int:
        low, high = self.cell[0] * self.factor, self.cell[1] * self.factor
        first, last = math.floor(low + 1e-12), math.ceil(high - 1e-12)
        cuts = [low, *range(first + 1, last), high]
        shares = [(b - a) / (high - low) for a, b in pairwise(cuts)]
        chosen = self.rng.branch(shares)
        self.cell[:] = [cuts[chosen] / self.factor, cuts[chosen + 1] / self.factor]
        return first + chosen


class ForkingRng:
    """Plays a script of branches, and extends it by first branches where it ends."""

    def __init__(self, script: list[tuple[int, int]]) -> None:
        self.script, self.at, self.probability = script, 0, 1.0

    def random(self) -> Undecided:
        return Undecided(self, [0.0, 1.0])

    def branch(self, shares: list[float]) -> int:
        possible = [k for k, share in enumerate(shares) if share > 0.0]
        if len(possible) == 1:
            return possible[0]
        if self.at == len(self.script):
            self.script.append((0, len(possible)))
        chosen = possible[self.script[self.at][0]]
        self.at += 1
        self.probability *= shares[chosen]
        return chosen


def outcomes(run: Callable[[ForkingRng], object]) -> Iterator[tuple[float, object]]:
    """Every outcome of `run(rng)` with its probability."""
    script: list[tuple[int, int]] = []
    while True:
        rng = ForkingRng(script)
        result = run(rng)
        yield rng.probability, result
        while script and script[-1][0] + 1 == script[-1][1]:
            script.pop()
        if not script:
            return
        last, of = script.pop()
        script.append((last + 1, of))
