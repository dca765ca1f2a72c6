"""Cost of a proposal by the size of the entities: two authors of equal size in one canopy.

The chain is at the truth, where nearly every move is rejected, so the benchmark measures the
scoring of moves between entities of this size. In a small canopy most keys are dropped, because
only one mention has them; the cost per key is reported as well. The number of cells read does not
grow, but they are farther apart in memory. For comparison, the benchmark measures the time to draw
two random mentions and to read the row of the first one.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from papers.hcoref.data import SCORED, Case, made
from papers.hcoref.lazy import lazy_pairwise, paper_moves
from papers.hcoref.learned import Learned
from partita.kernel import Floats, Ints, Rng, entry, generators
from partita.proposals.canopies import Canopies
from partita.proposals.moves import random_pair
from partita.scale import Chunk, aggregated_pairwise, dirichlet_entities, local, scratch
from partita.states import Partition
from partita.synthetic import Literature
from partita.walks import Chain, start_chain

__all__ = ["READING", "SIZES", "costs"]

SIZES = (10, 100, 1_000, 10_000, 100_000)
LAZY_MOST = 10_000
SECONDS = 0.3
"""CPU time of one measurement."""
READS = 500_000
READING = "drawing two mentions, reading one"


def pair_of(size: int, seed: int) -> Case:
    """Two authors with the given number of mentions each, in one canopy."""
    every = Literature(scale=1e12, largest=size, last_typo=0.0)
    case = made(2 * size, SCORED + seed, every)
    whole = np.array([0, 2 * size])
    return case._replace(mentions=case.mentions._replace(canopy=whole))


@entry
def read_rows(
    rng: Rng, canopies: Canopies, start: Ints, key: Ints, value: Floats, own: Floats, steps: int
) -> float:
    """Draw two mentions as `pair_move` does and add up the row of the first."""
    total = 0.0
    for _ in range(steps):
        i, j = random_pair(rng, canopies)
        for g in range(own.shape[1]):
            total += own[i, g]
        for q in range(start[i], start[i + 1]):
            total += value[q] * key[q]
        total += start[j]
    return total


def reading(chunk: Chunk, seed: int) -> float:
    """Nanoseconds to read the row of a random mention."""
    rng, rows = generators(seed, 1)[0], (chunk.start, chunk.key, chunk.count, chunk.own)
    read_rows(rng, chunk.canopies, *rows, 1000)
    began = time.thread_time()
    read_rows(rng, chunk.canopies, *rows, READS)
    return 1e9 * (time.thread_time() - began) / READS


def costs(known: Learned, seed: int, sizes: tuple[int, ...] = SIZES) -> list[dict[str, Any]]:
    """CPU nanoseconds of a proposal, by method and size."""
    rows: list[dict[str, Any]] = []
    compiled: dict[str, Any] = {}
    for size in sizes:
        case = pair_of(size, seed)
        words = case.mentions.vocabulary
        chunk = local(case.mentions, np.array([0]), scratch(case.mentions))
        methods = {
            "lazy pairwise": lazy_pairwise(words, known.weights, known.cost),
            "aggregated pairwise": aggregated_pairwise(words, known.weights, cost=known.cost),
            "Dirichlet-multinomial": dirichlet_entities(words, known.concentration),
        }
        keys = chunk.key.size / chunk.size
        read = {"nanoseconds": reading(chunk, seed), "accepted": 0.0}
        rows.append({"method": READING, "size": size, "keys": keys, **read})
        for name, method in methods.items():
            if name == "lazy pairwise" and size > LAZY_MOST:
                continue
            model, proposal = method.model(chunk), paper_moves(chunk)
            begin = Partition.of(case.truth[chunk.rows])
            chain = start_chain(model, begin, proposal, rng=seed, compiled=compiled.get(name))
            compiled[name] = chain.compiled
            rows.append({"method": name, "size": size, "keys": keys, **_measured(chain)})
    return rows


def _measured(chain: Chain) -> dict[str, float]:
    chain.run(1000, 0.01)
    steps, spent = 0, 0.0
    while spent < SECONDS:
        began = time.thread_time()
        steps += chain.run(1000, 0.01)
        spent += time.thread_time() - began
    accepted = float(chain.tally[:, 1].sum() / chain.steps)
    return {"nanoseconds": 1e9 * spent / steps, "accepted": accepted}
