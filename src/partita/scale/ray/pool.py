"""A crew of worker processes: each has one shard at a time, and a lost one's shard goes on."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from partita.errors import InputError, PartitaError
from partita.scale.ray.worker import Hand

__all__ = ["Crew", "Job", "Result"]

log = logging.getLogger(__name__)

STARTS = 5
"""How many workers in a row may be lost before they are up."""


class Job(NamedTuple):
    """One call of a worker about one shard."""

    method: str
    turn: int
    """The round that the shard belongs to."""
    number: int
    given: tuple[Any, ...] = ()
    parts: int = 0
    """How many objects the call leaves in Ray's store, besides what it returns."""


class Result(NamedTuple):
    """What a call came to."""

    job: Job
    value: Any
    parts: list[Any]
    """Names of the objects in Ray's store."""


class Crew:
    """Actors of Ray; the driver sees which shard is whose, and notices when one is lost.

    For a lost worker a new one is asked for, wherever there is room. It gets a shard only once it
    is up, so that no shard waits for a machine that is gone.
    """

    def __init__(
        self,
        ray: Any,
        given: tuple[Any, ...],
        told: tuple[Any, ...],
        retries: int,
        patience: float,
    ) -> None:
        self.ray, self.retries, self.patience = ray, retries, patience
        self.given, self.told, self.lost = given, told, 0
        self.missing = 0
        """Workers that were lost before they were up, since the last that was."""
        self.needs: dict[str, Any] = {}
        self.hands: set[Any] = set()
        self.free: deque[Any] = deque()
        self.waking: dict[Any, Any] = {}

    def start(self, workers: int, memory: int | None) -> None:
        """Ask Ray for all workers."""
        self.needs = {"num_cpus": 1, "max_restarts": 0, "scheduling_strategy": "SPREAD"}
        if memory is not None:
            self.needs["memory"] = memory
        for _ in range(workers):
            self.hire()

    def hire(self) -> None:
        """Ask Ray for a worker and tell it the vocabulary; it is up when it has answered."""
        hand = self.ray.remote(Hand).options(**self.needs).remote(*self.given)
        self.hands.add(hand)
        self.waking[hand.ready.remote(*self.told)] = hand

    def stop(self) -> None:
        """Let all workers go."""
        for hand in self.hands:
            self.ray.kill(hand)

    def result(self, found: Any) -> Any:
        """What a call returned, or the error that it raised, as it was."""
        try:
            return self.ray.get(found)
        except self.ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, PartitaError):
                raise error.cause from None
            raise
        except self.ray.exceptions.ObjectLostError:
            raise InputError(
                "a machine was lost with what was under way between two rounds; "
                "run again: shards that are done stay done"
            ) from None

    def run(self, jobs: Iterable[Job]) -> Iterator[Result]:
        """Do all jobs, taken one by one; each worker has at most one under way."""
        ahead = iter(jobs)
        busy: dict[Any, tuple[Any, Job, list[Any]]] = {}
        again: deque[Job] = deque()
        tries: dict[Job, int] = {}
        fresh: list[Result] = []
        while True:
            while self.free and (job := again.popleft() if again else next(ahead, None)):
                hand = self.free.popleft()
                ref, parts = self.call(hand, job)
                busy[ref] = hand, job, parts
            # told only now, when the worker has its next shard already
            yield from fresh
            fresh.clear()
            if not busy and not again and self.free:
                return
            # with nobody at work, somebody must come up before patience ends
            timeout = None if busy else self.patience
            ready, _ = self.ray.wait([*busy, *self.waking], timeout=timeout)
            if not ready:
                raise InputError(self.nobody())
            if ready[0] in self.waking:
                self.woken(ready[0])
                continue
            hand, job, parts = busy.pop(ready[0])
            try:
                fresh.append(Result(job, self.result(ready[0]), parts))
            except self.ray.exceptions.RayActorError:
                self.hands.discard(hand)
                self.hire()
                tries[job] = tries.get(job, 0) + 1
                again.append(self.missed(job, tries[job]))
            else:
                self.free.append(hand)

    def call(self, hand: Any, job: Job) -> tuple[Any, list[Any]]:
        """Begin a job; names of what it returns and of the objects it leaves."""
        method = getattr(hand, job.method)
        if not job.parts:
            return method.remote(job.turn, job.number, *job.given), []
        found = method.options(num_returns=1 + job.parts).remote(job.turn, job.number, *job.given)
        return found[0], found[1:]

    def woken(self, ref: Any) -> None:
        """A worker is up, or was lost on its way and another is asked for."""
        hand = self.waking.pop(ref)
        try:
            self.result(ref)
        except self.ray.exceptions.RayActorError:
            self.missing += 1
            self.hands.discard(hand)
            if self.missing > STARTS:
                raise InputError(
                    f"{self.missing} workers were lost before they were up; "
                    "look at their machines, and whether the vocabulary fits into their memory"
                ) from None
            self.hire()
        else:
            self.missing = 0
            self.free.append(hand)

    def missed(self, job: Job, tries: int) -> Job:
        """The job, to be done again unless it was lost too often."""
        self.lost += 1
        if tries > self.retries:
            raise InputError(
                f"shard {job.number} of round {job.turn} has lost its worker {tries} times; "
                "give workers more memory, or write smaller shards (a lower chunk)"
            )
        log.warning(
            "the worker of shard %d of round %d was lost; another does it", job.number, job.turn
        )
        return job

    def nobody(self) -> str:
        """Why no worker came up, as far as it is known."""
        cores = self.ray.cluster_resources().get("CPU", 0)
        return (
            f"no worker came up within {self.patience:.0f} s: the cluster has {cores:.0f} cores "
            f"and {len(self.hands)} workers were asked for; give fewer, with less memory, or wait"
        )
