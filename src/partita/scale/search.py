"""Search over chunks on several threads; the result does not depend on their number."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace

import numpy as np

from partita.kernel import Ints
from partita.scale.chunks import Chunk, Scratch, local, plan, scratch
from partita.scale.limits import first_mentions, restore_order, split_canopies
from partita.scale.mentions import Mentions, check_mentions
from partita.scale.methods import Method
from partita.states.checks import positive, whole
from partita.walks import Chain, start_chain
from partita.walks.walk import Compiled

__all__ = ["ChunkResult", "SearchResult", "Settings", "Worker", "search"]

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Settings:
    """Length, limits and threads of a search."""

    temperatures: tuple[float, ...] = (1.0,)
    """At each temperature a canopy of n mentions has at most 1 + log2 n rounds of n steps."""
    settle: float = 0.01
    """The search leaves a canopy when a round accepts at most this number of moves per mention."""
    chunk: int = 32_768
    """Mentions of a chunk; canopies are grouped up to this limit."""
    largest: int = 100_000
    """Mentions; a larger canopy is split into pieces."""
    seed: int = 0
    threads: int = 1


@dataclass(frozen=True)
class ChunkResult:
    """The result of one chunk."""

    number: int
    rows: Ints
    """The number of each mention among all."""
    labels: Ints
    """The number of the first mention of its entity."""
    seconds: float
    """CPU seconds of the chunk, including encoding."""
    steps: int
    accepted: int


@dataclass(frozen=True)
class SearchResult:
    """The last partition of a search."""

    labels: Ints
    """By mention, the number of the first mention of its entity."""
    seconds: float
    """CPU seconds of all threads, without compilation."""
    wall: float
    """Wall-clock seconds, without compilation."""
    steps: int
    accepted: int
    chunks: int
    notes: tuple[str, ...] = ()
    """A sentence for each canopy that was split."""


def search(
    mentions: Mentions,
    method: Method,
    settings: Settings | None = None,
    *,
    chunks: Iterable[tuple[int, Ints]] | None = None,
    watch: Callable[[ChunkResult], None] | None = None,
) -> SearchResult:
    """Search for a partition with a high score, canopy by canopy.

    Parameters
    ----------
    chunks
        Numbers and canopies of the chunks to search, a part of `enumerate(plan(mentions, chunk))`;
        by default all. The seed of a chunk combines `settings.seed` and the number of the chunk,
        so the result depends neither on threads nor on the division into parts.
    watch
        Called after each chunk, in the order in which chunks finish.
    """
    settings = settings or Settings()
    check_mentions(mentions)
    for name in ("threads", "chunk", "largest"):
        whole(getattr(settings, name), name)
    for temperature in settings.temperatures:
        positive(temperature, "a temperature")
    order, notes = np.arange(mentions.size), list[str]()
    if chunks is None:
        mentions, order, notes = split_canopies(mentions, settings.largest)
    for note in notes:
        log.warning("%s", note)
    work = list(enumerate(plan(mentions, settings.chunk)) if chunks is None else chunks)
    labels = np.arange(mentions.size)
    if not work:
        return SearchResult(labels, 0.0, 0.0, 0, 0, 0)
    finished: list[ChunkResult] = []

    def take(result: ChunkResult) -> None:
        labels[result.rows] = result.labels
        finished.append(result)
        if watch is not None:
            watch(replace(result, rows=order[result.rows], labels=order[result.labels]))

    wall = _run_chunks(Worker(mentions, method, settings), work, settings.threads, take)
    return SearchResult(
        restore_order(order[labels], order) if notes else labels,
        sum(chunk_result.seconds for chunk_result in finished),
        wall,
        sum(chunk_result.steps for chunk_result in finished),
        sum(chunk_result.accepted for chunk_result in finished),
        len(finished),
        tuple(notes),
    )


def _run_chunks(
    worker: Worker, work: list[tuple[int, Ints]], threads: int, take: Callable[[ChunkResult], None]
) -> float:
    """Run all chunks on a pool of threads; pass each result to `take`. Returns seconds."""
    worker.warm(min((chunk[1] for chunk in work), key=len))
    lock, stop = threading.Lock(), threading.Event()
    began = time.perf_counter()

    def do(number: int, canopies: Ints) -> None:
        if stop.is_set():
            return
        result = worker.run(number, canopies, stop)
        with lock:
            take(result)

    with ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(do, number, canopies) for number, canopies in work]
        try:
            ended, _ = wait(futures, return_when=FIRST_EXCEPTION)
            for future in ended:
                future.result()
        except BaseException:
            stop.set()
            raise
    return time.perf_counter() - began


class Worker:
    """Searches chunks with one compiled chain; each thread has its own scratch arrays."""

    def __init__(self, mentions: Mentions, method: Method, settings: Settings) -> None:
        self.mentions, self.method, self.settings = mentions, method, settings
        self.temperatures = np.array(settings.temperatures, float)
        self.own = threading.local()
        self.compiled: Compiled | None = None

    def scratch(self) -> Scratch:
        """The scratch arrays of the current thread."""
        if not hasattr(self.own, "scratch"):
            self.own.scratch = scratch(self.mentions)
        return self.own.scratch

    def warm(self, canopies: Ints) -> None:
        """Compile, by searching one small canopy."""
        self.run(0, canopies[-1:], threading.Event())

    def chain(self, chunk: Chunk, number: int) -> Chain:
        """The chain of a chunk, at its start."""
        model, proposal = self.method.model(chunk), self.method.proposal(chunk)
        source = np.random.SeedSequence([self.settings.seed, number])
        rng = np.random.Generator(np.random.PCG64DXSM(source))
        start = self.method.start(chunk)
        chain = start_chain(model, start, proposal, rng=rng, compiled=self.compiled)
        self.compiled = chain.compiled
        return chain

    def run(self, number: int, canopies: Ints, stop: threading.Event) -> ChunkResult:
        """Search one chunk."""
        began = time.thread_time()
        chunk = local(self.mentions, canopies, self.scratch())
        chain = self.chain(chunk, number)
        chain.halted = stop.is_set
        chain.sweep(self.temperatures, self.settings.settle, short=True)
        labels = chunk.rows[first_mentions(self.method.labels(chain.state))]
        spent = time.thread_time() - began
        accepted = int(chain.tally[:, 1].sum())
        return ChunkResult(number, chunk.rows, labels, spent, chain.steps, accepted)
