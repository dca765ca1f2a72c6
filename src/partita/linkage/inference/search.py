"""Search: partitions of records by scored pairs, and simulated annealing over them.

The pairwise model of a partition is correlation clustering: the sum of S over pairs in one entity,
where a pair that was never compared scores `unseen`. In the engine this is an affinity model of
S - unseen over the listed pairs, and a size prior of `unseen` for every pair.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from partita.errors import InputError
from partita.estimators import exact
from partita.factors import Model, Template, affinity, size_prior
from partita.factors.template import finite
from partita.kernel import Floats, Ints, find_components
from partita.linkage.numbering import ActiveIds
from partita.linkage.pairwise.scored_pairs import LEAST, LINKED, UNSEEN
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
from partita.walks import Settings, cooling, greedy_merges, run_chains

__all__ = ["Problem", "correlation_clustering"]

STEPS_PER_RECORD = 6
"""Steps of a search per record. A limit of CPU seconds."""
MIN_SEARCH_STEPS = 200_000
"""Steps of a search at least, which cost little with the pairwise model. A limit of CPU seconds."""
MAX_STEPS_PER_RECORD = 60
"""Steps per record to which the minimum is limited. Origin: 0.1."""
SEARCH_SPLIT_MERGE_SHARE = 0.1
"""Share of split-merge moves: each costs as much as tens of others. Origin: 0.1."""
START_TEMPERATURE = 2.0
"""Temperature at which a search begins. Origin: 0.1."""
END_TEMPERATURE = 0.05
"""Temperature at which a search ends. Origin: 0.1."""
COLD = 0.1
"""Temperature at which polishing begins. Origin: a tenth of a nat, so that only moves with a gain,
or nearly so, are accepted."""
CHECKS = 10
"""Times that a search compares its state with the best state. Origin: 0.1."""


@dataclass(frozen=True, eq=False)
class Problem:
    """An inference problem: scored pairs of active records, and constraints."""

    pairs: ActiveIds
    scores: Floats
    n: int
    constraints: tuple[Template, ...] = ()
    """Templates that every model of the problem has besides its own."""
    required: ActiveIds | None = None
    """Further pairs along which records may move, such as must-links."""
    _lists: dict[float, Neighbours] = field(default_factory=dict, init=False, repr=False)

    def pair_model(self, unseen: float = UNSEEN) -> Model:
        """The pairwise model."""
        sizes = np.arange(self.n + 1, dtype=float)
        mask = self.scores > LEAST
        return Model(
            affinity(self.pairs[mask], self.scores[mask] - unseen, self.n),
            size_prior(unseen * sizes * (sizes - 1) / 2),
            *self.constraints,
        )

    def score(self, state: Partition, unseen: float = UNSEEN) -> float:
        """The score of a partition by the pairwise model, without constraints and predicates."""
        left, right = state.entity[self.pairs].T
        inside = (left == right) & (self.scores > LEAST)
        sizes = np.bincount(state.entity).astype(float)
        listed = float((self.scores[inside] - unseen).sum())
        return listed + unseen * float((sizes * (sizes - 1) / 2).sum())

    def near(self, least: float = LEAST) -> Ints:
        """The pairs along which records may move to each other's entity."""
        edges = self.pairs[self.scores > least]
        if self.required is not None:
            edges = np.unique(np.concatenate([edges, self.required]), axis=0)
        return edges

    def lists(self, least: float = LEAST) -> Neighbours:
        """The neighbours of each record along those pairs; the last lists are cached."""
        if least not in self._lists:
            self._lists.clear()
            self._lists[least] = neighbour_lists(self.near(least), self.n)
        return self._lists[least]

    def proposal(
        self,
        least: float = LEAST,
        among: Ints | None = None,
        splits: float = SEARCH_SPLIT_MERGE_SHARE,
        anywhere: float = 0.0,
    ) -> Proposal:
        """Gibbs moves among the entities of neighbours, and splits and merges along them.

        A share `anywhere` of the moves chooses among all entities.
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
        hot: float = START_TEMPERATURE,
        steps: int = STEPS_PER_RECORD,
        cheap: int = MIN_SEARCH_STEPS,
        seed: int = 0,
        least: float = LEAST,
        among: Ints | None = None,
    ) -> Partition:
        """Anneal from `start` and return the best state; `steps` are per record.

        The search takes at least `cheap` steps, but at most `MAX_STEPS_PER_RECORD` per record
        because of that. If `among` is given, only those records move by themselves.
        """
        many = self.n if among is None else among.size
        settings = Settings(
            mode="map",
            temperature=cooling(hot, END_TEMPERATURE),
            steps=max(steps * many, min(cheap, MAX_STEPS_PER_RECORD * many)),
            draws=CHECKS,
            chains=1,
            seed=seed,
            progressbar=False,
            measured=False,
        )
        result = run_chains(model, start, self.proposal(least, among), exact(), settings)
        return Partition.of(result.chains[0].best)

    def polish(self, model: Model, state: Partition, seed: int = 0) -> Partition:
        """Split entities that no pair connects, search on at a low temperature, and merge.

        A move along pairs cannot separate two records that are left together without a pair, so
        an annealed state can hold such records. A walk accepts or rejects a merge of hardly any
        gain at random, so the remaining merges with a gain are made greedily.
        """
        start = self.split_unconnected(state)
        cold = self.split_unconnected(self.search(model, start, hot=COLD, seed=seed))
        return greedy_merges(model, self.near(LINKED), cold).state

    def split_unconnected(self, state: Partition, least: float = LEAST) -> Partition:
        """Split entities into the parts that pairs above a score connect."""
        pairs = self.near(least)
        pairs = pairs[state.entity[pairs[:, 0]] == state.entity[pairs[:, 1]]]
        return Partition.of(find_components(pairs, self.n))


def correlation_clustering(
    pairs: ArrayLike,
    scores: ArrayLike,
    n: int,
    *,
    unseen: float = UNSEEN,
    seed: int = 0,
) -> Partition:
    """Find the partition of n records that agrees best with the scores of candidate pairs."""
    places, values = np.asarray(pairs, np.int64).reshape(-1, 2), finite(scores, "scores of pairs")
    if values.shape != (len(places),):
        raise InputError(
            f"there are {values.size} scores for {len(places)} pairs; give one for each"
        )
    problem = Problem(ActiveIds(places), values, n)
    if not (values > LEAST).any():
        return Partition.singletons(n)
    return problem.search(problem.pair_model(unseen), Partition.singletons(n), seed=seed)
