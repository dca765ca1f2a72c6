"""Partitions of records by scored pairs, and searches over them.

The pair model of a partition is correlation clustering: the sum of S over pairs in one entity,
where a pair that was never compared counts as `unseen`. On the engine that is an affinity model of
S - unseen over the listed pairs, and `unseen` for every pair by size.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from partita.errors import InputError
from partita.estimators import exact
from partita.factors import Model, Template, affinity, size_prior
from partita.factors.template import finite
from partita.kernel import Floats, Ints
from partita.linkage.numbering import ActiveIds
from partita.linkage.pairwise.scored_pairs import LEAST
from partita.proposals import (
    Neighbours,
    Proposal,
    gibbs_mention,
    gibbs_neighbour,
    mixture,
    neighbour_lists,
    split_merge_neighbour,
)
from partita.states import Partition
from partita.walks import Settings, cooling, run_chains

__all__ = ["UNSEEN", "Problem", "correlation_clustering"]

UNSEEN = -1.0
"""What a pair that was never compared counts: it was not found worth comparing."""
STEPS = 6
"""Steps of a search for each record."""
CHEAP, LONGEST = 200_000, 60
"""A search takes at least so many steps in all, which is next to nothing with a model of pairs,
unless that were more than the second figure for each record."""
SPLITS = 0.1
"""The share of splits and merges among moves: each costs as much as tens of others."""
DRAWS = 10
"""How often a search looks whether its state is the best yet."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Records to be put into entities: pairs that may join, their scores, and constraints."""

    pairs: ActiveIds
    scores: Floats
    n: int
    constraints: tuple[Template, ...] = ()
    """Templates that every model of the problem has besides its own."""
    required: ActiveIds | None = None
    """Further pairs along which records may move, such as those that must be together."""
    _lists: dict[float, Neighbours] = field(default_factory=dict, init=False, repr=False)

    def pair_model(self, unseen: float = UNSEEN) -> Model:
        """The model of pairs."""
        sizes = np.arange(self.n + 1, dtype=float)
        kept = self.scores > LEAST
        return Model(
            affinity(self.pairs[kept], self.scores[kept] - unseen, self.n),
            size_prior(unseen * sizes * (sizes - 1) / 2),
            *self.constraints,
        )

    def near(self, least: float = LEAST) -> Ints:
        """The pairs along which records may meet."""
        found = self.pairs[self.scores > least]
        if self.required is not None:
            found = np.unique(np.concatenate([found, self.required]), axis=0)
        return found

    def lists(self, least: float = LEAST) -> Neighbours:
        """The records that each may meet; the last that were made are kept for the next asking."""
        if least not in self._lists:
            self._lists.clear()
            self._lists[least] = neighbour_lists(self.near(least), self.n)
        return self._lists[least]

    def proposal(
        self,
        least: float = LEAST,
        among: Ints | None = None,
        splits: float = SPLITS,
        anywhere: float = 0.0,
    ) -> Proposal:
        """Records among the entities of their candidates, and splits and merges along them.

        A share `anywhere` of the moves is among all entities.
        """
        near = self.lists(least)
        parts = [
            gibbs_neighbour(near, self.n, among=among),
            split_merge_neighbour(near, self.n, among=among),
        ]
        shares = [1.0 - splits - anywhere, splits]
        if anywhere > 0.0:
            parts.append(gibbs_mention())
            shares.append(anywhere)
        return mixture(parts, shares)

    def search(
        self,
        model: Model,
        start: Partition,
        *,
        hot: float = 2.0,
        steps: int = STEPS,
        cheap: int = CHEAP,
        seed: int = 0,
        least: float = LEAST,
        among: Ints | None = None,
    ) -> Partition:
        """The best state found by cooling from `start`, with so many steps for each record.

        It takes at least `cheap` steps, unless that were more than `LONGEST` for each record.
        Only records `among` those given move by themselves, if any are given.
        """
        many = self.n if among is None else among.size
        settings = Settings(
            mode="map",
            temperature=cooling(hot, 0.05),
            steps=max(steps * many, min(cheap, LONGEST * many)),
            draws=DRAWS,
            chains=1,
            seed=seed,
            progressbar=False,
            measured=False,
        )
        found = run_chains(model, start, self.proposal(least, among), exact(), settings)
        return Partition.of(found.chains[0].best)


def correlation_clustering(
    pairs: ArrayLike,
    scores: ArrayLike,
    n: int,
    *,
    unseen: float = UNSEEN,
    seed: int = 0,
) -> Partition:
    """The partition of n records that agrees best with the scores of candidate pairs."""
    listed, given = np.asarray(pairs, np.int64).reshape(-1, 2), finite(scores, "scores of pairs")
    if given.shape != (len(listed),):
        raise InputError(
            f"there are {given.size} scores for {len(listed)} pairs; give one for each"
        )
    problem = Problem(ActiveIds(listed), given, n)
    if not (given > LEAST).any():
        return Partition.singletons(n)
    return problem.search(problem.pair_model(unseen), Partition.singletons(n), seed=seed)
