"""Section 5.1 and Figures 3-5 of SDDS: samplers of the entity/mention model.

N mentions of 10 tokens, drawn uniformly; alpha .001; the prior on K log-normal with scale 1 around
10 entities. Starts put every mention into one of K0 entities by chance. One iteration of SDDS,
random mixing and smart-smart is one of their proposals and one Gibbs step of one mention; one of
RGSM (5,1,1) is a proposal with five restricted scans and a Gibbs scan of all mentions (steps are
drawn in these proportions).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from partita import Partition, sample
from partita.factors import entity_mention
from partita.kernel import Floats, generators
from partita.proposals import (
    Proposal,
    gibbs_mention,
    mixture,
    random_mixing,
    restricted_gibbs,
    sdds,
    smart_smart,
)
from partita.walks import start_chain

__all__ = ["METHODS", "QUICK", "Curve", "Method", "Size", "curves", "rates", "run", "tokens"]

TOKENS, POINTS = 10, 200

RAMP = {"uniform.score": 0.0}
"""The burn-in begins without K^-N."""


@dataclass(frozen=True)
class Method:
    """A sampler: its proposal, Gibbs steps of one mention per iteration, and its burn-in."""

    name: str
    jump: Proposal
    scan: bool = False
    ramp: bool = False

    def proposal(self, n: int) -> Proposal:
        """The split-merge proposal with its Gibbs steps."""
        return mixture([self.jump, gibbs_mention()], [1.0, self.steps(n) - 1.0])

    def steps(self, n: int) -> int:
        """Steps of the walk in one iteration."""
        return n + 1 if self.scan else 2


METHODS = (
    Method("SDDS", sdds()),
    Method("SDDS, ramped burn-in", sdds(), ramp=True),
    Method("RGSM (5,1,1)", restricted_gibbs(5), scan=True),
    Method("RGSM, one Gibbs step", restricted_gibbs(5)),
    Method("random mixing", random_mixing()),
    Method("smart-smart", smart_smart()),
)


@dataclass(frozen=True)
class Size:
    """Iterations by number of mentions, starts, chains of each, and iterations that are timed."""

    iterations: tuple[tuple[int, int], ...] = ((100, 10_000), (200, 10_000), (500, 20_000))
    starts: tuple[int, ...] = (1, 5, 10, 20)
    chains: int = 3
    timed: int = 20_000
    """Where an iteration has a whole scan, a twentieth of these."""


QUICK = Size(((100, 1_000), (200, 1_000)), (1, 20), 2, 500)


@dataclass(frozen=True)
class Curve:
    """E[K] of each chain at points of its course; `burned` iterations came before the first."""

    method: Method
    n: int
    k0: int
    burned: int
    iterations: Floats
    k: Floats
    state: Any

    @property
    def second_half(self) -> Floats:
        """The posterior mean of K by each chain, from the second half of its course."""
        return self.k[:, self.k.shape[1] // 2 :].mean(1)

    @property
    def running(self) -> Floats:
        """The mean of K so far, over all chains."""
        return (np.cumsum(self.k, 1) / np.arange(1, self.k.shape[1] + 1)).mean(0)


def tokens(n: int, seed: int) -> Any:
    """The token of each mention."""
    return np.random.default_rng([seed, n]).integers(0, TOKENS, n)


def curves(
    n: int, iterations: int, starts: Sequence[int], size: Size, seed: int, rows: Sequence[Method]
) -> list[Curve]:
    """Every method from every start, for one number of mentions."""
    model, expected = entity_mention(tokens(n, seed), vocabulary=TOKENS)
    curves = []
    for method in rows:
        for k0 in starts:
            each = [np.random.default_rng([seed, n, k0, c]) for c in range(size.chains)]
            begin = [Partition.of(rng.integers(0, k0, n)) for rng in each]
            per_draw = max(1, iterations // POINTS)
            posterior = sample(
                model,
                begin,
                proposal=method.proposal(n),
                draws=POINTS,
                tune=POINTS if method.ramp else 0,
                thin=per_draw * method.steps(n),
                chains=size.chains,
                random_seed=seed + k0,
                ramp=RAMP if method.ramp else None,
                record=False,
                progressbar=False,
            )
            burned = POINTS * per_draw if method.ramp else 0
            at = burned + per_draw * np.arange(1.0, POINTS + 1)
            k = expected[posterior.traces["entities"].astype(int)]
            state = posterior.run.chains[0].state
            curves.append(Curve(method, n, k0, burned, at, k, state))
    return curves


def rates(curve: Curve, size: Size, seed: int) -> dict[str, float]:
    """Shares of split-merge proposals that split and that merge, and microseconds per iteration.

    Proposals are counted from a fresh start with K0 = 5, time where the chain has ended.
    """
    method, n = curve.method, curve.n
    model, _ = entity_mention(tokens(n, seed), vocabulary=TOKENS)
    drawn = method.proposal(n)
    rng = generators(seed, 1)[0]
    chain = start_chain(model, curve.state, drawn, rng=rng)
    iterations = max(1, size.timed // 20 if method.scan else size.timed)
    chain.run(method.steps(n) * iterations // 10)
    begin = time.thread_time()
    chain.run(method.steps(n) * iterations)
    spent = time.thread_time() - begin
    start = Partition.of(np.random.default_rng([seed, n, 5]).integers(0, 5, n))
    watched = start_chain(model, start, drawn, rng=rng, compiled=chain.compiled)
    splits = merges = 0
    for _ in range(method.steps(n) * iterations // 4):
        before, jumps = int(watched.state.live[0]), int(watched.tally[0, 1])
        watched.run(1)
        if watched.tally[0, 1] > jumps:
            change = int(watched.state.live[0]) - before
            splits, merges = splits + (change > 0), merges + (change < 0)
    proposed = max(1, int(watched.tally[0, 0]))
    return {
        "splits": splits / proposed,
        "merges": merges / proposed,
        "proposed": proposed,
        "microseconds": 1e6 * spent / iterations,
    }


def run(size: Size, seed: int, rows: Sequence[Method] = METHODS) -> list[dict[str, Any]]:
    """All curves with their rates: starts from all K0 for the most mentions, from 5 for others."""
    results = []
    last = size.iterations[-1][0]
    for n, iterations in size.iterations:
        starts = size.starts if n == last else size.starts[len(size.starts) // 2 - 1 :][:1]
        traces = curves(n, iterations, starts, size, seed, rows)
        measured = {m.name: rates(c, size, seed) for m in rows for c in traces if c.method is m}
        results += [{"curve": c, **measured[c.method.name]} for c in traces]
    return results
