"""Entity trees as methods of the comparison: with the paper's own delta, and with true ones.

Both have the paper's model (HCOREF 3.1, 4.1): latent names at inner nodes, cosines of bags
between nodes, priors on width, intermediate nodes and roots, and the paper's moves and hand-set
weights. Nothing is tuned.
"""

from __future__ import annotations

import numpy as np

from partita.factors import Model, Template, tree_shape, tree_values
from partita.factors.stores import SPARSE
from partita.factors.trees_bags import Branches
from partita.factors.trees_parents import child_parent_of
from partita.kernel import Floats, Ints
from partita.proposals import hierarchical
from partita.scale import Chunk, Scheme, Vocabulary
from partita.scale.schemes import cosines
from partita.states import Forest

__all__ = ["tree_scheme"]

COSINE, DISTANCE = 4.0, -4.0
"""Cosines are shifted and scaled to between -4 and 4 (HCOREF 4.1)."""

MATCH = {"first": 2.0, "middle_initial": 1.0, "middle": 1.0}
"""A match scores 2, matching initials 1: a middle name that matches has both."""

MISMATCH = -8.0


def tree_scheme(words: Vocabulary, *, delta: str) -> Scheme:
    """Trees with the `delta` "paper" (one factor at the attachment) or "true" (all that change)."""
    rarity, columns = words.rarity(), words.columns

    def model(chunk: Chunk) -> Model:
        value = np.empty(chunk.key.size)
        cosines(chunk, rarity, columns, value)
        rows, lost = bag_rows(chunk, value, columns)
        names = list(words.names[columns:])
        bags = child_parent_of(rows, names, SPARSE, (COSINE, DISTANCE), delta, "bags", lost)
        return Model(bags, latent_names(chunk, words), tree_shape())

    return Scheme(
        name=f"trees, {delta} deltas",
        model=model,
        proposal=lambda chunk: hierarchical(chunk.canopies),
        start=lambda chunk: start(chunk, columns),
        labels=lambda state: state.entities,
    )


def bag_rows(chunk: Chunk, value: Floats, columns: int) -> tuple[Branches, Floats]:
    """The bags of a chunk, and the squared lengths of what was left out of them."""
    mine = chunk.group[chunk.key] >= columns
    upto = np.concatenate([[0], np.cumsum(mine)])
    own = (chunk.own[:, columns:] > 0).astype(float)
    groups = own.shape[1]
    key, kept = chunk.key[mine], value[mine]
    group = np.maximum(chunk.group - columns, 0)
    rows = np.repeat(np.arange(chunk.size), np.diff(chunk.start))[mine]
    cell = rows * groups + group[key]
    shown = np.bincount(cell, kept * kept, own.size).reshape(own.shape)
    table = Branches(
        upto[chunk.start], key, kept, group, own, np.zeros((0, groups)), np.zeros(0), None
    )
    return table, np.maximum(own - shown, 0.0)


def names_of(chunk: Chunk, columns: int) -> tuple[Ints, Ints]:
    """The values of the columns by mention, numbered by key, and how many there may be.

    A name that one mention alone has stands in no row; it is one more value, and it differs from
    all.
    """
    rows = np.repeat(np.arange(chunk.size), np.diff(chunk.start))
    group = chunk.group[chunk.key]
    mine = group < columns
    keys = chunk.group.size
    shown = np.where(chunk.own[:, :columns] > 0, keys + np.arange(chunk.size)[:, None], -1)
    shown[rows[mine], group[mine]] = chunk.key[mine]
    sizes, codes = [], np.full_like(shown, -1)
    for c in range(columns):
        seen, number = np.unique(shown[:, c], return_inverse=True)
        codes[:, c] = number.reshape(-1) - int(seen[0] == -1)
        sizes.append(max(1, int(codes[:, c].max()) + 1))
    return codes, np.array(sizes)


def start(chunk: Chunk, columns: int) -> Forest:
    """Every mention a tree of its own."""
    codes, sizes = names_of(chunk, columns)
    canopies = chunk.canopies.canopy
    return Forest.singletons(chunk.size, canopies=canopies, attributes=codes, domain=sizes)


def latent_names(chunk: Chunk, words: Vocabulary) -> Template:
    """Match and mismatch of the names of nodes and their parents."""
    _, sizes = names_of(chunk, words.columns)
    names = list(words.names[: words.columns])
    plain = [np.zeros(size, np.int64) for size in sizes]
    return tree_values(
        names,
        chunk.size,
        groups=[np.arange(size) for size in sizes],
        short=plain,
        match=[MATCH[name] for name in names],
        alike=0.0,
        mismatch=MISMATCH,
    )
