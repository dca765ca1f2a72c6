"""Skeleton of a proposal: a mention leaves its entity, or a singleton joins another.

Copy to src/partita/proposals/, rename, and change `draw`.
"""

from __future__ import annotations

import math

from partita.kernel import NoTable, Rng, below, kernel
from partita.proposals.proposal import Proposal, simple
from partita.states import Partition, Regroup

__all__ = ["leave_or_join"]


@kernel
def draw(rng: Rng, table: NoTable, state: Partition) -> tuple[Regroup, float]:
    """Return a move and log q(back) - log q(forth); do not change the state.

    All randomness comes from `rng.random()`, `below` and `chance`, so that the laws can
    enumerate it. A move from an entity to itself changes nothing.
    """
    i = below(rng, state.entity.size)
    source, entities = state.entity[i], state.live[0]
    if state.size[source] > 1:
        # forth: certain once i is drawn; back: one of the `entities` other entities is drawn
        return Regroup(i, source, state.ids[entities], 1), -math.log(entities)
    if entities == 1:
        return Regroup(i, source, source, 1), 0.0
    other = below(rng, entities - 1)
    if other >= state.rank[source]:
        other += 1
    return Regroup(i, source, state.ids[other], 1), math.log(entities - 1)


def leave_or_join() -> Proposal:
    """Move a random mention to a new entity, or a singleton to a random other entity."""
    return simple("leave_or_join", Partition, draw)
