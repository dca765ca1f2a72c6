"""One method on one set of mentions: pairwise F1 by CPU seconds, in a process of its own.

A process of its own has a peak of memory of its own. Compilation is done before the clock starts;
everything from encoded mentions to labels counts, evaluation does not. A method is stopped
when it has spent its budget of CPU seconds; its F1 at that time counts.
"""

from __future__ import annotations

import json
import multiprocessing
import resource
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from papers.hcoref.data import Case, load
from papers.hcoref.learned import Learned
from papers.hcoref.methods import METHODS, Variant
from partita.metrics import Score, contingency
from partita.metrics.table import pairs_within
from partita.scale import ChunkResult, local, plan, scratch, search
from partita.walks import start_chain

__all__ = ["Course", "apart", "follow"]

STALLED, BETTER = 12, 1e-3
"""A walk in random order ends when STALLED rounds have not raised the best F1 by BETTER."""


@dataclass(frozen=True)
class Course:
    """Precision, recall and F1 by CPU seconds, and the total cost."""

    method: str
    mentions: int
    seconds: list[float]
    precision: list[float]
    recall: list[float]
    f1: list[float]
    steps: int
    wall: float
    peak: float
    """Largest resident memory of the process in MB."""
    stopped: str = ""


class Spent(Exception):
    """The budget is spent."""


def follow(case: Case, variant: Variant, known: Learned, seed: int, most: float = 300.0) -> Course:
    """Run one variant, for at most about `most` CPU seconds."""
    method = variant.method(case.mentions.vocabulary, known)
    if variant.order == "random":
        return _random(case, variant, method, seed, most)
    return _canopies(case, variant, method, seed, most)


def _canopies(case: Case, variant: Variant, method: Any, seed: int, most: float) -> Course:
    """Chunks are disjoint, so right and found pairs of a chunk are added once it is done."""
    true = pairs_within(np.bincount(case.truth))
    spent, steps, right, predicted = 0.0, 0, 0, 0
    seconds, scores = [0.0], [Score.shares(0, 0, true)]

    def watch(chunk: ChunkResult) -> None:
        nonlocal right, predicted, spent, steps
        table = contingency(chunk.labels, case.truth[chunk.rows])
        right += pairs_within(table.shared)
        predicted += pairs_within(table.predicted_sizes)
        spent, steps = spent + chunk.seconds, steps + chunk.steps
        seconds.append(spent)
        scores.append(Score.shares(right, predicted, true))
        if spent > most:
            raise Spent

    settings = replace(variant.settings, seed=seed, threads=1)
    began, stopped = time.perf_counter(), "settled"
    try:
        # without compilation
        wall = search(case.mentions, method, settings, watch=watch).wall
    except Spent:
        wall, stopped = time.perf_counter() - began, f"after {most:g} CPU s"
    return _course(case, variant, seconds, scores, steps, wall, stopped)


def _random(case: Case, variant: Variant, method: Any, seed: int, most: float) -> Course:
    """All canopies are one chain; F1 is looked at after every half step by mention."""
    n = case.mentions.size
    (everything,) = plan(case.mentions, n + 1)
    # the smallest canopy first, to compile the kernels of both
    _, compiled = _begun(case, method, everything[-1:], seed, None)
    began, clock = time.thread_time(), time.perf_counter()
    (chunk, chain), _ = _begun(case, method, everything, seed, compiled)
    spent = time.thread_time() - began
    true = pairs_within(np.bincount(case.truth))
    seconds, scores, best, since, stopped = [0.0], [Score.shares(0, 0, true)], 0.0, 0, "settled"
    while since < STALLED:
        began = time.thread_time()
        chain.run(max(1, n // 2), variant.temperature)
        spent += time.thread_time() - began
        table = contingency(method.labels(chain.state), case.truth[chunk.rows])
        pairs = pairs_within(table.shared), pairs_within(table.predicted_sizes)
        seconds.append(spent)
        scores.append(Score.shares(*pairs, true))
        since = 0 if scores[-1].f1 > best + BETTER else since + 1
        best = max(best, scores[-1].f1)
        if spent > most:
            stopped = f"after {most:g} CPU s"
            break
    wall = time.perf_counter() - clock
    return _course(case, variant, seconds, scores, chain.steps, wall, stopped)


def _begun(case: Case, method: Any, canopies: Any, seed: int, compiled: Any) -> tuple[Any, Any]:
    """A chain over some canopies at its start, and its machine code."""
    chunk = local(case.mentions, canopies, scratch(case.mentions))
    model, proposal = method.model(chunk), method.proposal(chunk)
    chain = start_chain(model, method.start(chunk), proposal, rng=seed, compiled=compiled)
    chain.compile()
    return (chunk, chain), chain.compiled


def _peak() -> float:
    """The largest resident memory of this process so far, in MB."""
    status = Path("/proc/self/status")
    if status.exists():
        # getrusage of a child includes the peak of its parent
        line = next(row for row in status.read_text().splitlines() if row.startswith("VmHWM"))
        return float(line.split()[1]) / 1024.0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


def _course(
    case: Case,
    variant: Variant,
    seconds: list[float],
    scores: list[Score],
    steps: int,
    wall: float,
    stopped: str = "settled",
) -> Course:
    return Course(
        variant.name,
        case.mentions.size,
        seconds,
        [score.precision for score in scores],
        [score.recall for score in scores],
        [score.f1 for score in scores],
        steps,
        wall,
        _peak(),
        stopped,
    )


def apart(folder: Path, name: str, known: Learned, seed: int, most: float = 300.0) -> Course:
    """The course of a method in a process of its own, on mentions saved in a folder."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        text = pool.apply(_in_child, (str(folder), name, json.dumps(asdict(known)), seed, most))
    return Course(**json.loads(text))


def _in_child(folder: str, name: str, known: str, seed: int, most: float) -> str:
    variant = next(method for method in METHODS if method.name == name)
    course = follow(load(Path(folder)), variant, Learned(**json.loads(known)), seed, most)
    return json.dumps(asdict(course))
