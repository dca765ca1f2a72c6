"""Speed of facts: one epoch of an embedding, groundings by joins, and the walk over facts."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from partita.knowledge.embeddings import EmbeddingSettings, fit_embedding
from partita.knowledge.facts import FactSettings, complete
from partita.knowledge.rules import parse_rules
from partita.knowledge.triples import Triples, index_triples
from partita.knowledge.worlds import build_world

__all__ = ["make_graph", "measure_speed", "show_speed"]

TARGET_SECONDS = 30.0
"""Wall seconds of one epoch of 100,000 facts at rank 100, on two cores."""
RULES = "r1(x,y) :- r0(x,y)\nr2(y,x) :- r0(x,y)\nr3(x,z) :- r0(x,y), r4(y,z)"


def make_graph(facts: int, seed: int = 0) -> Triples:
    """Make a graph of 50 relations, five facts an entity; r1 repeats most of r0."""
    rng = np.random.default_rng(seed)
    n = facts // 5
    rows = rng.integers(0, n, (facts, 3))
    rows[:, 1] = rng.integers(0, 50, facts)
    copies = np.flatnonzero(rows[:, 1] == 0)
    kept = rows[copies[rng.random(copies.size) < 0.8]].copy()
    kept[:, 1] = 1
    names = tuple(map(str, range(n)))
    kinds = tuple(f"r{k}" for k in range(50))
    empty = index_triples([], [], names, kinds)
    keys = np.unique(empty.keys(np.concatenate([rows, kept])))[:facts]
    return Triples(names, kinds, empty.facts_of(keys), empty.false)


def measure(work: Callable[[], Any]) -> tuple[dict[str, float], Any]:
    """Return the wall and CPU seconds of a call, with its result."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = work()
    seconds = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    return {name: round(value, 2) for name, value in seconds.items()}, result


def measure_speed(facts: int, rank: int) -> dict[str, Any]:
    """Time one epoch, the groundings of three rules, and a whole completion without embedding."""
    triples, rules = make_graph(facts), parse_rules(RULES)
    settings = EmbeddingSettings(rank=rank, epochs=1)
    fit_embedding(make_graph(500), settings)
    epoch, _ = measure(lambda: fit_embedding(triples, settings))
    rng = np.random.default_rng(0)
    ground, world = measure(lambda: build_world(triples, rules, rng))
    options = FactSettings(None)
    complete(make_graph(2000), rules, options)
    whole, result = measure(lambda: complete(triples, rules, options))
    return {
        "facts": triples.n,
        "entities": len(triples.entities),
        "rank": rank,
        "target_epoch_seconds": TARGET_SECONDS,
        "epoch": epoch,
        "groundings": {**ground, "clauses": int(world.clause.lengths.size), "latent": world.n},
        "posterior": {**whole, "latent": result.world.n},
    }


def show_speed(figures: dict[str, Any], console: Console) -> None:
    """Print wall and CPU seconds."""
    title = f"{figures['facts']:,} facts, rank {figures['rank']}; target: an epoch within 30 s"
    table = Table("work", "wall s", "CPU s", title=title)
    for name in ("epoch", "groundings", "posterior"):
        table.add_row(name, *(f"{figures[name][key]:.2f}" for key in ("wall", "cpu")))
    console.print(table)
