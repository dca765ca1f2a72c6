"""Methods of the search at scale: the model, the proposal and the start of each chunk."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from partita.factors import Model, Template, entity_cost
from partita.factors.agreement import Agreement, agreement_over, feature_names
from partita.factors.bags import Bags
from partita.factors.dirichlet import Dirichlet, dirichlet_over
from partita.factors.stores import SPARSE
from partita.kernel import Floats, Ints, entry
from partita.proposals import Proposal, mixture, pair_move
from partita.scale.chunks import Chunk
from partita.scale.mentions import Vocabulary
from partita.scale.moves import join_sharer, postings, split, union
from partita.states import Partition
from partita.states.checks import fits

__all__ = ["Method", "aggregated_pairwise", "dirichlet_entities", "hill_climbing"]

GRID = 2.0**24
"""Values are rounded to multiples of 1 / GRID, so that their sums are exact."""


def singletons(chunk: Chunk) -> Partition:
    """Start with every mention in its own entity."""
    return Partition.singletons(chunk.size)


def entity_of(state: Partition) -> Ints:
    """The entity of each mention."""
    return state.entity


@dataclass(frozen=True)
class Method:
    """Builds the chain of each chunk.

    The first chunk compiles the kernels for all chunks: `model` and `proposal` must return the same
    kernels every time, with other tables (`dataclasses.replace(template, table=...)`).
    """

    name: str
    model: Callable[[Chunk], Model]
    proposal: Callable[[Chunk], Proposal]
    """Its moves stay within the window of `chunk.canopies`, one canopy at a time."""
    start: Callable[[Chunk], Any] = singletons
    labels: Callable[[Any], Ints] = entity_of


def hill_climbing(
    joins: float = 0.7, unions: float = 0.2, splits: float = 0.0
) -> Callable[[Chunk], Proposal]:
    """A mixture of hill-climbing moves by their shares; the rest moves random mentions.

    Parameters
    ----------
    joins
        Moves of a mention to the entity of a mention that shares a key.
    unions
        Unions of two entities: half of random mentions, half of mentions that share a key.
    splits
        Splits and merges of two anchor mentions; their cost is linear in the entity.
    """

    def proposal(chunk: Chunk) -> Proposal:
        canopies, shared = chunk.canopies, postings(chunk)
        parts = [
            (pair_move(canopies), 1.0 - joins - unions - splits),
            (join_sharer(shared), joins),
            (union(canopies), unions / 2),
            (union(shared), unions / 2),
            (split(canopies), splits),
        ]
        used = [(part, share) for part, share in parts if share > 0]
        return mixture([part for part, _ in used], [share for _, share in used])

    return proposal


def aggregated_pairwise(
    words: Vocabulary,
    weights: Mapping[str, float],
    *,
    cost: float = 0.0,
    proposal: Callable[[Chunk], Proposal] | None = None,
    name: str = "agreement",
) -> Method:
    """Agreement of columns and cosines of bags, summed over all pairs of an entity.

    Parameters
    ----------
    weights
        By feature, such as `first:match`, `first:mismatch`, `first:missing`, `title:dot`.
    cost
        The cost of every entity, in nats.
    """
    features = feature_names(words.names[: words.columns], words.names[words.columns :])
    values = [float(weights[feature]) for feature in features]
    base = agreement_over(empty_bags(words), SPARSE, words.columns, features, values, name)
    idf, first = words.idf(), base.table.feature

    def model(chunk: Chunk) -> Model:
        value = np.empty(chunk.key.size)
        cosines(chunk, idf, words.columns, value)
        table = Agreement(bags_of(chunk, value), first)
        return Model(replace_table(base, table), *prior)

    prior: tuple[Template, ...] = (entity_cost(cost),)
    return Method("aggregated pairwise", model, proposal or hill_climbing())


def dirichlet_entities(
    words: Vocabulary,
    concentration: Mapping[str, float],
    *,
    cost: float = 0.0,
    proposal: Callable[[Chunk], Proposal] | None = None,
    name: str = "dirichlet",
) -> Method:
    """Collapsed Dirichlet-multinomial entities over all groups; `concentration` is B by group."""
    totals = np.array([float(concentration[group]) for group in words.names])
    scale = words.base() * totals[words.group]
    empty = Dirichlet(empty_bags(words), np.ones(1), totals)
    base = dirichlet_over(empty, SPARSE, list(words.names), 1.0, name)

    def model(chunk: Chunk) -> Model:
        table = Dirichlet(bags_of(chunk, chunk.count), scale[chunk.origin], totals)
        return Model(replace_table(base, table), *prior)

    prior: tuple[Template, ...] = (entity_cost(cost),)
    return Method("Dirichlet-multinomial", model, proposal or hill_climbing())


def replace_table(base: Template, table: Any) -> Template:
    """Copy a template with the same kernels and another table."""
    return replace(base, table=table, check=fits(base.name, table.bags.start.size - 1))


def bags_of(chunk: Chunk, value: Floats) -> Bags:
    """The rows of a chunk in the format of the aggregated templates."""
    groups = chunk.own.shape[1]
    return Bags(
        chunk.start,
        chunk.key,
        value,
        chunk.group,
        chunk.own,
        np.zeros((0, groups)),
        np.zeros(0),
        None,
    )


def empty_bags(words: Vocabulary) -> Bags:
    """A table without mentions, to build the kernels."""
    none, groups = np.zeros(0, np.int64), len(words.names)
    rows = np.zeros((0, groups))
    return Bags(np.zeros(1, np.int64), none, np.zeros(0), none, rows, rows, np.zeros(0), None)


@entry
def cosines(chunk: Chunk, idf: Floats, columns: int, value: Floats) -> None:
    """Fill `value`: 1 for a column; for a bag, counts times idf, divided by their norm."""
    for i in range(chunk.start.size - 1):
        for q in range(chunk.start[i], chunk.start[i + 1]):
            k = chunk.key[q]
            g = chunk.group[k]
            x = 1.0
            if g >= columns:
                x = chunk.count[q] * idf[chunk.origin[k]] / np.sqrt(chunk.length[i, g])
            value[q] = np.round(x * GRID) / GRID
