"""Posterior marginals of all distinct records, from draws of the active ones.

Only active records are sampled; every other record is a singleton in every draw.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from partita.kernel import Floats, Ints, entry
from partita.linkage.numbering import ActiveIds, DistinctIds, Numbering
from partita.linkage.pairwise.scored_pairs import group_records
from partita.posterior import Posterior
from partita.posterior.points import signatures

__all__ = ["Marginals"]


@entry
def gather(
    order: Ints, starts: Ints, copies: Ints, draw: Ints, times: Ints, together: Floats
) -> None:
    """Add to each record the share of its cluster's other rows that a draw puts with it.

    A distinct record counts once a copy. `times` is scratch: zero for every label, before and
    after.
    """
    for c in range(starts.size - 1):
        size = 0
        for m in range(starts[c], starts[c + 1]):
            times[draw[order[m]]] += copies[order[m]]
            size += copies[order[m]]
        for m in range(starts[c], starts[c + 1]):
            i = order[m]
            if size > 1:
                together[i] += (times[draw[i]] - 1) / (size - 1)
        for m in range(starts[c], starts[c + 1]):
            times[draw[order[m]]] = 0


@dataclass(frozen=True, eq=False)
class Marginals:
    """Draws of the active records, and the probabilities they give to all distinct records."""

    active: Numbering[DistinctIds, ActiveIds]
    posterior: Posterior | None
    """None where no record is active."""

    @property
    def n(self) -> int:
        """The number of distinct records."""
        return int(self.active.narrow.size)

    def entity_count(self) -> tuple[float, float, float]:
        """The number of entities: mean, and a 95% interval."""
        singletons = float(self.n - len(self.active))
        if self.posterior is None:
            return singletons, singletons, singletons
        count = self.posterior.entities()
        return singletons + count["mean"], singletons + count["low"], singletons + count["high"]

    def p_same(self, pairs: DistinctIds) -> Floats:
        """P(one entity) of pairs of distinct records."""
        ids = self.active.to(pairs)
        p = np.zeros(len(pairs))
        both = (ids >= 0).all(1)
        if self.posterior is not None and both.any():
            p[both] = self.posterior.p_same(ids[both])
        return p

    def of(self, labels: Ints, copies: Ints) -> tuple[Floats, Floats]:
        """P(with the others of its cluster) and P(exactly its cluster) of each distinct record.

        `copies` is the number of rows that each distinct record stands for.
        """
        p_member, p_cluster = np.ones(self.n), np.ones(self.n)
        if self.posterior is None:
            return p_member, p_cluster
        draws = self.posterior.draws
        flat = draws.reshape(-1, draws.shape[2])
        rows = self.active.wide
        own = np.unique(labels[rows], return_inverse=True)[1].reshape(-1)
        p_member[rows], p_cluster[rows] = _shares(flat, own, copies[rows])
        return p_member, p_cluster


def _shares(draws: NDArray[np.int32], labels: Ints, copies: Ints) -> tuple[Floats, Floats]:
    """For each record: the mean share of its cluster drawn with it, and P(its exact cluster)."""
    n = labels.size
    order, first, sizes = group_records(labels)
    starts = np.append(first, n)
    own = signatures(labels)
    together, exact = np.zeros(n), np.zeros(n)
    times = np.zeros(n + 1, np.int64)
    for draw in draws:
        drawn = draw.astype(np.int64)
        gather(order, starts, copies, drawn, times, together)
        exact += signatures(drawn) == own
    exact /= len(draws)
    alone = (sizes[labels] == 1) & (copies == 1)
    return np.where(alone, exact, together / len(draws)), exact
