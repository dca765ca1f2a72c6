"""Restricted Gibbs split-merge of Jain and Neal (2004), the RGSM baseline of SDDS.

Two anchors are drawn independently of the partition. Coin flips put the other mentions of their
entities on the anchors' sides, and `scans` restricted Gibbs scans (each mention to one of the two
sides, given all others) turn this into the launch state. If the anchors share an entity, a last
scan from there is the split. If they do not, their entities are merged, and P is the probability
that a last scan restores them. Given anchors and launch state, which have the same distribution
both ways, the merge is certain: the log ratio is -log P for a split and +log P for a merge.
"""

from __future__ import annotations

import math
from typing import Any

from partita.kernel import Context, Rng, below, kernel
from partita.proposals.proposal import Engine, Proposal
from partita.proposals.sdds.clusters import (
    EMPTY,
    LEFT,
    RIGHT,
    Workspace,
    idle_move,
    list_members,
    log_share,
    merge_move,
    require_clusters,
    sort,
    split_move,
    workspace,
)
from partita.states import Partition, Regroup
from partita.states.checks import whole

__all__ = ["restricted_gibbs"]


@kernel
def list_anchored(state: Partition, table: Workspace, i: int, j: int) -> int:
    """List the members of both entities, anchors first; the move does not change the order."""
    a, b = state.entity[i], state.entity[j]
    count = list_members(state, table, a, 0)
    if b != a:
        count = list_members(state, table, b, count)
    sort(table, count)
    for place in range(2):
        anchor = i if place == 0 else j
        for k in range(place, count):
            if table.sequence[k] == anchor:
                table.sequence[k] = table.sequence[place]
                table.sequence[place] = anchor
                break
    return count


def _scan(clusters: Any, sizes: bool) -> Any:
    """Compile one restricted Gibbs scan; it returns the log probability of its result.

    With `free` the sides are drawn; otherwise each mention keeps its side in the state.
    """
    add, gain = clusters.add, clusters.gain

    @kernel(inline=False)
    def scan(
        rng: Rng,
        context: Context,
        state: Partition,
        table: Workspace,
        count: int,
        here: float,
        free: bool,
        temperature: float,
    ) -> tuple[float, float]:
        left, right = state.entity.size + LEFT, state.entity.size + RIGHT
        home, total = state.entity[table.sequence[0]], 0.0
        for k in range(2, count):
            mention = table.sequence[k]
            was = table.side[k]
            add(context, left if was == 0 else right, mention, -1.0)
            here -= 1.0 - was
            gap = gain(context, left, mention) - gain(context, right, mention)
            if sizes:
                gap += math.log(here / (count - 1.0 - here))
            gap /= temperature
            if free:
                table.side[k] = 0 if rng.random() < math.exp(log_share(gap)) else 1
            else:
                table.side[k] = 0 if state.entity[mention] == home else 1
            total += log_share(gap if table.side[k] == 0 else -gap)
            add(context, left if table.side[k] == 0 else right, mention, 1.0)
            here += 1.0 - table.side[k]
        return total, here

    return scan


def _launch(clusters: Any) -> Any:
    """Compile the coin flips that start the scans; they return the size of side 0."""
    clear, add = clusters.clear, clusters.add

    @kernel
    def launch(rng: Rng, context: Context, state: Partition, table: Workspace, count: int) -> float:
        left, right = state.entity.size + LEFT, state.entity.size + RIGHT
        clear(context, left)
        clear(context, right)
        here = 0.0
        for k in range(count):
            table.side[k] = k
            if k > 1:
                table.side[k] = 0 if rng.random() < 0.5 else 1
            add(context, left if table.side[k] == 0 else right, table.sequence[k], 1.0)
            here += 1.0 - table.side[k]
        return here

    return launch


def restricted_gibbs(scans: int = 5, *, sizes: bool = False) -> Proposal:
    """Merge the entities of two random mentions, or split theirs by restricted Gibbs scans.

    Parameters
    ----------
    scans
        Intermediate scans: the first number of the paper's (5, 1, 1).
    sizes
        Whether the scans weigh the sides by their sizes, as a Dirichlet process does.
    """
    name, rounds = "restricted_gibbs", whole(scans, "scans", 0)

    def bind(engine: Engine) -> Any:
        clusters = require_clusters(engine, name)
        scan, launch = _scan(clusters, sizes), _launch(clusters)

        @kernel
        def propose(
            rng: Rng, table: Workspace, state: Partition, context: Context, temperature: float
        ) -> tuple[Regroup, float]:
            n = state.entity.size
            if n < 2:
                return idle_move(state), 0.0
            i = below(rng, n)
            j = below(rng, n - 1)
            if j >= i:
                j += 1
            count = list_anchored(state, table, i, j)
            source, target = state.entity[i], state.entity[j]
            free = source == target
            here = launch(rng, context, state, table, count)
            for _ in range(rounds):
                _, here = scan(rng, context, state, table, count, here, True, temperature)
            log_p, _ = scan(rng, context, state, table, count, here, free, temperature)
            if free:
                return split_move(state, table, count, source), -log_p
            return merge_move(state, source, target), log_p

        return propose

    return Proposal(name, Partition, bind, EMPTY, prepare=workspace)
