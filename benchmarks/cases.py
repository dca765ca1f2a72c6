"""The cases that the walk is measured on, each with its hand-fused twin."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks import fused, fused_aggregated
from partita import Labels, Model, Partition
from partita.estimators import exact
from partita.factors import agreement, entity_cost, pairwise, similarity, unary
from partita.kernel import Floats, Ints, Rng, dump
from partita.learning import build_training_spec, pair_accuracy, perceptron
from partita.proposals import Proposal, flip, one_canopy, pair_move
from partita.states import SPACES
from partita.walks import TrainingSpec, start_chain
from partita.walks.chain import Chain, roomier
from partita.walks.walk import STATE, Compiled, compile_chain

__all__ = ["CASES", "Case", "agreeing", "close", "ended_alike"]

RATE = 1.0
"""Step of the perceptron."""


@dataclass(frozen=True)
class Case:
    """A model with a proposal and a start.

    `twin(chain, steps, temperature)` walks on the arrays of a chain by hand-fused code, and
    returns the change of the score and how many moves were accepted.
    """

    name: str
    about: str
    model: Model
    proposal: Proposal
    start: Any
    twin: Callable[[Chain, int, float], tuple[float, int]]
    training_spec: TrainingSpec | None = None

    def compile(self) -> Compiled:
        """The composed walk."""
        return compile_chain(self.model, self.proposal, exact(), self.training_spec)

    def chain(self, compiled: Compiled, seed: int, start: Any = None) -> Chain:
        """A chain with arrays of its own, and pools of the size that a twin needs."""
        rng = np.random.Generator(np.random.PCG64DXSM(seed))
        begin = self.start if start is None else start
        shared = {"compiled": compiled, "training_spec": self.training_spec}
        chain = start_chain(self.model, begin, self.proposal, rng=rng, **shared)
        growing = [k for k, t in enumerate(self.model.templates) if t.cache.grow is not None]
        for where in (STATE, STATE, *growing):
            chain.state, chain.context = roomier(self.model, chain.state, chain.context, where)
        return chain


# ---- data


def close(x: Floats, i: int, j: int) -> float:
    """A user's similarity of two mentions: high when they are near."""
    distance = 0.0
    for k in range(x.shape[1]):
        gap = x[i, k] - x[j, k]
        distance += gap * gap
    return max(3.0 - distance, -3.0)


def _clusters(n: int, entities: int) -> tuple[Ints, Floats]:
    """True entities of n mentions and a noisy point for each mention."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, entities, n)
    centres = rng.normal(size=(entities, 4)) * 6.0
    return truth, centres[truth] + 0.3 * rng.normal(size=(n, 4))


def _noisy(rng: Rng, truth: Ints, values: int, wrong: float, missing: float) -> Ints:
    """A column that follows the true entity, with errors and gaps."""
    column = (truth * 7919) % values
    astray = rng.random(truth.size) < wrong
    column[astray] = rng.integers(0, values, int(astray.sum()))
    column[rng.random(truth.size) < missing] = -1
    return column


def _tokens(rng: Rng, truth: Ints, words: int, each: int) -> sparse.csr_array:
    """A bag of words for each mention, half of them shared by its true entity."""
    shared = (truth[:, None] * 31 + np.arange(each)) % words
    free = rng.integers(0, words, shared.shape)
    chosen = np.where(rng.random(shared.shape) < 0.5, shared, free)
    rows = np.repeat(np.arange(truth.size), each)
    values = np.full(rows.size, 1.0 / np.sqrt(each))
    bag = sparse.coo_array((values, (rows, chosen.ravel())), shape=(truth.size, words))
    return sparse.csr_array(bag)


def agreeing(truth: Ints, storage: str, keys: int = 300) -> Any:
    """The agreement template on three columns and a bag that follow true entities."""
    rng = np.random.default_rng(1)
    columns = {
        "surname": _noisy(rng, truth, keys, 0.05, 0.02),
        "town": _noisy(rng, truth, keys // 4 + 2, 0.1, 0.1),
        "year": _noisy(rng, truth, keys // 6 + 2, 0.1, 0.2),
    }
    bags = {"words": _tokens(rng, truth, keys, 4)}
    return agreement(columns, bags, match=1.0, mismatch=-0.8, dot=2.0, storage=storage)


# ---- cases


def labels(n: int = 2000) -> Case:
    """A linear chain with unary and pairwise weights shared by all variables."""
    rng = np.random.default_rng(0)
    count, words = 5, 100
    truth = rng.integers(0, count, n)
    codes = (truth * 20 + rng.integers(0, 60, n)) % words
    observed = sparse.csr_array((np.ones(n), (np.arange(n), codes)), shape=(n, words))
    edges = np.stack([np.arange(n - 1), np.arange(1, n)], 1)
    model = Model(
        unary(observed, count, weights=rng.normal(size=(count, words))),
        pairwise(edges, count, weights=rng.normal(size=(count, count))),
    )

    def twin(chain: Chain, steps: int, temperature: float) -> tuple[float, int]:
        return fused.labels(
            chain.rng, *chain.state, *chain.context.tables, chain.weights, temperature, steps
        )

    about = f"{n:,} variables in a chain, {count} labels, unary + pairwise, flip"
    return Case("labels", about, model, flip(), Labels.of(truth, count), twin)


def partition(n: int = 2000) -> Case:
    """Lazy pairwise factors by a user's function."""
    truth, x = _clusters(n, max(n // 10, 2))
    model = Model(similarity(close, x, n), entity_cost(1.0))

    def twin(chain: Chain, steps: int, temperature: float) -> tuple[float, int]:
        return fused.partition(
            chain.rng, chain.state, chain.proposal_table, x, chain.weights, temperature, steps
        )

    about = f"{n:,} mentions, similarity by a user's function + entity_cost, pair_move"
    start = Partition.of(truth)
    return Case("partition", about, model, pair_move(one_canopy(n)), start, twin)


def _aggregated(name: str, storage: str, twin: Any, n: int) -> Case:
    truth, _ = _clusters(n, max(n // 10, 2))
    model = Model(agreeing(truth, storage), entity_cost(1.0))

    def run(chain: Chain, steps: int, temperature: float) -> tuple[float, int]:
        table = chain.context.tables[0]
        return twin(
            chain.rng, chain.state, chain.proposal_table, table, chain.weights, temperature, steps
        )

    about = (
        f"{n:,} mentions, agreement (3 columns + 1 bag, {storage} sums) + entity_cost, pair_move"
    )
    return Case(name, about, model, pair_move(one_canopy(n)), Partition.of(truth), run)


def partition_aggregated(n: int = 2000) -> Case:
    """Aggregated factors over dense sums."""
    return _aggregated("partition_aggregated", "dense", fused_aggregated.aggregated_dense, n)


def partition_aggregated_sparse(n: int = 2000) -> Case:
    """Aggregated factors over hashed sums."""
    return _aggregated(
        "partition_aggregated_sparse", "sparse", fused_aggregated.aggregated_sparse, n
    )


def partition_perceptron(n: int = 2000) -> Case:
    """The partition case with weights learned on the way."""
    truth, x = _clusters(n, max(n // 10, 2))
    model = Model(similarity(close, x, n), entity_cost(1.0))
    training_spec = build_training_spec(perceptron(RATE), pair_accuracy(truth))

    def twin(chain: Chain, steps: int, temperature: float) -> tuple[float, int]:
        right = chain.learner_state.truth.label
        return fused.partition_perceptron(
            chain.rng,
            chain.state,
            chain.proposal_table,
            x,
            chain.weights,
            right,
            RATE,
            temperature,
            steps,
        )

    about = f"{n:,} mentions, as partition, SampleRank perceptron with pair_accuracy"
    proposal, start = pair_move(one_canopy(n)), Partition.of(truth)
    return Case("partition_perceptron", about, model, proposal, start, twin, training_spec)


CASES: dict[str, Callable[..., Case]] = {
    "labels": labels,
    "partition": partition,
    "partition_aggregated": partition_aggregated,
    "partition_aggregated_sparse": partition_aggregated_sparse,
    "partition_perceptron": partition_perceptron,
}


UNWRITTEN = ("members", "cells", "trail")
"""Arrays with cells that were cut and never written, and the notes that only `undo` reads."""


def ended_alike(a: Chain, b: Chain) -> bool:
    """Whether two chains have the same state, with the same sums, weights and generator."""
    for chain in (a, b):
        SPACES[chain.model.state].check(chain.state)
    ours, theirs = dump((a.state, a.context.tables)), dump((b.state, b.context.tables))
    same = all(
        np.array_equal(array, theirs[name])
        for name, array in ours.items()
        if name.rpartition(".")[2] not in UNWRITTEN
    )
    drawn = a.rng.bit_generator.state == b.rng.bit_generator.state
    return bool(same and drawn and np.array_equal(a.weights, b.weights))
