"""The active set: the distinct records that inference can merge with another record.

A record is active if a candidate pair of it scores above a threshold, or if a constraint names
it. Every other record is a singleton in every partition.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partita.kernel import Ints
from partita.linkage.inference.search import Problem
from partita.linkage.numbering import ActiveIds, DistinctIds, Numbering, RowIds
from partita.linkage.pairwise.scored_pairs import LEAST, LINKED, ScoredPairs
from partita.linkage.prepare import Prepared
from partita.linkage.settings import Settings
from partita.linkage.supervision.constraints import Constraints, limit_further
from partita.linkage.supervision.predicates import PredicateSettings, predicate_templates
from partita.states import Partition

__all__ = ["ActiveSet", "find_active_set", "least_score"]


@dataclass(frozen=True, eq=False)
class ActiveSet:
    """The active records, with the constraints and predicates on them."""

    numbering: Numbering[DistinctIds, ActiveIds]
    prepared: Prepared
    constraints: Constraints
    predicates: tuple[PredicateSettings, ...] = ()

    @property
    def n(self) -> int:
        """The number of active records."""
        return len(self.numbering)

    @property
    def rows(self) -> Numbering[RowIds, ActiveIds]:
        """Translation from rows of the input to active records."""
        return self.prepared.numbering.then(self.numbering)

    def extend(self, state: Partition | None) -> Partition:
        """Extend a partition of the active records: every other distinct record is a singleton."""
        if state is None:
            return Partition.singletons(self.prepared.n)
        labels = np.arange(self.prepared.n) + self.n
        labels[self.numbering.wide] = state.entity
        return Partition.of(np.unique(labels, return_inverse=True)[1].reshape(-1))

    def make_feasible(self, labels: Ints) -> Partition:
        """Change a partition of the active records until it breaks no hard constraint."""
        return Partition.of(self.constraints.feasible(labels, self.rows, self.exclusive_sources))

    @property
    def exclusive_sources(self) -> Ints | None:
        """The source of each active record of which an entity has one record at most, or -1."""
        source = self.prepared.exclusive
        return None if source is None else self.numbering.select(source)

    @property
    def has_pairs_only(self) -> bool:
        """Whether no entity can have more than two records."""
        source = self.exclusive_sources
        return source is not None and int(source.min()) >= 0 and int(source.max()) < 2

    def make_problem(self, scored: ScoredPairs) -> Problem:
        """The inference problem: scored pairs of active records, constraints and predicates."""
        pairs = self.numbering.to(scored.pairs)
        inside = (pairs >= 0).all(1)
        pairs = ActiveIds(pairs[inside])
        templates, required = self.constraints.on(self.rows)
        limit = limit_further(scored.rates, self.prepared.exclusive, self.numbering.wide)
        templates += () if limit is None else (limit,)
        columns = {column.name: column for column in self.prepared.columns}
        rows = self.numbering.wide
        templates += tuple(predicate_templates(self.predicates, columns, pairs, rows))
        return Problem(
            pairs,
            scored.scores.total[inside],
            self.n,
            templates,
            required if len(required) else None,
        )


def least_score(settings: Settings) -> float:
    """Log-odds above which a pair makes its records active and lets them move to each other."""
    return LEAST if settings.posterior == "full" else LINKED


def find_active_set(
    scored: ScoredPairs, prepared: Prepared, constraints: Constraints, settings: Settings
) -> ActiveSet:
    """Find the records of pairs above the least score, and of constraints."""
    mask = np.zeros(prepared.n, bool)
    mask[scored.pairs[scored.scores.total > least_score(settings)].reshape(-1)] = True
    mask[prepared.numbering.to(constraints.rows)] = True
    numbering: Numbering[DistinctIds, ActiveIds] = Numbering.of_subset(mask)
    return ActiveSet(numbering, prepared, constraints, settings.predicates)
