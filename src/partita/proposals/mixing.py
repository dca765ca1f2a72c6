"""Proposals without scores: random mixing of two entities, and birth and death of an entity.

Both leave any target over partitions invariant; they are the baselines of SDDS.
"""

from __future__ import annotations

import math
from typing import Any

from partita.kernel import Context, NoTable, Rng, below, kernel
from partita.proposals.proposal import Engine, Proposal, simple
from partita.proposals.sdds.clusters import EMPTY, Workspace, idle_move, list_members, workspace
from partita.states import Partition, Regroup

__all__ = ["birth_death", "random_mixing"]

LOG2 = math.log(2.0)


@kernel
def log_choose(n: int, k: int) -> float:
    """Return the log of the binomial coefficient."""
    return math.lgamma(n + 1.0) - math.lgamma(k + 1.0) - math.lgamma(n - k + 1.0)


@kernel
def list_random(rng: Rng, state: Partition, table: Workspace, source: int, many: int) -> None:
    """Write a random subset of an entity to the state's block, then the other members."""
    count = list_members(state, table, source, 0)
    for k in range(count):
        if k < many:
            other = k + below(rng, count - k)
            mention = table.sequence[other]
            table.sequence[other] = table.sequence[k]
            table.sequence[k] = mention
        state.block[k] = table.sequence[k]
        state.place[table.sequence[k]] = k


@kernel
def draw_mixing(
    rng: Rng, table: Workspace, state: Partition, context: Context, temperature: float
) -> tuple[Regroup, float]:
    """Move a random part of one random entity to another, or to a new one if both are the same.

    With m of n mentions moved, the pair has probability 1 / K^2 and the part 1 / n 1 / C(n, m), or
    for a split 1 / (n - 1) 1 / C(n, m); a merge has two directions, and a split can move either
    part.
    """
    live = state.live[0]
    source, target = state.ids[below(rng, live)], state.ids[below(rng, live)]
    n, k = state.size[source], float(live)
    if source == target:
        if n < 2:
            return idle_move(state), 0.0
        many = 1 + below(rng, n - 1)
        list_random(rng, state, table, source, many)
        forth = LOG2 - math.log(n - 1.0) - log_choose(n, many) - 2.0 * math.log(k)
        back = math.log(1.0 / many + 1.0 / (n - many)) - 2.0 * math.log(k + 1.0)
        return Regroup(state.block[0], source, state.ids[live], many), back - forth
    many = 1 + below(rng, n)
    list_random(rng, state, table, source, many)
    there = state.size[target] + many
    move = Regroup(state.block[0], source, target, many)
    if many < n:
        back = -math.log(float(there)) - log_choose(there, many)
        return move, back + math.log(float(n)) + log_choose(n, many)
    back = LOG2 - math.log(there - 1.0) - log_choose(there, many) - 2.0 * math.log(k - 1.0)
    forth = math.log(1.0 / n + 1.0 / (there - n)) - 2.0 * math.log(k)
    return move, back - forth


def random_mixing() -> Proposal:
    """Mix two random entities, which may be the same, at a random split point (Pasula et al. 2003).

    The paper's mixing redistributes the mentions of both. Here a move has one direction, so a
    random part of the first moves: all of it is a merge, and part of an entity to itself is a
    split.
    """

    def bind(engine: Engine) -> Any:
        return draw_mixing

    return Proposal("random_mixing", Partition, bind, EMPTY, prepare=workspace)


@kernel
def draw_birth_death(rng: Rng, table: NoTable, state: Partition) -> tuple[Regroup, float]:
    """Move a mention to a new entity (1/2 1/N), or a singleton to another entity.

    With S singletons among K entities, a death has probability 1/2 1/S 1/(K - 1).
    """
    live, n = state.live[0], state.entity.size
    alone = 0
    for k in range(live):
        if state.size[state.ids[k]] == 1:
            alone += 1
    if rng.random() < 0.5:
        i = below(rng, n)
        source = state.entity[i]
        if state.size[source] == 1:
            return Regroup(i, source, source, 1), 0.0
        # a pair splits into two singletons: two ways forth (either leaves) and two back
        after = alone + 2.0 if state.size[source] == 2 else alone + 1.0
        return Regroup(i, source, state.ids[live], 1), math.log(n / (after * live))
    if alone == 0 or live < 2:
        return idle_move(state), 0.0
    chosen = below(rng, alone)
    target = below(rng, live - 1)
    at = 0
    for k in range(live):
        if state.size[state.ids[k]] == 1:
            if chosen == 0:
                at = k
                break
            chosen -= 1
    if target >= at:
        target += 1
    source = state.ids[at]
    i = state.members[state.start[source]]
    return Regroup(i, source, state.ids[target], 1), math.log(alone * (live - 1.0) / n)


def birth_death() -> Proposal:
    """Move a mention to a new entity, or a singleton to another entity.

    Birth and death of SDDS section 3.3 with empty entities integrated out: an entity begins with
    its first mention.
    """
    return simple("birth_death", Partition, draw_birth_death)
