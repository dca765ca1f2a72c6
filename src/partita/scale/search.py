"""The search over chunks, on threads that own disjoint canopies; any number finds the same."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace

import numpy as np

from partita.estimators import exact
from partita.kernel import Ints
from partita.scale.chunks import Chunk, Scratch, local, plan, scratch
from partita.scale.limits import back, firsts, limited
from partita.scale.mentions import Mentions, checked
from partita.scale.methods import Method
from partita.states.checks import whole
from partita.walks import Chain, compile_chain
from partita.walks.walk import Compiled

__all__ = ["Done", "Found", "Settings", "Worker", "search"]

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Settings:
    """How long a canopy is worked on, and by how many."""

    temperatures: tuple[float, ...] = (1.0,)
    """At each of them a canopy of n mentions has at most 1 + log2 n rounds of n steps."""
    settle: float = 0.01
    """A canopy is left when a round accepts at most this many moves per mention."""
    chunk: int = 32_768
    """Small canopies are put together up to so many mentions."""
    largest: int = 100_000
    """A canopy of more mentions is cut into pieces."""
    seed: int = 0
    threads: int = 1


@dataclass(frozen=True)
class Done:
    """One chunk that is done."""

    number: int
    rows: Ints
    """The number of each mention among all."""
    labels: Ints
    """The number of the first mention of its entity."""
    seconds: float
    """CPU seconds of the chunk, encoding included."""
    steps: int
    accepted: int


@dataclass(frozen=True)
class Found:
    """The partition that a search ended with."""

    labels: Ints
    """By mention, the number of the first mention of its entity."""
    seconds: float
    """CPU seconds of all threads, without compilation."""
    wall: float
    """Seconds that passed, without compilation."""
    steps: int
    accepted: int
    chunks: int
    notes: tuple[str, ...] = ()
    """What was done to the canopies, in words."""


def search(
    mentions: Mentions,
    method: Method,
    settings: Settings | None = None,
    *,
    chunks: Iterable[tuple[int, Ints]] | None = None,
    watch: Callable[[Done], None] | None = None,
) -> Found:
    """Search for a good partition of all mentions, canopy by canopy.

    Parameters
    ----------
    chunks
        Numbers and canopies of the chunks to do, out of `enumerate(plan(mentions, chunk))`, for
        someone who does a part of them; by default all. The seed of a chunk is made from
        `settings.seed` and its number, so that the result depends neither on threads nor on parts.
    watch
        Called after each chunk, in the order in which chunks end.
    """
    settings = settings or Settings()
    checked(mentions)
    for name in ("threads", "chunk", "largest"):
        whole(getattr(settings, name), name)
    order, notes = np.arange(mentions.size), list[str]()
    if chunks is None:
        mentions, order, notes = limited(mentions, settings.largest)
    for note in notes:
        log.warning("%s", note)
    work = list(enumerate(plan(mentions, settings.chunk)) if chunks is None else chunks)
    labels = np.arange(mentions.size)
    if not work:
        return Found(labels, 0.0, 0.0, 0, 0, 0)
    ended: list[Done] = []

    def take(done: Done) -> None:
        labels[done.rows] = done.labels
        ended.append(done)
        if watch is not None:
            watch(replace(done, rows=order[done.rows], labels=order[done.labels]))

    wall = _all_done(Worker(mentions, method, settings), work, settings.threads, take)
    return Found(
        back(order[labels], order) if notes else labels,
        sum(done.seconds for done in ended),
        wall,
        sum(done.steps for done in ended),
        sum(done.accepted for done in ended),
        len(ended),
        tuple(notes),
    )


def _all_done(
    worker: Worker, work: list[tuple[int, Ints]], threads: int, take: Callable[[Done], None]
) -> float:
    """Do all chunks on some threads; `take` gets one at a time. Returns the seconds that passed."""
    worker.warm(min((one[1] for one in work), key=len))
    lock, stop = threading.Lock(), threading.Event()
    began = time.perf_counter()

    def do(number: int, canopies: Ints) -> None:
        if stop.is_set():
            return
        done = worker.run(number, canopies, stop)
        with lock:
            take(done)

    with ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(do, number, canopies) for number, canopies in work]
        try:
            finished, _ = wait(futures, return_when=FIRST_EXCEPTION)
            for future in finished:
                future.result()
        except BaseException:
            stop.set()
            raise
    return time.perf_counter() - began


class Worker:
    """Works on chunks with one machine code; each thread has scratch of its own."""

    def __init__(self, mentions: Mentions, method: Method, settings: Settings) -> None:
        self.mentions, self.method, self.settings = mentions, method, settings
        self.estimator = exact()
        self.temperatures = np.array(settings.temperatures, float)
        self.own = threading.local()
        self.compiled: Compiled | None = None

    def scratch(self) -> Scratch:
        """The scratch of this thread."""
        if not hasattr(self.own, "scratch"):
            self.own.scratch = scratch(self.mentions)
        return self.own.scratch

    def warm(self, canopies: Ints) -> None:
        """Compile, by working on one small canopy."""
        self.run(0, canopies[-1:], threading.Event())

    def chain(self, chunk: Chunk, number: int) -> Chain:
        """A chain at the start of a chunk."""
        model, proposal = self.method.model(chunk), self.method.proposal(chunk)
        if self.compiled is None:
            self.compiled = compile_chain(model, proposal, self.estimator)
        source = np.random.SeedSequence([self.settings.seed, number])
        rng = np.random.Generator(np.random.PCG64DXSM(source))
        start = self.method.start(chunk)
        return Chain(model, proposal, self.estimator, self.compiled, start, rng)

    def run(self, number: int, canopies: Ints, stop: threading.Event) -> Done:
        """Work on one chunk."""
        began = time.thread_time()
        chunk = local(self.mentions, canopies, self.scratch())
        chain = self.chain(chunk, number)
        chain.halted = stop.is_set
        chain.sweep(self.temperatures, self.settings.settle, short=True)
        labels = chunk.rows[firsts(self.method.labels(chain.state))]
        spent = time.thread_time() - began
        accepted = int(chain.tally[:, 1].sum())
        return Done(number, chunk.rows, labels, spent, chain.steps, accepted)
