"""A hand: what one worker process does with one shard at a time, and what it leaves on disk."""

from __future__ import annotations

import os
import resource
import sys
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from partita.errors import InputError
from partita.kernel import Ints
from partita.scale.chunks import Chunk
from partita.scale.limits import firsts
from partita.scale.mentions import Vocabulary
from partita.scale.methods import Method, singletons
from partita.scale.ray.rounds import Dealt, gathered, scattered, summary
from partita.scale.ray.shards import (
    Shard,
    header_of,
    labels_path,
    read_labels,
    read_table,
    shard_of,
    shard_path,
    write_labels,
    write_table,
)
from partita.scale.search import Settings, Worker
from partita.states import Partition

__all__ = ["Hand", "Maker", "Outcome", "ended"]

Maker = Callable[[Vocabulary], Method]
"""Makes the method in each process, such as `partial(dirichlet_entities, concentration=...)`."""

BYTES = 1 if sys.platform == "darwin" else 1024
"""What the system counts peak memory in."""
APART = 1 << 32
"""Between the numbers, for seeds, of shards of two rounds."""


@dataclass(frozen=True)
class Outcome:
    """One shard that is done."""

    turn: int
    """The round."""
    number: int
    mentions: int
    entities: int
    seconds: float
    """CPU seconds of the search, encoding included, without compilation."""
    steps: int
    accepted: int
    pid: int
    """The process that did it."""
    peak: int
    """Most bytes that this process has held."""


def ended(folder: Path, turn: int, number: int) -> Outcome | None:
    """What became of a shard in an earlier run; None if it is still to be done."""
    head = header_of(labels_path(folder, turn, number))
    return None if head is None else Outcome(**head)


class Hand:
    """Holds the vocabulary, the machine code, and one shard."""

    words: Vocabulary
    method: Method

    def __init__(self, folder: Path, maker: Maker, settings: Settings) -> None:
        self.folder, self.maker, self.settings = folder, maker, settings
        self.worker: Worker | None = None

    def ready(self, words: Vocabulary, further: bool) -> None:
        """Make the method; not when the process begins, so that errors of it can be told."""
        self.words, self.method = words, self.maker(words)
        if further and self.method.start is not singletons:
            raise InputError(
                f"{self.method.name} does not start from singletons, so that a second round cannot "
                "start from entities; give rounds=1"
            )

    def inspect(self, turn: int, number: int, canopy: int, group: int) -> tuple[Ints, Ints, Ints]:
        """The `summary` of one canopy in a shard that is done."""
        table, _ = read_table(shard_path(self.folder, turn, number))
        _, entity, _ = read_labels(labels_path(self.folder, turn, number))
        return summary(shard_of(table, self.words), entity, canopy, group)

    def scatter(self, turn: int, number: int, canopy: int, dealt: Dealt) -> list[Any]:
        """How many mentions of one canopy a shard has, then a table of them for each new piece."""
        table, _ = read_table(shard_path(self.folder, turn, number))
        _, entity, canopies = read_labels(labels_path(self.folder, turn, number))
        mine = canopies == canopy
        parts = scattered(table.filter(mine), entity[mine], dealt)
        return [int(mine.sum()), *parts]

    def infer(self, turn: int, number: int, *parts: pa.Table) -> Outcome:
        """Search one shard, and leave its labels on disk.

        The first round reads the shard; later ones get it from all shards of the last, in parts.
        """
        if turn == 0:
            shard = shard_of(read_table(shard_path(self.folder, 0, number))[0], self.words)
        else:
            table, shard = gathered(list(parts), self.words)
            path = shard_path(self.folder, turn, number)
            write_table(table.drop_columns(["entity"]), path, {"shard": number})
        entity, seconds, steps, accepted = self.search(shard, turn, number)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * BYTES
        found = int(np.count_nonzero(entity == shard.mention))
        outcome = Outcome(
            *(turn, number, entity.size, found, seconds, steps, accepted, os.getpid(), peak)
        )
        path = labels_path(self.folder, turn, number)
        write_labels(path, shard.mention, entity, shard.canopy, asdict(outcome))
        return outcome

    def search(self, shard: Shard, turn: int, number: int) -> tuple[Ints, float, int, int]:
        """The first mention of the entity of each, and what finding it took."""
        pieces = np.flatnonzero(np.diff(shard.rows.canopy) > 1)
        place = np.arange(shard.mention.size)
        if shard.entity is not None:
            place = np.unique(shard.entity, return_inverse=True)[1].reshape(-1)
        if not pieces.size:
            return firsts(place, shard.mention), 0.0, 0, 0
        worker = self.at_work(shard)
        done = worker.run(turn * APART + number, pieces, threading.Event())
        place[done.rows] = done.labels
        return firsts(place, shard.mention), done.seconds, done.steps, done.accepted

    def at_work(self, shard: Shard) -> Worker:
        """The worker, with machine code, before this shard."""
        if self.worker is None:
            self.worker = Worker(shard.rows, self.method, self.settings)
        self.worker.mentions, self.worker.method = shard.rows, self.method
        if self.worker.compiled is None:
            self.worker.warm(np.flatnonzero(np.diff(shard.rows.canopy) > 1))
        if shard.entity is not None:
            entity = shard.entity

            def start(chunk: Chunk) -> Partition:
                return Partition.of(entity[chunk.rows])

            self.worker.method = replace(self.method, start=start)
        return self.worker
