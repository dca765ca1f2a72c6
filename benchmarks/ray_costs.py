"""Measured costs of shards, and a simulation of 100 million and a billion mentions.

Costs are CPU seconds on this machine and generated data, of one process that does the work of a
worker: read a shard, search it, write its labels and, between rounds, repartition entities.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.scale import Mentions, Settings, gather
from partita.scale.ray.rounds import SUPER, partition_entities
from partita.scale.ray.shards import labels_path, shard_path, write_shards
from partita.scale.ray.worker import Maker, ShardWorker

__all__ = ["Costs", "Machine", "measured", "simulated"]

BY_KEY, BY_MENTION = 53, 1000
"""Bytes of a worker for each key (scratch, tables of the method), and each mention of a shard."""
GIGA = 1e9
HEAPS = 0.6
"""Keys of texts grow at least so (Heaps' law)."""


@dataclass(frozen=True)
class Costs:
    """Costs per mention, unless stated otherwise; seconds are CPU seconds."""

    mentions: int
    writing: float
    """Seconds to write the shards."""
    first: float
    """Seconds of the first round in canopies as they are."""
    depth: float
    """Mean log2 of the size of the canopy that a mention is in."""
    full: float
    """Seconds of the first round in a piece as large as can be."""
    later: float
    """Seconds of a further round by those of the first."""
    dealing: float
    """Seconds to inspect and scatter between two rounds."""
    shard: float
    """Bytes on disk."""
    labels: float
    table: float
    """Bytes in Ray's store."""
    keys: int
    growth: float
    """Keys grow with mentions to this power; generated words are few, those of texts are not."""
    shares: NDArray[np.float64]
    """By canopy, its share of all mentions."""


@dataclass(frozen=True)
class Machine:
    """Resources and failure rate of a machine of the cluster."""

    cores: int = 32
    gigabytes: int = 128
    gigabits: float = 10.0
    start: float = 60.0
    """Seconds until its workers are ready."""
    handing: float = 0.005
    """Seconds of the one driver for each shard."""
    lost: float = 0.01
    """Failures per worker and hour; the shard of a failed worker is searched again."""


def measured(
    fewer: Mentions, mentions: Mentions, maker: Maker, settings: Settings, folder: Path
) -> Costs:
    """Costs of both kinds of rounds; `fewer` gives the growth of the vocabulary."""
    base = folder / "whole"
    worker = ShardWorker(base, maker, settings)
    writing, manifest = clocked(lambda: write_shards(mentions, base, settings))
    worker.prepare(mentions.vocabulary, False)
    worker.infer(0, len(manifest.sizes) - 1)  # compiles
    sizes = np.array(manifest.sizes, float)
    first, _ = clocked(lambda: [worker.infer(0, number) for number in range(sizes.size)])
    canopies = np.diff(mentions.canopy)
    canopies = canopies[canopies > 1]
    full, later, dealing, table = further(mentions, maker, settings, folder)
    keys, before = (int(part.vocabulary.edges[-1]) for part in (mentions, fewer))
    used = [
        sum(path(base, 0, k).stat().st_size for k in range(sizes.size)) / sizes.sum()
        for path in (shard_path, labels_path)
    ]
    return Costs(
        mentions=mentions.size,
        writing=writing / mentions.size,
        first=first / sizes.sum(),
        depth=float(np.average(np.log2(canopies), weights=canopies)),
        full=full,
        later=later,
        dealing=dealing,
        shard=float(used[0]),
        labels=float(used[1]),
        table=table,
        keys=keys,
        growth=max(HEAPS, float(np.log(keys / before) / np.log(mentions.size / fewer.size))),
        shares=np.diff(mentions.canopy) / mentions.size,
    )


def further(
    mentions: Mentions, maker: Maker, settings: Settings, folder: Path
) -> tuple[float, float, float, float]:
    """Canopies made one, of as many mentions as a piece may have, then cut in four or more.

    Returns seconds of the whole canopy, of a second round relative to the first, of the
    repartition, and bytes between the rounds.
    """
    ends = mentions.canopy[1:]
    part = gather(mentions, np.arange(max(1, int((ends <= settings.largest).sum()))))
    part = part._replace(canopy=np.array([0, part.size]))
    write_shards(part, folder / "one", settings)
    worker = ShardWorker(folder / "one", maker, settings)
    worker.prepare(part.vocabulary, False)
    worker.infer(0, 0)  # compiles
    full, _ = clocked(lambda: worker.infer(0, 0))
    most = max(2, part.size // 4)
    settings = replace(settings, largest=most, chunk=most)
    numbers = range(len(write_shards(part, folder / "cut", settings).sizes))
    worker.folder, worker.settings = folder / "cut", settings
    first, _ = clocked(lambda: [worker.infer(0, k) for k in numbers])
    looking, parts = clocked(lambda: [worker.inspect(0, k, 0, 0) for k in numbers])
    shards = partition_entities(parts, SUPER, most, [0])
    sending, sent = clocked(lambda: [worker.scatter(0, k, 0, shards)[1:] for k in numbers])
    (folder / "cut" / "round-1").mkdir()
    second, _ = clocked(
        lambda: [worker.infer(1, p, *(tables[p] for tables in sent)) for p in range(shards[2])]
    )
    held = sum(table.nbytes for tables in sent for table in tables)
    return full / part.size, second / first, (looking + sending) / part.size, held / part.size


def clocked(work: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds of a call, and its result."""
    began = time.process_time()
    result = work()
    return time.process_time() - began, result


def simulated(
    costs: Costs,
    n: int,
    machines: int,
    *,
    kind: Machine | None = None,
    settings: Settings | None = None,
    rounds: int = 3,
    peak: int = 0,
    seed: int = 0,
) -> dict[str, Any]:
    """Hours, memory and traffic of n mentions whose canopies have the same shares.

    Shards go to the next free core, the largest canopies first; losses are drawn. Only mentions of
    cut canopies have further rounds. `peak` is the measured memory of a worker at `costs.mentions`.
    """
    kind, settings = kind or Machine(), settings or Settings()
    rng, sizes = np.random.default_rng(seed), costs.shares * n
    cut = sizes > settings.largest
    ends = [costs.depth, np.log2(settings.largest)]
    at = np.interp(np.log2(np.maximum(sizes, 1)), ends, [costs.first, max(costs.first, costs.full)])
    pieces = np.ceil(sizes[cut] / settings.largest).astype(int)
    large = np.repeat(sizes[cut] * at[cut] / np.maximum(pieces, 1), pieces)
    rest = float((sizes * at)[~cut].sum())
    small = np.full(max(1, round(sizes[~cut].sum() / settings.chunk)), 1.0)
    small *= rest / small.size
    cores = machines * kind.cores
    wall = kind.start + makespan(np.concatenate([large, small]), cores, kind, rng)
    again = costs.later * large + costs.dealing * settings.largest
    for _ in range(rounds - 1):
        wall += makespan(again, cores, kind, rng)
    # a piece of a further round is inspected, scattered and searched
    driver = kind.handing * (large.size + small.size + 3 * (rounds - 1) * large.size)
    moved = float(sizes[cut].sum())
    keys = costs.keys * (n / costs.mentions) ** costs.growth
    disk = n * (costs.shard + costs.labels)
    between = (rounds - 1) * moved * (2 * costs.shard + 2 * costs.labels + costs.table)
    traffic = disk + between + machines * keys * BY_KEY
    worker = peak + BY_KEY * max(0.0, keys - costs.keys) + BY_MENTION * settings.largest
    network = traffic * 8 / (machines * kind.gigabits * GIGA)
    return {
        "mentions": n,
        "machines": machines,
        "cpu_hours": (large.sum() + rest + (rounds - 1) * again.sum()) / 3600,
        "hours": max(wall, network, driver) / 3600,
        "driver_hours": driver / 3600,
        "network_hours": network / 3600,
        "traffic_gigabytes": traffic / GIGA,
        "disk_gigabytes": (disk + between / 2) / GIGA,
        "cut_share": moved / n,
        "worker_gigabytes": worker / GIGA,
        "fits": worker * kind.cores <= kind.gigabytes * GIGA,
        "writing_hours_on_one_core": costs.writing * n / 3600,
    }


def makespan(seconds: NDArray[Any], cores: int, kind: Machine, rng: np.random.Generator) -> float:
    """The time of the last shard, if the next free core takes each shard and some workers fail."""
    chance = 1 - np.exp(-kind.lost * seconds / 3600)
    # a shard that loses its worker has cost half of its time, and a new worker's start
    late = (rng.random(seconds.size) < chance) * (seconds / 2 + kind.start)
    free = [0.0] * min(cores, max(1, seconds.size))
    for duration in (seconds + late).tolist():
        heapq.heapreplace(free, free[0] + duration)
    return max(free)
