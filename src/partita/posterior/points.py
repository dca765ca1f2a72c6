"""A partition that minimises expected loss, found by the engine itself.

Binder's loss counts pairs put wrongly together (cost `join`) or apart (cost 1 - join). With
p_ij = P(same), its expectation is least where sum over joined pairs of (p_ij - join) is largest:
an affinity model over the pairs ever seen together, and a cost of `join` on every pair by size.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError
from partita.estimators import exact
from partita.factors import Model, affinity, size_prior
from partita.kernel import Floats, Ints, distinct_of, generators
from partita.proposals import join_neighbour
from partita.states import Partition
from partita.walks import Settings, cooling, run_chains

__all__ = ["binder_partition", "pairs_seen", "signatures", "varying"]

MOST_PAIRS = 20_000_000
"""Distinct pairs that are weighed against each other."""

BUFFER = 4_000_000
"""Pairs gathered before they are counted."""


def pairs_seen(draws: NDArray[np.int32]) -> tuple[Ints, Floats]:
    """All pairs that some draw (rows) puts together, and how often."""
    n = draws.shape[1]
    pairs, counts = np.zeros(0, np.int64), np.zeros(0, np.int64)
    fresh: list[Ints] = []
    for k, row in enumerate(draws):
        sizes = np.bincount(row).astype(np.int64)
        _bounded(int((sizes * (sizes - 1) // 2).sum()))
        fresh.append(_joined(row, sizes, n))
        if sum(len(part) for part in fresh) > BUFFER or k + 1 == len(draws):
            pairs, counts = _merged(pairs, counts, np.concatenate(fresh))
            _bounded(pairs.size)
            fresh = []
    return np.stack([pairs // n, pairs % n], 1), counts / len(draws)


def _bounded(pairs: int) -> None:
    if pairs > MOST_PAIRS:
        raise InputError(
            f"the draws join {pairs:,} pairs, more than {MOST_PAIRS:,}; take the MAP state instead"
        )


def _merged(pairs: Ints, counts: Ints, more: Ints) -> tuple[Ints, Ints]:
    """Distinct codes and how often each was seen, with more of them."""
    ordered = np.sort(more)
    first = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])[: ordered.size])
    distinct, times = ordered[first], np.diff(first, append=ordered.size)
    if not pairs.size:
        return distinct, times
    both, place = np.unique(np.concatenate([pairs, distinct]), return_inverse=True)
    total = np.bincount(place.reshape(-1), np.concatenate([counts, times]), both.size)
    return both, total.astype(np.int64)


def _joined(row: NDArray[np.int32], sizes: Ints, n: int) -> Ints:
    """Codes i * n + j, i < j, of the pairs in one entity of a draw."""
    order = np.argsort(row, kind="stable").astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(sizes)])[:-1]
    found = []
    for size in distinct_of(sizes[sizes > 1]):
        members = order[starts[sizes == size][:, None] + np.arange(size)]
        a, b = np.triu_indices(size, 1)
        found.append((members[:, a] * n + members[:, b]).reshape(-1))
    return np.concatenate(found) if found else np.zeros(0, np.int64)


def binder_partition(draws: NDArray[np.int32], join: float = 0.5, seed: int = 0) -> Partition:
    """The partition of least expected Binder loss over the draws (rows)."""
    if not 0 < join < 1:
        raise InputError(f"the cost of joining is {join}; give a number between 0 and 1")
    some = varying(draws)
    labels = draws[0].astype(np.int64)
    if some.size:
        # an entity that is in every draw is certainly right, and says nothing of the others
        labels[some] = labels.max() + 1 + _least_loss(draws[:, some], join, seed).entity
    return Partition.of(labels)


def varying(draws: NDArray[np.int32]) -> Ints:
    """The mentions whose entity is not the same set in every draw."""
    own, changed = signatures(draws[0]), np.zeros(draws.shape[1], bool)
    for row in draws[1:]:
        changed |= signatures(row) != own
    return np.flatnonzero(changed)


def signatures(row: NDArray[np.integer[Any]]) -> Floats:
    """A number for the entity of each mention, equal for equal sets: the sum of random numbers.

    Sums run in the order of mentions, so that equal sets have exactly equal sums.
    """
    number = np.asarray(generators(0, 1)[0].random(row.size))
    return np.asarray(np.bincount(row, number), float)[row]


def _least_loss(draws: NDArray[np.int32], join: float, seed: int) -> Partition:
    n = draws.shape[1]
    pairs, p = pairs_seen(draws)
    if not len(pairs):
        return Partition.singletons(n)
    sizes = np.arange(n + 1, dtype=float)
    model = Model(affinity(pairs, p, n), size_prior(-join * sizes * (sizes - 1) / 2))
    settings = Settings(
        mode="map",
        draws=50,
        chains=1,
        seed=seed,
        temperature=cooling(0.2, 0.002),
        steps=max(2000, 40 * n),
        progressbar=False,
    )
    start = _best_draw(draws, pairs, p, join)
    run = run_chains(model, Partition.of(start), join_neighbour(pairs, n), exact(), settings)
    return Partition.of(run.chains[0].best)


def _best_draw(draws: NDArray[np.int32], pairs: Ints, p: Floats, join: float) -> NDArray[np.int32]:
    """The draw of least expected loss."""
    scores = [float((p - join)[row[pairs[:, 0]] == row[pairs[:, 1]]].sum()) for row in draws]
    return np.asarray(draws[int(np.argmax(scores))])
