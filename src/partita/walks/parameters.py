"""Updates of parameter blocks: the walk on the parameters that templates declare as unknown.

One update of a block leaves the joint density of parameters and state invariant, as a step of the
walk does; the two alternate. Acceptance tests of both are `decide`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from partita.factors.parameters import Gibbs, Metropolis, ParameterBlock, Slice
from partita.kernel import Rng, entry
from partita.walks.walk import decide

__all__ = ["update_block"]


@entry
def accept(rng: Rng, change: float, log_q: float) -> bool:
    """The acceptance test of the walk at temperature 1, for callers in Python."""
    return decide(rng, change, log_q, 1.0)


def update_block(
    rng: Rng, block: ParameterBlock, table: Any, state: Any, grow: Callable[[Any], Any] | None
) -> tuple[Any, float]:
    """Run all updates of a block in place; returns the table and the change of log density.

    `grow` enlarges the table where an update lacks room; the returned table is then another.
    """
    before = block.log_density(table, state)
    for conditional in block.conditionals:
        condition = conditional.condition(rng, table, state)
        value = block.read(table)
        for update in conditional.updates:
            fresh = _update(rng, update, value, condition)
            while fresh is None:
                assert grow is not None, f"the block {block.name!r} lacks room and cannot grow"
                table = grow(table)
                condition = conditional.condition(rng, table, state)
                fresh = _update(rng, update, value, condition)
            value = fresh
        block.write(table, state, value)
    return table, block.log_density(table, state) - before


def _update(rng: Rng, update: Gibbs | Metropolis | Slice, value: Any, condition: Any) -> Any:
    if isinstance(update, Gibbs):
        return update.draw(rng, value, condition)
    if isinstance(update, Slice):
        return slice_step(rng, update, value, condition)
    return metropolis_steps(rng, update, value, condition)


def metropolis_steps(rng: Rng, update: Metropolis, value: Any, condition: Any) -> Any:
    """Propose, and accept or reject, as often as the update repeats."""
    density = update.log_density(value, condition)
    for _ in range(update.repeats):
        fresh, log_q = update.propose(rng, value, condition)
        if log_q == -math.inf:
            continue
        changed = update.log_density(fresh, condition)
        if accept(rng, changed - density, log_q):
            value, density = fresh, changed
    return value


def slice_step(rng: Rng, update: Slice, value: Any, condition: Any) -> Any:
    """One step of slice sampling by stepping out and shrinking (Neal 2003)."""

    def density(x: float) -> float:
        return update.log_density(update.write(value, x), condition)

    x = update.read(value)
    floor = density(x) + math.log(rng.random())
    low = x - update.width * rng.random()
    high = low + update.width
    while density(low) > floor:
        low -= update.width
    while density(high) > floor:
        high += update.width
    while True:
        fresh = low + (high - low) * rng.random()
        if density(fresh) > floor:
            return update.write(value, fresh)
        if fresh < x:
            low = fresh
        else:
            high = fresh
