"""Chances: what the draws say of every record, also of those that were never in doubt.

Only records with a possible partner are sampled; all others are alone in every draw.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from partita.kernel import Floats, Ints, entry
from partita.linkage.pairwise.scored_pairs import groups_of
from partita.posterior import Posterior
from partita.posterior.points import signatures

__all__ = ["Chances"]


@entry
def gather(
    order: Ints, starts: Ints, copies: Ints, draw: Ints, times: Ints, together: Floats
) -> None:
    """Add to each record the share of its cluster's other records that a draw puts with it.

    A record counts as often as it has copies. `times` is scratch, zero for every label, and is
    left so.
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
class Chances:
    """Draws of the open records, among n distinct ones."""

    n: int
    open: Ints
    """The distinct records that were sampled."""
    posterior: Posterior | None
    """None where no record is open."""

    def entity_count(self) -> tuple[float, float, float]:
        """The number of entities: mean, and a 95% interval."""
        alone = float(self.n - self.open.size)
        if self.posterior is None:
            return alone, alone, alone
        found = self.posterior.entities()
        return tuple(alone + found[key] for key in ("mean", "low", "high"))  # type: ignore[return-value]

    def p_same(self, pairs: Ints) -> Floats:
        """P(one entity) of pairs of distinct records."""
        place = np.full(self.n, -1)
        place[self.open] = np.arange(self.open.size)
        asked = place[pairs]
        found = np.zeros(len(pairs))
        both = (asked >= 0).all(1)
        if self.posterior is not None and both.any():
            found[both] = self.posterior.p_same(asked[both])
        return found

    def of(self, labels: Ints, copies: Ints) -> tuple[Floats, Floats]:
        """P(with its cluster's others) and P(exactly its cluster) of each distinct record.

        `copies` says how many identical records each of them stands for.
        """
        p_member, p_cluster = np.ones(self.n), np.ones(self.n)
        if self.posterior is None:
            return p_member, p_cluster
        draws = self.posterior.draws
        flat = draws.reshape(-1, draws.shape[2])
        own = np.unique(labels[self.open], return_inverse=True)[1].reshape(-1)
        member, exact = _shares(flat, own, copies[self.open])
        p_member[self.open], p_cluster[self.open] = member, exact
        return p_member, p_cluster


def _shares(draws: NDArray[np.int32], labels: Ints, copies: Ints) -> tuple[Floats, Floats]:
    """Of each record: the mean share of its cluster that is with it, and P(its exact cluster)."""
    n = labels.size
    order, first, sizes = groups_of(labels)
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
