"""Point estimates: a partition that minimises expected loss, found by the engine itself.

Binder's loss counts pairs wrongly merged (cost `join`) or split (cost 1 - join). With
p_ij = P(same), its expectation is smallest where the sum over merged pairs of (p_ij - join) is
largest: an affinity model over the pairs that any draw merges, and a cost of `join` per pair by
size.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError
from partita.estimators import exact
from partita.factors import Model, affinity, size_prior
from partita.kernel import Floats, Ints, entry, generators, runs_of
from partita.proposals import join_neighbour
from partita.states import Partition
from partita.states.partition import canonical
from partita.walks import Settings, cooling, run_chains

__all__ = ["binder_partition", "count_pairs", "find_varying", "remove_unsupported", "signatures"]

MAX_PAIRS = 20_000_000
"""Limit on distinct pairs of the affinity model; 20 million use about 1 GB."""

ROUNDING = 1e-9
"""Numerical error of a sum of probabilities."""

PAIRS_PER_BUFFER = 4_000_000
"""Pairs gathered before they are counted; 32 MB."""


def count_pairs(draws: NDArray[np.int32]) -> tuple[Ints, Floats]:
    """Count how many draws (rows) merge each pair.

    An entity that is the same set in many draws is counted once. Sets are compared by sums of
    random numbers, as in `signatures`.
    """
    n = draws.shape[1]
    pairs, counts = np.zeros(0, np.int64), np.zeros(0, np.int64)
    fresh: list[tuple[Ints, Ints]] = []
    buffered = 0
    for k, (row, times) in enumerate(zip(draws, _count_sets(draws), strict=True)):
        sizes = np.bincount(row).astype(np.int64)
        _bounded(int((sizes * (sizes - 1) // 2).sum()))
        fresh.append(_joined(row, times, n))
        buffered += len(fresh[-1][0])
        if buffered > PAIRS_PER_BUFFER or k + 1 == len(draws):
            pairs, counts = _merge_counts([(pairs, counts), *fresh])
            _bounded(pairs.size)
            fresh, buffered = [], 0
    return np.stack([pairs // n, pairs % n], 1), counts / len(draws)


def _bounded(pairs: int) -> None:
    if pairs > MAX_PAIRS:
        raise InputError(
            f"the draws join {pairs:,} pairs, more than {MAX_PAIRS:,}; take the MAP state instead"
        )


def _count_sets(draws: NDArray[np.int32]) -> list[Ints]:
    """For each draw, by label: number of draws with the same set, 0 if an earlier draw has it."""
    number = _numbers(draws.shape[1])
    labels = [np.flatnonzero(np.bincount(row) > 1) for row in draws]
    sums = [np.bincount(row, number)[kept] for row, kept in zip(draws, labels, strict=True)]
    keys, first = np.concatenate(sums), np.cumsum([0, *map(len, sums)])
    _, place, many = np.unique(keys, return_index=True, return_counts=True)
    count = np.zeros(keys.size, np.int64)
    count[place] = many
    times = []
    for k, (row, kept) in enumerate(zip(draws, labels, strict=True)):
        times.append(np.zeros(int(row.max()) + 1, np.int64))
        times[k][kept] = count[first[k] : first[k + 1]]
    return times


def _merge_counts(parts: list[tuple[Ints, Ints]]) -> tuple[Ints, Ints]:
    """Return distinct codes in order, and the sum of their counts."""
    codes, counts = (np.concatenate(part) for part in zip(*parts, strict=True))
    order = np.argsort(codes, kind="stable")
    codes, counts = codes[order], counts[order]
    first = runs_of(codes)
    return codes[first], np.add.reduceat(counts, first) if first.size else counts


def _joined(row: NDArray[np.int32], times: Ints, n: int) -> tuple[Ints, Ints]:
    """Return codes i * n + j, i < j, of the pairs in counted entities, and their counts."""
    sizes = np.bincount(row[times[row] > 0], minlength=times.size)
    total = int((sizes * (sizes - 1) // 2).sum())
    codes, counts = np.empty(total, np.int64), np.empty(total, np.int64)
    _list_pairs(row, times, np.full(times.size, -1), np.empty(n, np.int64), codes, counts)
    return codes, counts


@entry
def _list_pairs(
    row: NDArray[np.int32], times: Ints, last: Ints, before: Ints, codes: Ints, counts: Ints
) -> None:
    """Pair each mention with the earlier mentions of its entity, by a linked list."""
    many, n = 0, row.size
    for j in range(n):
        label = row[j]
        if times[label] == 0:
            continue
        i = last[label]
        while i >= 0:
            codes[many] = i * n + j
            counts[many] = times[label]
            many += 1
            i = before[i]
        before[j] = last[label]
        last[label] = j


def binder_partition(draws: NDArray[np.int32], join: float = 0.5, seed: int = 0) -> Partition:
    """Find the partition of least expected Binder loss over the draws (rows)."""
    if not 0 < join < 1:
        raise InputError(f"the cost of joining is {join}; give a number between 0 and 1")
    uncertain = find_varying(draws)
    labels = draws[0].astype(np.int64)
    if uncertain.size:
        # an entity that is in every draw is certain, and does not affect the others
        part = np.stack([canonical(row[uncertain]) for row in draws]).astype(np.int32)
        labels[uncertain] = labels.max() + 1 + _least_loss(part, join, seed).entity
    return Partition.of(labels)


def find_varying(draws: NDArray[np.int32]) -> Ints:
    """Return the mentions whose entity is not the same set in every draw."""
    own, changed = signatures(draws[0]), np.zeros(draws.shape[1], bool)
    for row in draws[1:]:
        changed |= signatures(row) != own
    return np.flatnonzero(changed)


def signatures(row: NDArray[np.integer[Any]]) -> Floats:
    """Return a number for each mention's entity, equal for equal sets: a sum of random numbers.

    Sums follow the order of mentions, so equal sets have exactly equal sums.
    """
    return np.asarray(np.bincount(row, _numbers(row.size)), float)[row]


def _numbers(n: int) -> Floats:
    """Draw a random number for each mention."""
    return np.asarray(generators(0, 1)[0].random(n))


def _least_loss(draws: NDArray[np.int32], join: float, seed: int) -> Partition:
    n = draws.shape[1]
    pairs, p = count_pairs(draws)
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
    best = Partition.of(run.chains[0].best)
    return Partition.of(remove_unsupported(best.entity, pairs, p, join))


def remove_unsupported(labels: Ints, pairs: Ints, p: Floats, join: float) -> Ints:
    """Make records singletons while their mean P(same) in their entity is below `join`.

    `p` are the probabilities of pairs; other pairs have probability 0. The search that minimises
    the loss ends near a minimum, where single records can remain that the draws do not support.
    The least supported record of each entity leaves first.
    """
    labels = np.asarray(labels, np.int64).copy()
    left, right = pairs[:, 0], pairs[:, 1]
    while True:
        inside = labels[left] == labels[right]
        support = np.zeros(labels.size)
        support += np.bincount(left[inside], p[inside], minlength=labels.size)
        support += np.bincount(right[inside], p[inside], minlength=labels.size)
        support -= join * (np.bincount(labels)[labels] - 1)
        weak = np.flatnonzero(support < -ROUNDING)
        if not weak.size:
            return labels
        order = weak[np.lexsort((support[weak], labels[weak]))]
        leaving = order[runs_of(labels[order])]
        labels[leaving] = labels.max() + 1 + np.arange(leaving.size)


def _best_draw(draws: NDArray[np.int32], pairs: Ints, p: Floats, join: float) -> NDArray[np.int32]:
    """Return the draw of least expected loss."""
    scores = [float((p - join)[row[pairs[:, 0]] == row[pairs[:, 1]]].sum()) for row in draws]
    return np.asarray(draws[int(np.argmax(scores))])
