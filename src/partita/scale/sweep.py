"""The sweep over canopies: each for itself, in short rounds of the walk, until little changes."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from partita.kernel import EXAMINED, STATUS, WELL, Floats, Ints, Rng, World, entry, kernel
from partita.proposals.canopies import Canopies
from partita.walks.training import Lesson
from partita.walks.walk import Compiled

__all__ = ["in_short_rounds"]


@kernel
def accepted(tally: Ints) -> int:
    """Moves accepted so far, by all parts of the proposal."""
    total = 0
    for k in range(tally.shape[0]):
        total += tally[k, 1]
    return total


def in_short_rounds(compiled: Compiled) -> Compiled:
    """The same chain with a sweep whose rounds have as many steps as the canopy has mentions.

    A canopy is left once a round accepts at most `settle` moves per mention. It has at most
    1 + log2 n rounds at each temperature. Small canopies are left after two rounds, mostly; the
    sweep of `walks` takes whole rounds of n (2 + log2 n) steps, for draws of a posterior.
    """
    walk = compiled.walk

    @entry
    def sweep(
        rng: Rng,
        state: Any,
        world: World,
        guide: Any,
        lesson: Lesson,
        canopies: Canopies,
        temperatures: Floats,
        settle: float,
        until: int,
        budget: int,
        score: float,
        at: Ints,
        tally: Ints,
    ) -> float:
        """Go on from canopy at[0], round at[1]; at[2] counts steps, at[3] canopies that settled.

        Of the round, at[4] steps are done, and at[5] moves had been accepted when it began.
        """
        while at[0] < canopies.start.size - 1:
            first, last = canopies.start[at[0]], canopies.start[at[0] + 1]
            canopies.window[0] = first
            canopies.window[1] = last
            size = last - first
            rounds = 1 + int(math.log2(size))
            while at[1] < rounds * temperatures.size:
                if at[2] >= until or world.alarm[EXAMINED] >= budget:
                    return score
                if at[4] == 0:
                    at[5] = accepted(tally)
                heat, steps = temperatures[at[1] // rounds], min(size - at[4], until - at[2])
                done, score = walk(
                    rng, state, world, guide, lesson, heat, steps, budget, score, tally
                )
                at[4] += done
                at[2] += done
                if world.alarm[STATUS] != WELL:
                    return score
                if at[4] < size:
                    continue
                at[4] = 0
                at[1] += 1
                if accepted(tally) - at[5] <= settle * size and at[1] > 1:
                    at[3] += 1
                    break
            at[0] += 1
            at[1] = 0
        canopies.window[0] = 0
        canopies.window[1] = canopies.order.size
        return score

    return replace(compiled, sweep=sweep)
