"""Pool of Ray workers: each processes one shard at a time; shards of failed workers are retried."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from partita.errors import InputError, PartitaError
from partita.scale.ray.worker import ShardWorker

__all__ = ["Job", "Result", "WorkerPool"]

log = logging.getLogger(__name__)

MAX_FAILED_STARTS = 5
"""Workers in a row that may fail before they are ready."""


class Job(NamedTuple):
    """One call of a worker for one shard."""

    task: str
    """The name of a method of `ShardWorker`."""
    turn: int
    """The round of the shard."""
    number: int
    arguments: tuple[Any, ...] = ()
    parts: int = 0
    """Objects that the call leaves in Ray's object store, besides its return value."""


class Result(NamedTuple):
    """The return value of one call."""

    job: Job
    value: Any
    parts: list[Any]
    """References to the objects in Ray's object store."""


class WorkerPool:
    """Ray actors; the driver records which worker has which shard, and replaces failed workers.

    Ray places a replacement wherever there is room. It gets a shard only when it is ready, so no
    shard waits for a machine that has failed.
    """

    def __init__(
        self,
        ray: Any,
        arguments: tuple[Any, ...],
        setup: tuple[Any, ...],
        retries: int,
        patience: float,
    ) -> None:
        self.ray, self.retries, self.patience = ray, retries, patience
        self.arguments, self.setup, self.lost = arguments, setup, 0
        self.failed_starts = 0
        """Workers that failed before they were ready, since the last one that became ready."""
        self.resources: dict[str, Any] = {}
        self.workers: set[Any] = set()
        self.free: deque[Any] = deque()
        self.starting: dict[Any, Any] = {}

    def start(self, workers: int, memory: int | None) -> None:
        """Start all workers."""
        self.resources = {"num_cpus": 1, "max_restarts": 0, "scheduling_strategy": "SPREAD"}
        if memory is not None:
            self.resources["memory"] = memory
        for _ in range(workers):
            self.start_worker()

    def start_worker(self) -> None:
        """Start one worker and send it the vocabulary; it is ready when that call returns."""
        worker = self.ray.remote(ShardWorker).options(**self.resources).remote(*self.arguments)
        self.workers.add(worker)
        self.starting[worker.prepare.remote(*self.setup)] = worker

    def stop(self) -> None:
        """Stop all workers."""
        for worker in self.workers:
            self.ray.kill(worker)

    def fetch(self, reference: Any) -> Any:
        """The return value of a call; errors of Partita are raised as the worker raised them."""
        try:
            return self.ray.get(reference)
        except self.ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, PartitaError):
                raise error.cause from None
            raise
        except self.ray.exceptions.ObjectLostError:
            raise InputError(
                "a machine failed with data of a canopy between two rounds; run again: finished "
                "shards are kept"
            ) from None

    def run(self, jobs: Iterable[Job]) -> Iterator[Result]:
        """Run all jobs, taken one by one; each worker has at most one of them."""
        waiting = iter(jobs)
        busy: dict[Any, tuple[Any, Job, list[Any]]] = {}
        retries: deque[Job] = deque()
        failures: dict[Job, int] = {}
        results: list[Result] = []
        while True:
            while self.free and (job := retries.popleft() if retries else next(waiting, None)):
                worker = self.free.popleft()
                reference, parts = self.call(worker, job)
                busy[reference] = worker, job, parts
            # yielded only now: the worker has its next shard while the caller handles the result
            yield from results
            results.clear()
            if not busy and not retries and self.free:
                return
            # while no worker is busy, one must become ready before patience ends
            timeout = None if busy else self.patience
            ready, _ = self.ray.wait([*busy, *self.starting], timeout=timeout)
            if not ready:
                raise InputError(self.explain_no_worker())
            if ready[0] in self.starting:
                self.finish_start(ready[0])
                continue
            worker, job, parts = busy.pop(ready[0])
            try:
                results.append(Result(job, self.fetch(ready[0]), parts))
            except self.ray.exceptions.RayActorError:
                self.workers.discard(worker)
                self.start_worker()
                failures[job] = failures.get(job, 0) + 1
                retries.append(self.retry(job, failures[job]))
            else:
                self.free.append(worker)

    def call(self, worker: Any, job: Job) -> tuple[Any, list[Any]]:
        """Start a job; returns references to its return value and to its parts."""
        task = getattr(worker, job.task)
        if not job.parts:
            return task.remote(job.turn, job.number, *job.arguments), []
        references = task.options(num_returns=1 + job.parts).remote(
            job.turn, job.number, *job.arguments
        )
        return references[0], references[1:]

    def finish_start(self, reference: Any) -> None:
        """Add a ready worker to the free workers; replace a worker that failed to start."""
        worker = self.starting.pop(reference)
        try:
            self.fetch(reference)
        except self.ray.exceptions.RayActorError:
            self.failed_starts += 1
            self.workers.discard(worker)
            if self.failed_starts > MAX_FAILED_STARTS:
                raise InputError(
                    f"{self.failed_starts} workers failed before they were ready; check their "
                    "machines, and whether the vocabulary fits into their memory"
                ) from None
            self.start_worker()
        else:
            self.failed_starts = 0
            self.free.append(worker)

    def retry(self, job: Job, failures: int) -> Job:
        """The job, to be run again unless too many workers failed with it."""
        self.lost += 1
        if failures > self.retries:
            raise InputError(
                f"shard {job.number} of round {job.turn} has lost its worker {failures} times; "
                "give workers more memory, or write smaller shards (a lower chunk)"
            )
        log.warning(
            "the worker of shard %d of round %d failed; another worker retries it",
            job.number,
            job.turn,
        )
        return job

    def explain_no_worker(self) -> str:
        """The message for a pool in which no worker becomes ready."""
        cores = self.ray.cluster_resources().get("CPU", 0)
        return (
            f"no worker became ready within {self.patience:.0f} s: the cluster has {cores:.0f} "
            f"cores and the pool needs {len(self.workers)} workers; use fewer workers, or less "
            "memory for each"
        )
