"""The pairwise model as in the paper: every factor is computed when a move touches it.

The score of two mentions is that of `aggregated_pairwise`, so both have the same optimum; a move
of one mention costs the members of both entities.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from partita.factors import Model, entity_cost, similarity
from partita.kernel import Floats, Ints
from partita.proposals import Proposal, pair_move
from partita.scale import Chunk, Method, Vocabulary
from partita.scale.methods import cosines
from partita.states.checks import fits

__all__ = ["lazy_pairwise", "paper_moves"]


class Rows(NamedTuple):
    """Mentions, and the weights of the score: a constant, both present by column, each match."""

    start: Ints
    key: Ints
    value: Floats
    group: Ints
    own: Floats
    constant: Floats
    present: Floats
    shared: Floats


def score(data: Rows, i: int, j: int) -> float:
    """The score of a pair: match, mismatch and missing of columns, and dot products of bags."""
    total = data.constant[0]
    for g in range(data.present.size):
        total += data.present[g] * data.own[i, g] * data.own[j, g]
    a, b = data.start[i], data.start[j]
    last_a, last_b = data.start[i + 1], data.start[j + 1]
    while a < last_a and b < last_b:
        x, y = data.key[a], data.key[b]
        if x == y:
            total += data.shared[data.group[x]] * data.value[a] * data.value[b]
        if x <= y:
            a += 1
        if y <= x:
            b += 1
    return total


def paper_moves(chunk: Chunk) -> Proposal:
    """Two random mentions of a canopy: the first joins the second or leaves it (HCOREF 2.2)."""
    return pair_move(chunk.canopies)


def lazy_pairwise(words: Vocabulary, weights: Mapping[str, float], cost: float) -> Method:
    """Pairwise factors computed while the chain runs."""
    columns, bags = words.names[: words.columns], words.names[words.columns :]
    missing = np.array([weights[f"{name}:missing"] for name in columns])
    mismatch = np.array([weights[f"{name}:mismatch"] for name in columns])
    match = np.array([weights[f"{name}:match"] for name in columns])
    shared = np.concatenate([match - mismatch, [weights[f"{name}:dot"] for name in bags]])
    constant, idf = np.array([missing.sum()]), words.idf()
    base: list[Any] = []

    def model(chunk: Chunk) -> Model:
        value = np.empty(chunk.key.size)
        cosines(chunk, idf, words.columns, value)
        rows = Rows(
            *(chunk.start, chunk.key, value, chunk.group),
            *(chunk.own, constant, mismatch - missing, shared),
        )
        if not base:
            base.append(similarity(score, rows, chunk.size))
        own = replace(base[0], table=rows, check=fits("similarity", chunk.size))
        return Model(own, entity_cost(cost))

    return Method("lazy pairwise", model, paper_moves)
