"""Rounds of distributed inference with sub- and super-entities (XDOC 3 and 4).

A round gives every worker some entities, with all their mentions. A worker first groups the
mentions of each of its entities to sub-entities, then moves mentions and sub-entities between its
entities. When all are done, entities are grouped to super-entities, by which the next round gives
them out and within which half of the proposals stay. Each level has the model of section 2.1 and
a bias of its own; two levels are fixed while the third is sampled.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from scipy import sparse

from papers.xdoc.data import Mentions
from partita.factors import Model, Template, agreement
from partita.kernel import Ints
from partita.proposals import Proposal, canopies_of, mixture, move_block, one_canopy, pair_move
from partita.states import Partition
from partita.states.checks import fits
from partita.states.partition import canonical
from partita.walks import cooling, start_chain

__all__ = ["KINDS", "Point", "Setting", "run"]

KINDS = {
    "flat": (False, False),
    "sub-entities": (True, False),
    "super-entities": (False, True),
    "combined": (True, True),
}
"""Whether a model has sub-entities, and whether it has super-entities."""


@dataclass(frozen=True)
class Setting:
    """Settings of a run; biases and temperatures in units of the mean similarity of all pairs."""

    kind: str = "flat"
    workers: int = 1
    bias: float = 1.0
    sub: float = 2.0
    """Bias of sub-entities, as a multiple of that of entities."""
    above: float = 0.5
    """Bias of super-entities, as a multiple of that of entities."""
    rounds: int = 20
    proposals: int = 40
    """Proposals per mention and round, all levels together."""
    hot: float = 1.0
    cold: float = 0.02
    seed: int = 0


@dataclass(frozen=True)
class Point:
    """The state of a run after a round."""

    labels: Ints
    seconds: float
    """CPU seconds of all workers so far."""
    elapsed: float
    """CPU seconds so far of the slowest worker of each round, and of the serial part."""


def template_of(rows: sparse.csr_array, base: Template | None = None) -> Template:
    """Cosines of contexts, and a constant for every pair; with the kernels of another, if given."""
    template = agreement(
        {"pair": np.zeros(rows.shape[0], np.int64)}, {"context": rows}, storage="sparse"
    )
    if base is None:
        return template
    return replace(base, table=template.table, check=fits(base.name, rows.shape[0]))


COMPILED: dict[str, Any] = {}
"""Each kind of walk, compiled once: runs differ in the tables of templates and proposals."""


@cache
def base_template() -> Template:
    """The template whose kernels all walks have."""
    return template_of(sparse.csr_array(np.ones((1, 1))))


@dataclass(frozen=True)
class Walker:
    """Runs walks on parts of the mentions; `mean` is the unit of biases and temperatures."""

    mean: float

    def walk(
        self,
        kind: str,
        rows: sparse.csr_array,
        labels: Ints,
        proposal: Proposal,
        bias: float,
        steps: int,
        temperature: float,
        rng: np.random.Generator,
    ) -> Ints:
        """The labels after `steps` steps."""
        model = Model(template_of(rows, base_template()))
        model.set_weights({"agreement.pair:match": -bias * self.mean, "agreement.context:dot": 1.0})
        start = Partition.of(labels)
        chain = start_chain(model, start, proposal, rng=rng, compiled=COMPILED.get(kind))
        COMPILED[kind] = chain.compiled
        chain.run(steps, temperature * self.mean)
        return chain.state.entity.copy()


def mean_similarity(rows: sparse.csr_array) -> float:
    """The mean over all pairs, from the sum of all rows."""
    n = rows.shape[0]
    total = np.asarray(rows.sum(0)).reshape(-1)
    return float((total @ total - rows.multiply(rows).sum()) / max(1, n * (n - 1)))


def shared_out(groups: Ints, workers: int, rng: np.random.Generator) -> Ints:
    """A worker for every mention: whole groups, in random order, to the one with the least."""
    sizes = np.bincount(groups)
    load, chosen = np.zeros(workers), np.zeros(sizes.size, np.int64)
    for group in rng.permutation(sizes.size):
        chosen[group] = int(np.argmin(load))
        load[chosen[group]] += sizes[group]
    return chosen[groups]


def summed(rows: sparse.csr_array, labels: Ints) -> sparse.csr_array:
    """The contexts of entities: those of their mentions together, of unit length."""
    n = rows.shape[0]
    shape = (int(labels.max()) + 1, n)
    joined = sparse.csr_array((np.ones(n), (labels, np.arange(n))), shape=shape) @ rows
    length = np.sqrt(np.asarray(joined.multiply(joined).sum(1)).reshape(-1))
    scale = sparse.dia_array((1.0 / np.maximum(length, 1e-12), 0), shape=(shape[0], shape[0]))
    return sparse.csr_array(scale @ joined)


class Rounds:
    """A run over all mentions of a set."""

    def __init__(self, mentions: Mentions, setting: Setting) -> None:
        self.rows, self.setting = mentions.rows, setting
        self.below, self.above = KINDS[setting.kind]
        self.walker = Walker(mean_similarity(self.rows))
        n = self.rows.shape[0]
        self.labels, self.subs, self.supers = np.arange(n), np.arange(n), np.arange(n)
        self.seeds = np.random.SeedSequence(setting.seed)

    def rng(self) -> np.random.Generator:
        """A fresh generator, the next of the run's own sequence."""
        return np.random.default_rng(self.seeds.spawn(1)[0])

    def work(
        self, mine: Ints, temperature: float, rng: np.random.Generator
    ) -> tuple[Ints, Ints, float]:
        """The task of one worker on its mentions: their new entities and sub-entities."""
        began, setting, rows = time.thread_time(), self.setting, self.rows[mine]
        labels, subs = canonical(self.labels[mine]), canonical(self.subs[mine])
        steps = setting.proposals * mine.size
        if self.below:
            within = canonical(labels * (subs.max() + 1) + subs)
            bias, share = setting.bias * setting.sub, steps // 4
            inner = pair_move(canopies_of(labels))
            subs = self.walker.walk("sub", rows, within, inner, bias, share, temperature, rng)
            steps -= share
        moves = [pair_move(one_canopy(mine.size))]
        near = canopies_of(canonical(self.supers[mine]))
        if self.above:
            moves.append(pair_move(near))
        if self.below:
            moves.append(move_block(near if self.above else one_canopy(mine.size), subs))
        kind = f"entity {len(moves)} {self.below}"
        proposal = mixture(moves) if len(moves) > 1 else moves[0]
        labels = self.walker.walk(
            kind, rows, labels, proposal, setting.bias, steps, temperature, rng
        )
        return labels, subs, time.thread_time() - began

    def group_entities(self, temperature: float) -> float:
        """Sample super-entities, from the entities as they are."""
        began, setting = time.thread_time(), self.setting
        contexts = summed(self.rows, self.labels)
        most = contexts.shape[0]
        groups = np.zeros(most, np.int64)
        groups[self.labels] = self.supers
        groups = self.walker.walk(
            "super",
            contexts,
            groups,
            pair_move(one_canopy(most)),
            setting.bias * setting.above,
            setting.proposals * most // 4,
            temperature,
            self.rng(),
        )
        self.supers = canonical(groups[self.labels])
        return time.thread_time() - began

    def round(self, temperature: float) -> tuple[float, float]:
        """One round; CPU seconds of all, and of the slowest path."""
        workers, rng = self.setting.workers, self.rng()
        part = shared_out(self.supers if self.above else self.labels, workers, rng)
        shares = [np.flatnonzero(part == w) for w in range(workers)]
        shares = [mine for mine in shares if mine.size > 1]
        sources = [self.rng() for _ in shares]
        with ThreadPoolExecutor(workers) as pool:
            jobs = [
                pool.submit(self.work, mine, temperature, source)
                for mine, source in zip(shares, sources, strict=True)
            ]
            results = [job.result() for job in jobs]
        n = self.labels.size
        for number, (mine, (labels, subs, _)) in enumerate(zip(shares, results, strict=True)):
            self.labels[mine] = labels + number * n
            self.subs[mine] = subs + number * n
        self.labels, self.subs = canonical(self.labels), canonical(self.subs)
        spent = [seconds for _, _, seconds in results]
        # an entity may be new: it begins in the super-entity of its first mention
        alone = 0.0
        if self.above:
            self.supers = canonical(first_of(self.supers, self.labels))
            alone = self.group_entities(temperature)
        return sum(spent) + alone, max(spent) + alone


def first_of(values: Ints, labels: Ints) -> Ints:
    """For each mention, the value at the first mention of its entity."""
    first = np.unique(labels, return_index=True)[1]
    return values[first][labels]


def run(
    mentions: Mentions, setting: Setting, watch: Callable[[Point], None] | None = None
) -> list[Point]:
    """All rounds from singletons, cooling from the first to the last."""
    rounds = Rounds(mentions, setting)
    plan = cooling(setting.hot, setting.cold)
    points: list[Point] = []
    seconds = elapsed = 0.0
    for k in range(setting.rounds):
        spent, slowest = rounds.round(plan(k / max(1, setting.rounds - 1)))
        seconds, elapsed = seconds + spent, elapsed + slowest
        points.append(Point(rounds.labels.copy(), seconds, elapsed))
        if watch is not None:
            watch(points[-1])
    return points
