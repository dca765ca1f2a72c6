"""Search on a Ray cluster: worker processes search shards; shards of failed workers are retried.

All machines must see the folder of shards under one path. The driver holds neither mentions nor
labels: it assigns shard numbers to workers and, between rounds, passes references to Arrow tables
in Ray's object store.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from partita.errors import CheckpointError, InputError
from partita.progress import Bars
from partita.scale.ray.connect import connect
from partita.scale.ray.pool import Job, WorkerPool
from partita.scale.ray.rounds import RANDOM, SUPER, Pieces, partition_entities
from partita.scale.ray.shards import (
    Manifest,
    done_path,
    manifest_of,
    read_json,
    read_vocabulary,
    write_json,
)
from partita.scale.ray.worker import Maker, Outcome, read_outcome
from partita.scale.search import Settings
from partita.states.checks import whole

__all__ = ["Distributed", "distribute"]

SHARDS_IN_STORE = 2
"""Shards for each worker whose mentions are in Ray's object store at one time."""


@dataclass(frozen=True)
class Distributed:
    """Totals of a run over all shards; the labels are on disk."""

    mentions: int
    entities: int
    seconds: float
    """CPU seconds of all searches, including earlier runs."""
    wall: float
    shards: int
    """Shards of all rounds."""
    resumed: int
    """Shards that an earlier run had finished."""
    lost: int
    """How often a worker failed while it had a shard."""
    peak: int
    """Peak memory of one worker in bytes."""
    notes: tuple[str, ...] = ()


def distribute(
    folder: str | Path,
    method: Maker,
    settings: Settings | None = None,
    *,
    rounds: int = 1,
    by: str = SUPER,
    workers: int = 2,
    address: str | None = None,
    memory: int | None = None,
    retries: int = 3,
    patience: float = 120.0,
    progress: bool = False,
    watch: Callable[[Outcome], None] | None = None,
) -> Distributed:
    """Search all shards of a folder on a Ray cluster; one round finds the labels of `search`.

    A shard is finished when its labels are on disk: the same call after a failure searches the
    unfinished shards.

    Parameters
    ----------
    folder
        Of `write_shards`, under the same path on all machines.
    method
        Builds the method from the vocabulary, such as `partial(dirichlet_entities, ...)`.
    rounds, by
        Rounds over canopies that were split; between rounds their entities are repartitioned by
        "super-entity" or at "random". Other canopies need only the first round.
    workers
        Processes, each with one core and one shard.
    address
        HOST:PORT of a running cluster, or "auto"; by default one is started on this machine.
    memory
        Bytes that each worker reserves, which limits the workers of a machine.
    retries
        How often the worker of a shard may fail.
    patience
        Seconds within which the first worker must be ready.
    watch
        Called after each shard.
    """
    began, settings, base = time.perf_counter(), settings or Settings(), Path(folder).resolve()
    manifest = manifest_of(base)
    check(manifest, settings, by, rounds=rounds, workers=workers)
    whole(retries, "retries", 0)
    words = read_vocabulary(base)
    turns = rounds if manifest.cut else 1
    with connect(address, workers) as ray:
        claim(base, method, settings, by)
        setup = ray.put(words), turns > 1
        pool = WorkerPool(ray, (base, method, settings), setup, retries, patience)
        run = Run(base, manifest, settings, by, pool, len(words.names))
        pool.start(workers, memory)
        try:
            with Bars(["round 0"], progress) as bars:
                for turn in range(turns):
                    for outcome in run.round(turn):
                        count = len(run.done) + len(run.resumed)
                        facts = f"{count}/{run.total} shards, {pool.lost} workers lost"
                        bars.show(0, count / run.total, facts, f"round {outcome.turn}")
                        if watch is not None:
                            watch(outcome)
        finally:
            pool.stop()
    return run.summarise(time.perf_counter() - began)


def check(manifest: Manifest, settings: Settings, by: str, **counts: int) -> None:
    """Raise unless the settings agree with the shards."""
    for name, value in counts.items():
        whole(value, name)
    if by not in (RANDOM, SUPER):
        raise InputError(f'by is {by!r}; give "{SUPER}" or "{RANDOM}"')
    for name in ("chunk", "largest"):
        if getattr(settings, name) != getattr(manifest, name):
            raise InputError(
                f"{name} is {getattr(settings, name)} but the shards were written with "
                f"{getattr(manifest, name)}; give that, or write them again"
            )


def claim(folder: Path, method: Maker, settings: Settings, by: str) -> None:
    """Record the settings of a run in its folder; raise if the folder has a run with others."""
    job = {"scheme": describe(method), "by": by, **asdict(settings)}
    job["temperatures"] = list(settings.temperatures)
    del job["threads"]
    path = folder / "job.json"
    if not path.exists():
        write_json(path, job)
        return
    for name, value in read_json(path, "remove it and the labels").items():
        if job.get(name) != value:
            raise CheckpointError(
                f"{folder} has a run with {name} {value!r}, not {job.get(name)!r}; "
                "use the same setting, or write the shards to a new folder"
            )


def describe(value: Any) -> Any:
    """A description of a maker that is the same in every process."""
    if isinstance(value, partial):
        return [describe(value.func), describe(value.args), describe(value.keywords)]
    if isinstance(value, dict):
        return {str(key): describe(item) for key, item in sorted(value.items())}
    if isinstance(value, list | tuple):
        return [describe(item) for item in value]
    if callable(value):
        return f"{value.__module__}.{value.__qualname__}"
    return repr(value)


class Run:
    """The rounds over one folder."""

    def __init__(
        self,
        folder: Path,
        manifest: Manifest,
        settings: Settings,
        by: str,
        pool: WorkerPool,
        groups: int,
    ) -> None:
        self.folder, self.manifest, self.settings, self.by = folder, manifest, settings, by
        self.pool, self.groups = pool, groups
        self.place: dict[int, tuple[int, ...]] = dict(manifest.cut)
        """By split canopy, its shards of the round before."""
        self.total = len(manifest.sizes)
        self.done: list[Outcome] = []
        self.resumed: list[Outcome] = []
        self.split_entities = 0
        """Entities of split canopies after the first round."""
        self.expected = 0

    def round(self, turn: int) -> Iterator[Outcome]:
        """Search the unfinished shards of a round, then mark the round as finished."""
        self.expected = 0
        path = done_path(self.folder, turn)
        (self.folder / f"round-{turn}").mkdir(exist_ok=True)
        yield from self.first_round() if turn == 0 else self.later_round(turn)
        outcomes = (*self.done, *self.resumed)
        mentions = sum(outcome.mentions for outcome in outcomes if outcome.turn == turn)
        if mentions != self.expected:
            raise CheckpointError(
                f"round {turn} has labels for {mentions:,} mentions instead of {self.expected:,}; "
                f"remove {path.parent} if its labels are of another run"
            )
        write_json(path, {"mentions": mentions, "place": list(self.place.items())})

    def first_round(self) -> Iterator[Outcome]:
        """Search the shards as they were written."""
        self.expected = sum(self.manifest.sizes)
        numbers = range(len(self.manifest.sizes))
        yield from self.infer(Job("infer", 0, k) for k in numbers if not self.is_finished(0, k))

    def later_round(self, turn: int) -> Iterator[Outcome]:
        """Search the entities of each split canopy in new pieces, some canopies at a time."""
        place, first = dict[int, tuple[int, ...]](), 0
        for batch in self.batches():
            partition, missing = self.partition(turn, batch), dict[int, list[int]]()
            for canopy, (_, _, pieces) in partition.items():
                place[canopy] = tuple(range(first, first + pieces))
                missing[canopy] = [k for k in place[canopy] if not self.is_finished(turn, k)]
                first, self.total = first + pieces, self.total + pieces
            tables = self.scatter(turn - 1, {c: batch[c] for c in batch if missing[c]}, partition)
            yield from self.infer(
                Job("infer", turn, k, tuple(part[k - place[canopy][0]] for part in tables[canopy]))
                for canopy, numbers in missing.items()
                for k in numbers
            )
        self.place = place

    def batches(self) -> Iterator[dict[int, tuple[int, ...]]]:
        """Yield batches of split canopies, large enough to keep all workers busy."""
        batch = dict[int, tuple[int, ...]]()
        for canopy, sources in sorted(self.place.items()):
            batch[canopy] = sources
            if sum(map(len, batch.values())) >= SHARDS_IN_STORE * len(self.pool.workers):
                yield batch
                batch = {}
        if batch:
            yield batch

    def partition(self, turn: int, batch: dict[int, tuple[int, ...]]) -> dict[int, Pieces]:
        """Partition the entities of a batch of canopies into new pieces."""
        group = (turn - 1) % self.groups
        summaries: dict[int, list[Any]] = {canopy: [] for canopy in batch}
        jobs = [
            Job("inspect", turn - 1, source, (canopy, group))
            for canopy, sources in batch.items()
            for source in sources
        ]
        for result in self.pool.run(jobs):
            summaries[result.job.arguments[0]].append(result.value)
            self.expected += int(result.value[1].sum())
            self.split_entities += result.value[0].size if turn == 1 else 0
        limit, seed = self.settings.largest, self.settings.seed
        return {
            canopy: partition_entities(parts, self.by, limit, [seed, turn, canopy])
            for canopy, parts in summaries.items()
        }

    def scatter(
        self, turn: int, batch: dict[int, tuple[int, ...]], partition: dict[int, Pieces]
    ) -> dict[int, list[list[Any]]]:
        """By canopy and shard of the round before, references to one table for each new piece."""
        tables: dict[int, list[list[Any]]] = {canopy: [] for canopy in batch}
        jobs = []
        for canopy, sources in batch.items():
            arguments = (canopy, self.pool.ray.put(partition[canopy]))
            count = partition[canopy][2]
            jobs += [Job("scatter", turn, k, arguments, count) for k in sources]
        for result in self.pool.run(jobs):
            tables[result.job.arguments[0]].append(result.parts)
        return tables

    def infer(self, jobs: Iterable[Job]) -> Iterator[Outcome]:
        """Run search jobs and yield their outcomes."""
        for result in self.pool.run(jobs):
            self.done.append(result.value)
            yield result.value

    def is_finished(self, turn: int, number: int) -> bool:
        """Whether an earlier run has finished a shard; its outcome is recorded."""
        outcome = read_outcome(self.folder, turn, number)
        if outcome is not None:
            self.resumed.append(outcome)
        return outcome is not None

    def summarise(self, wall: float) -> Distributed:
        """The totals of all rounds."""
        outcomes = [*self.done, *self.resumed]
        last = max((outcome.turn for outcome in outcomes), default=0)
        first_round = [outcome for outcome in outcomes if outcome.turn == 0]
        entities = self.manifest.alone + sum(outcome.entities for outcome in first_round)
        if last:
            entities -= self.split_entities
            entities += sum(outcome.entities for outcome in outcomes if outcome.turn == last)
        return Distributed(
            mentions=self.manifest.alone
            + sum(outcome.mentions for outcome in outcomes if outcome.turn == 0),
            entities=entities,
            seconds=sum(outcome.seconds for outcome in outcomes),
            wall=wall,
            shards=len(outcomes),
            resumed=len(self.resumed),
            lost=self.pool.lost,
            peak=max((outcome.peak for outcome in outcomes), default=0),
            notes=self.manifest.notes,
        )
