"""Cost of one proposed move of a mention, by the size of the entities."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.cases import agreeing, close
from benchmarks.measure import cpu_seconds
from partita import Model, Partition
from partita.factors import entity_cost, similarity
from partita.kernel import Ints
from partita.proposals import one_canopy, pair_move
from partita.walks import start_chain
from partita.walks.chain import Chain

__all__ = ["KINDS", "TARGET_GROWTH", "growth"]

KINDS = ("dense", "sparse", "lazy")
ENTITIES = 4
TARGET_GROWTH = 2.0
KEYS = 60
"""Few enough that entities of ten mentions and of ten thousand have about the same keys."""
MOVED = 40
"""Mentions that are proposed to move, for every size: they always fit the cache."""


def _template(kind: str, truth: Ints) -> Any:
    if kind != "lazy":
        return agreeing(truth, kind, KEYS)
    rng = np.random.default_rng(2)
    centres = rng.normal(size=(int(truth.max()) + 1, 4)) * 20.0
    x = centres[truth] + 0.3 * rng.normal(size=(truth.size, 4))
    return similarity(close, x, truth.size)


def _chain(kind: str, size: int, moved: int) -> Chain:
    """A chain on a few entities of a size, where nearly every move is rejected: sizes stay."""
    truth = np.arange(ENTITIES * size) % ENTITIES
    model = Model(_template(kind, truth), entity_cost(1.0))
    window = np.array([0, min(moved, truth.size)])
    proposal = pair_move(one_canopy(truth.size)._replace(window=window))
    rng = np.random.Generator(np.random.PCG64DXSM(5))
    return start_chain(model, Partition.of(truth), proposal, rng=rng)


def _costs(
    kind: str, sizes: tuple[int, ...], moved: int, steps: int, repeats: int
) -> dict[str, Any]:
    """Nanoseconds of a proposal for each size; the sizes take turns, so that noise hits all."""
    chains = [_chain(kind, size, moved) for size in sizes]
    # a linear cost needs fewer steps for the same time
    counts = [max(steps // size, 50) if kind == "lazy" else steps for size in sizes]
    best = [np.inf] * len(sizes)
    for chain, count in zip(chains, counts, strict=True):
        chain.run(count)
    for _ in range(repeats):
        for k, (chain, count) in enumerate(zip(chains, counts, strict=True)):
            best[k] = min(best[k], cpu_seconds(partial(chain.run, count)) / count * 1e9)
    tallies = [chain.tally.sum(0) for chain in chains]
    widest = max(best) / min(best)
    return {
        "sizes": list(sizes),
        "ns": [round(ns, 1) for ns in best],
        "accepted": [round(float(accepted / proposed), 5) for proposed, accepted in tallies],
        "ratio": round(best[-1] / best[0], 2),
        "widest_ratio": round(widest, 2),
        "met": None if kind == "lazy" else bool(widest <= TARGET_GROWTH),
    }


def growth(sizes: tuple[int, ...], steps: int, repeats: int) -> dict[str, Any]:
    """Costs by kind of factor and size of entity, and the last over the first.

    Under `any mention` every mention may be proposed to move, so the data that proposals read
    grows with the entities as well: forty mentions fit the processor's cache and forty thousand
    do not. The other rows move the same forty mentions at every size, which leaves the entity's
    size as the only difference. Both are held to the target; lazy factors have none.
    """
    figures: dict[str, Any] = {}
    for kind in KINDS:
        for name, moved in ((kind, MOVED), (f"{kind}, any mention", ENTITIES * max(sizes))):
            figures[name] = _costs(kind, sizes, moved, steps, repeats)
    return figures
