"""`python -m benchmarks.mixture`: Gaussian clusters against scikit-learn, in one run.

Measures the time until the held-out log-likelihood equals that of scikit-learn's
BayesianGaussianMixture at its convergence, or after five times the CPU seconds that ours took until
its score settled. Ours is one chain from one cluster; theirs starts by k-means with three times as
many components as there are. Both get the same rows; the time to score the held-out rows and to
compile does not count. Ours scores by its present partition, without an average.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import logsumexp

from benchmarks.measure import Stopwatch, machine
from partita import Model, Partition
from partita.factors import conjugate, ewens, gaussian
from partita.kernel import Floats
from partita.mixtures.dirichlet_mixture import split_merge_and_gibbs
from partita.mixtures.predictive import log_densities, predictive
from partita.walks import start_chain

__all__ = ["Plan", "compare", "draw", "main"]

LONGER = 5.0
"""How many times as long as ours scikit-learn may take."""
CLOSE = 0.001
"""Nats per row within which two held-out log-likelihoods are called the same."""


@dataclass(frozen=True)
class Plan:
    """Rows, held-out rows, columns and components; and how long ours may take, in CPU seconds."""

    rows: int = 100_000
    held_out: int = 20_000
    columns: int = 5
    components: int = 10
    budget: float = 60.0


QUICK = Plan(2_000, 1_000, 2, 3, 5.0)


@dataclass(frozen=True)
class Course:
    """Held-out log-likelihood per row by CPU and wall seconds, and components in use at the end."""

    cpu: list[float]
    wall: list[float]
    score: list[float]
    components: int

    def reached(self, score: float) -> dict[str, float] | None:
        """When the score was first within reach."""
        for cpu, wall, own in zip(self.cpu, self.wall, self.score, strict=True):
            if own >= score - CLOSE:
                return {"cpu_seconds": round(cpu, 3), "wall_seconds": round(wall, 3)}
        return None


def draw(plan: Plan, seed: int) -> tuple[Floats, Floats, float]:
    """Rows, held-out rows, and the log-likelihood per row that the truth gives to the latter."""
    rng = np.random.default_rng(seed)
    d, k = plan.columns, plan.components
    weight = rng.dirichlet(np.full(k, 5.0))
    mean = 4.0 * rng.normal(size=(k, d))
    turned, _ = np.linalg.qr(rng.normal(size=(k, d, d)))
    root = turned * rng.uniform(0.4, 1.6, size=(k, 1, d))
    kind = rng.choice(k, plan.rows + plan.held_out, p=weight)
    noise = rng.normal(size=(kind.size, d))
    x = mean[kind] + np.einsum("nij,nj->ni", root[kind], noise)
    test = x[plan.rows :]
    parts = []
    for c in range(k):
        solved = np.linalg.solve(root[c], (test - mean[c]).T)
        _, log_det = np.linalg.slogdet(root[c])
        density = -0.5 * (solved**2).sum(0) - log_det - 0.5 * d * np.log(2 * np.pi)
        parts.append(density + np.log(weight[c]))
    return x[: plan.rows], test, float(logsumexp(parts, axis=0).mean())


def ours(train: Floats, test: Floats, plan: Plan, seed: int) -> Course:
    """One chain from one cluster, looked at twenty times a Gibbs scan at first, then less often."""
    n = len(train)
    prior = {"mean": train.mean(0), "scale": 0.1 * train.var(0)}
    model = Model(conjugate(gaussian(train, **prior)), ewens(1.0))
    both = gaussian(np.concatenate([train, test]), **prior)
    fill, proposal = predictive(both), split_merge_and_gibbs(n)
    chain = start_chain(model, Partition.one_entity(n), proposal, rng=seed)
    chain.compile()
    course = Course([], [], [], 0)
    spent, passed, steps = 0.0, 0.0, max(1, n // 20)
    while spent < plan.budget and not _settled(course.score):
        cpu, wall = time.process_time(), time.perf_counter()
        chain.run(steps)
        spent, passed = spent + time.process_time() - cpu, passed + time.perf_counter() - wall
        _, labels = np.unique(chain.state.entity, return_inverse=True)
        sizes = np.append(np.bincount(labels), 1.0)
        density = log_densities(both, fill, labels.astype(np.int64))
        score = logsumexp(density + np.log(sizes / (n + 1.0)), axis=1).mean()
        _note(course, spent, passed, float(score))
        steps = min(n, int(1.2 * steps))
    return Course(course.cpu, course.wall, course.score, int(chain.state.live[0]))


def _settled(score: list[float]) -> bool:
    """Whether the last thirty scores agree."""
    return len(score) > 60 and max(score[-30:]) - min(score[-30:]) < CLOSE / 4


def theirs(train: Floats, test: Floats, plan: Plan, budget: float, seed: int) -> Course:
    """Variational iterations one by one, after k-means, until it reports convergence."""
    from sklearn.mixture import BayesianGaussianMixture

    course = Course([], [], [], 0)
    model = BayesianGaussianMixture(
        n_components=3 * plan.components, max_iter=1, warm_start=True, random_state=seed
    )
    spent, passed = 0.0, 0.0
    for cpu, wall in _iterations(model, train):
        spent, passed = spent + cpu, passed + wall
        _note(course, spent, passed, float(model.score(test)))
        if model.converged_ or spent >= budget:
            break
    used = int((model.weights_ > 1.0 / len(train)).sum())
    return Course(course.cpu, course.wall, course.score, used)


def _iterations(model: Any, train: Floats) -> Iterator[tuple[float, float]]:
    """CPU and wall seconds of one iteration after the other."""
    while True:
        cpu, wall = time.process_time(), time.perf_counter()
        with warnings.catch_warnings():
            # each call is one iteration, which it calls a failure to converge
            warnings.simplefilter("ignore")
            model.fit(train)
        yield time.process_time() - cpu, time.perf_counter() - wall


def _note(course: Course, cpu: float, wall: float, score: float) -> None:
    course.cpu.append(cpu)
    course.wall.append(wall)
    course.score.append(score)


def compare(plan: Plan, seed: int) -> dict[str, Any]:
    """Both on the same rows: when each is at scikit-learn's end, and at ours."""
    train, test, truth = draw(plan, seed)
    mine = ours(train, test, plan, seed)
    other = theirs(train, test, plan, LONGER * mine.cpu[-1], seed)
    figures: dict[str, Any] = {"rows": plan.rows, "columns": plan.columns, "seed": seed}
    figures |= {"components": plan.components, "truth": truth}
    for name, course in (("partita", mine), ("scikit_learn", other)):
        figures[name] = {
            "held_out": course.score[-1],
            "components": course.components,
            "cpu_seconds": round(course.cpu[-1], 2),
            "to_theirs": course.reached(other.score[-1]),
            "to_ours": course.reached(mine.score[-1]),
        }
    return figures


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the comparison and print it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mixture", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON line")
    parser.add_argument("--quick", action="store_true", help="2,000 rows: seconds")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    clock = Stopwatch()
    figures = compare(QUICK if options.quick else Plan(), options.seed)
    figures |= {"machine": machine(), **clock.facts()}
    if options.json:
        print(json.dumps(figures))
        return 0
    print(f"held-out log-likelihood per row; the truth's is {figures['truth']:.4f}")
    for name in ("partita", "scikit_learn"):
        row = figures[name]
        print(f"{name:13} {row['held_out']:.4f} with {row['components']} components; ", end="")
        print(f"as good as scikit-learn's end after {row['to_theirs']}, as ours {row['to_ours']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
