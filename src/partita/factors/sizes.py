"""Sizes of entities drawn from an unknown law: exchangeable sequences of clusters.

The sizes are drawn one after the other from f until they add up to all mentions, which are
assigned to them at random (Betancourt, Zanella, Steorts 2022). f is a Dirichlet process around a
law of sizes g, with the total c, and integrated out: with K entities, c_s of them of size s,

    score = log K! + sum_e log n_e! + sum_s log [Gamma(c g(s) + c_s) / Gamma(c g(s))]
            + log Gamma(c) - log Gamma(c + K),
    g(s) = 0.9 p^(s-1) (1-p) + 0.1 / (s (s+1)).

The second part of g gives probability to sizes that no geometric law expects. c and p are a
parameter block with a uniform prior on a grid, which the walk samples along with the partition.
"""

from __future__ import annotations

import math
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from partita.errors import InputError
from partita.factors.parameters import Conditional, Gibbs, ParameterBlock, draw_index
from partita.factors.priors import entity_change
from partita.factors.template import Cache, Template, feature_weights, finite
from partita.kernel import Delta, Floats, Ints, Rng, gammaln, kernel, push
from partita.states import Partition, Regroup
from partita.states.checks import fits, whole

__all__ = ["size_law"]

TAIL = 0.1
"""Weight of the heavy tail in g; no unit, a choice of the prior."""
TOTALS = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
"""Values of c, as numbers of entities."""
REPEATS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
"""Values of p: the probability that an entity has one more mention."""


class Sizes(NamedTuple):
    """Counts of entities by size, and the current law of sizes."""

    many: Ints
    """Entities of each size, with those that never change."""
    expected: Floats
    """c g(s) by size."""
    factorial: Floats
    """log s! by size."""
    number: Floats
    """log K! - log Gamma(c + K) by the number of entities that may change."""
    law: Ints
    """Indices of c and p in their grids."""
    alone: Ints
    """Entities of one mention that never change."""


@kernel
def sizes(table: Sizes, state: Partition, move: Regroup) -> int:
    """One factor for all sizes."""
    return 1


@kernel
def enter(table: Sizes, size: int) -> float:
    """Count one more entity of a size; returns the change of the score."""
    if size == 0:
        return 0.0
    change = math.log(table.expected[size] + table.many[size]) + table.factorial[size]
    table.many[size] += 1
    return change


@kernel
def leave(table: Sizes, size: int) -> float:
    """Count one entity of a size less; returns the change of the score."""
    if size == 0:
        return 0.0
    table.many[size] -= 1
    return -math.log(table.expected[size] + table.many[size]) - table.factorial[size]


@kernel
def emit(table: Sizes, state: Partition, move: Regroup, k: int, delta: Delta) -> float:
    """The change of the score by two entities that leave and two that enter the counts."""
    a, b, m = state.size[move.source], state.size[move.target], move.many
    change = leave(table, a) + leave(table, b) + enter(table, a - m) + enter(table, b + m)
    for size, by in ((a, 1), (b, 1), (a - m, -1), (b + m, -1)):
        table.many[size] += by if size > 0 else 0
    before = state.live[0]
    change += table.number[before + entity_change(state, move)] - table.number[before]
    return push(delta, 0, change)


@kernel
def commit(table: Sizes, state: Partition, move: Regroup) -> None:
    """Update the counts after a move was applied to the state."""
    a, b, m = state.size[move.source], state.size[move.target], move.many
    for size, by in ((a, 1), (b, 1), (a + m, -1), (b - m, -1)):
        table.many[size] += by if size > 0 else 0


def base_law(n: int, repeat: float) -> Floats:
    """The values of g for the sizes 0 .. n; none has size 0."""
    s = np.arange(1.0, n + 1.0)
    mass = (1.0 - TAIL) * (1.0 - repeat) * repeat ** (s - 1.0) + TAIL / (s * (s + 1.0))
    return np.concatenate([[0.0], mass])


class Laws(NamedTuple):
    """The grid of c and p, all pairs of which are equally likely."""

    totals: Floats
    repeats: Floats

    def set(self, table: Sizes, total: int, repeat: int) -> None:
        """Write one law into a table."""
        n, c = table.many.size - 1, float(self.totals[total])
        entities = np.arange(n + 1) + float(table.alone[0])
        table.law[:] = total, repeat
        table.expected[:] = c * base_law(n, float(self.repeats[repeat]))
        table.number[:] = gammaln(entities + 1.0) - gammaln(entities + c)

    def scores(self, count: Ints) -> Floats:
        """The score of entities by size under each law, up to a constant."""
        seen = np.flatnonzero(count)
        many, entities = count[seen], count.sum()
        scores = np.zeros((self.totals.size, self.repeats.size))
        for k, repeat in enumerate(self.repeats):
            expected = self.totals[:, None] * base_law(int(seen.max()), float(repeat))[seen]
            scores[:, k] = (gammaln(expected + many) - gammaln(expected)).sum(1)
        return scores + (gammaln(self.totals) - gammaln(self.totals + entities))[:, None]

    def read(self, table: Sizes) -> Floats:
        """c and p of a table."""
        return np.array([self.totals[table.law[0]], self.repeats[table.law[1]]])

    def write(self, table: Sizes, state: Partition, value: Floats) -> None:
        """Make c and p those of a table."""
        total, repeat = (
            int(np.abs(grid - x).argmin()) for grid, x in zip(self, value, strict=True)
        )
        self.set(table, total, repeat)

    def draw(self, rng: Rng, value: Floats, scores: Floats) -> Floats:
        """c and p from their conditional, given the score of the sizes under each law."""
        total, repeat = divmod(draw_index(rng, scores.reshape(-1)), scores.shape[1])
        return np.array([self.totals[total], self.repeats[repeat]])

    def block(self, name: str) -> ParameterBlock:
        """c and p, drawn together."""
        conditional = Conditional(
            lambda rng, table, state: self.scores(table.many), (Gibbs(self.draw),)
        )
        return ParameterBlock(
            "law",
            ("concentration", "repeat"),
            self.read,
            self.write,
            lambda table, state: float(self.scores(table.many)[tuple(table.law)]),
            (conditional,),
            partial(singleton_share, name),
        )


def singleton_share(name: str, table: Sizes) -> dict[str, float]:
    """The share of entities with one mention that the law expects, after those observed."""
    seen = table.expected[1] + table.many[1]
    return {f"{name}.alone": float(seen / (table.expected.sum() + table.many.sum()))}


def _prepare(table: Sizes, state: Partition) -> Sizes:
    count = np.bincount(state.size[state.size > 0], minlength=state.size.size + 1)
    count[1] += int(table.alone[0])
    return table._replace(
        many=count,
        expected=table.expected.copy(),
        number=table.number.copy(),
        law=table.law.copy(),
    )


def size_law(
    n: int,
    *,
    alone: int = 0,
    totals: ArrayLike = TOTALS,
    repeats: ArrayLike = REPEATS,
    name: str = "sizes",
) -> Template:
    """Sizes of the entities of n mentions, by a law whose parameters the walk samples.

    Parameters
    ----------
    n
        The number of mentions.
    alone
        Further entities of one mention each, which are no part of the state but count.
    totals, repeats
        Values of c, and of p in g.
    """
    whole(n, f"{name}: n")
    whole(alone, f"{name}: alone", 0)
    laws = Laws(*(np.atleast_1d(finite(values, name)) for values in (totals, repeats)))
    if (laws.totals <= 0).any() or ((laws.repeats <= 0) | (laws.repeats >= 1)).any():
        raise InputError(f"{name}: give positive totals, and repeats between 0 and 1")
    table = Sizes(
        np.zeros(n + 1, np.int64),
        np.zeros(n + 1),
        gammaln(np.arange(n + 1.0) + 1.0),
        np.zeros(n + 1),
        np.zeros(2, np.int64),
        np.array([alone]),
    )
    laws.set(table, laws.totals.size // 2, laws.repeats.size // 2)
    features, weights = feature_weights(name, ["score"], 1.0)
    return Template(
        name,
        Partition,
        features,
        weights,
        sizes,
        emit,
        table,
        cache=Cache(
            commit=commit,
            prepare=_prepare,
        ),
        check=fits(name, n),
        parameters=(laws.block(name),),
    )
