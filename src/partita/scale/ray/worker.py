"""Worker process: searches one shard at a time and writes its labels to disk."""

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
from partita.scale.limits import first_mentions
from partita.scale.mentions import Vocabulary
from partita.scale.methods import Method, singletons
from partita.scale.ray.rounds import Pieces, merge_parts, split_by_piece, summarise_canopy
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

__all__ = ["Maker", "Outcome", "ShardWorker", "read_outcome"]

Maker = Callable[[Vocabulary], Method]
"""Builds the method in each process, such as `partial(dirichlet_entities, concentration=...)`."""

MEMORY_UNIT = 1 if sys.platform == "darwin" else 1024
"""Bytes in the unit of the peak memory that the system reports."""
ROUND_STRIDE = 1 << 32
"""Distance between the seed numbers of two rounds, above the number of shards of a round."""


@dataclass(frozen=True)
class Outcome:
    """One finished shard; the header of the labels file contains its fields."""

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
    """The worker process."""
    peak: int
    """Peak memory of the process in bytes."""


def read_outcome(folder: Path, turn: int, number: int) -> Outcome | None:
    """The outcome of a shard that an earlier run finished; None if it is unfinished."""
    head = header_of(labels_path(folder, turn, number))
    return None if head is None else Outcome(**head)


class ShardWorker:
    """Holds the vocabulary, the machine code, and one shard."""

    words: Vocabulary
    method: Method

    def __init__(self, folder: Path, maker: Maker, settings: Settings) -> None:
        self.folder, self.maker, self.settings = folder, maker, settings
        self.worker: Worker | None = None

    def prepare(self, words: Vocabulary, several_rounds: bool) -> None:
        """Build the method; a call of its own, so that its errors reach the driver."""
        self.words, self.method = words, self.maker(words)
        if several_rounds and self.method.start is not singletons:
            raise InputError(
                f"{self.method.name} does not start from singletons, so a second round cannot "
                "start from the entities of the first; give rounds=1"
            )

    def inspect(self, turn: int, number: int, canopy: int, group: int) -> tuple[Ints, Ints, Ints]:
        """The summary of one canopy in a finished shard (`summarise_canopy`)."""
        table, _ = read_table(shard_path(self.folder, turn, number))
        _, entity, _ = read_labels(labels_path(self.folder, turn, number))
        return summarise_canopy(shard_of(table, self.words), entity, canopy, group)

    def scatter(self, turn: int, number: int, canopy: int, pieces: Pieces) -> list[Any]:
        """The number of mentions of one canopy in a shard, then one table for each new piece."""
        table, _ = read_table(shard_path(self.folder, turn, number))
        _, entity, canopies = read_labels(labels_path(self.folder, turn, number))
        rows = canopies == canopy
        parts = split_by_piece(table.filter(rows), entity[rows], pieces)
        return [int(rows.sum()), *parts]

    def infer(self, turn: int, number: int, *parts: pa.Table) -> Outcome:
        """Search one shard and write its labels.

        The first round reads the shard from disk; a later round gets it in parts, one from each
        shard of the round before.
        """
        if turn == 0:
            shard = shard_of(read_table(shard_path(self.folder, 0, number))[0], self.words)
        else:
            table, shard = merge_parts(list(parts), self.words)
            path = shard_path(self.folder, turn, number)
            write_table(table.drop_columns(["entity"]), path, {"shard": number})
        entity, seconds, steps, accepted = self.search(shard, turn, number)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * MEMORY_UNIT
        entities = int(np.count_nonzero(entity == shard.mention))
        outcome = Outcome(
            *(turn, number, entity.size, entities, seconds, steps, accepted, os.getpid(), peak)
        )
        path = labels_path(self.folder, turn, number)
        write_labels(path, shard.mention, entity, shard.canopy, asdict(outcome))
        return outcome

    def search(self, shard: Shard, turn: int, number: int) -> tuple[Ints, float, int, int]:
        """The first mention of each mention's entity, CPU seconds, steps, accepted moves."""
        pieces = np.flatnonzero(np.diff(shard.rows.canopy) > 1)
        place = np.arange(shard.mention.size)
        if shard.entity is not None:
            place = np.unique(shard.entity, return_inverse=True)[1].reshape(-1)
        if not pieces.size:
            return first_mentions(place, shard.mention), 0.0, 0, 0
        worker = self.load(shard)
        result = worker.run(turn * ROUND_STRIDE + number, pieces, threading.Event())
        place[result.rows] = result.labels
        return first_mentions(place, shard.mention), result.seconds, result.steps, result.accepted

    def load(self, shard: Shard) -> Worker:
        """The chunk worker for a shard; the first shard compiles its machine code."""
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
