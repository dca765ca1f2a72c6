"""Entity trees as methods of the comparison, with the moves of HCOREF 3.2.

`tree_method` has the paper's model (3.1, 4.1): latent names at inner nodes, cosines of bags
between nodes and their parents, priors on width, intermediate nodes and roots. Its delta is that
of the paper (one factor at the attachment) or true (all that change). `pair_trees` has the score of
the pairwise model, kept at the roots, where a delta is true and costs one product for each side.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from partita.factors import Model, Template, tree_shape, tree_values
from partita.factors.agreement import feature_names
from partita.factors.stores import SPARSE
from partita.factors.trees.agreement import tree_agreement_over
from partita.factors.trees.bags import Branches, branches
from partita.factors.trees.parents import child_parent_of
from partita.kernel import Floats, Ints
from partita.proposals import hierarchical
from partita.scale import Chunk, Method, Vocabulary
from partita.scale.methods import bags_of, cosines
from partita.states import Forest

__all__ = ["BY_HAND", "pair_trees", "tree_method"]

BAGS = ("title", "topic", "coauthors")
BY_HAND = {
    "match": 2.0,
    "initial": 1.0,
    "mismatch": -8.0,
    "root": 7.0,
    "node": 8.0,
    "width": 1.0,
    **{f"{bag}:cosine": 4.0 for bag in BAGS},
    **{f"{bag}:distance": -4.0 for bag in BAGS},
}
"""The paper's weights (HCOREF 4.1), "determined by just a few hours of tuning on a development
set" of its own. Cosines are shifted and scaled to between -4 and 4."""
NODE = 1.0
"""Cost of an intermediate node of `pair_trees`: its score does not see depth."""


def tree_method(words: Vocabulary, weights: Mapping[str, float], *, delta: str) -> Method:
    """Trees with the `delta` "paper" (one factor at the attachment) or "true" (all that change)."""
    idf, columns = words.idf(), words.columns
    bags = list(words.names[columns:])
    linked = [weights[f"{bag}:{kind}"] for bag in bags for kind in ("cosine", "distance")]
    shape = tree_shape(
        encourage=weights["width"], node_cost=weights["node"], root_cost=weights["root"]
    )

    def model(chunk: Chunk) -> Model:
        value = np.empty(chunk.key.size)
        cosines(chunk, idf, columns, value)
        rows, lost = bag_rows(chunk, value, columns)
        links = child_parent_of(rows, bags, SPARSE, linked, delta, "bags", lost)
        return Model(links, latent_names(chunk, words, weights), shape)

    return Method(
        name=f"trees, {delta} deltas",
        model=model,
        proposal=lambda chunk: hierarchical(chunk.canopies),
        start=lambda chunk: start(chunk, columns),
        labels=lambda state: state.entities,
    )


def pair_trees(words: Vocabulary, weights: Mapping[str, float], cost: float) -> Method:
    """Trees over the pairwise model: the tree is an index of the groups that can move as one."""
    idf, columns = words.idf(), words.columns
    features = feature_names(words.names[:columns], words.names[columns:])
    values = [float(weights[feature]) for feature in features]
    shape = tree_shape(node_cost=NODE, root_cost=cost)

    def model(chunk: Chunk) -> Model:
        value = np.empty(chunk.key.size)
        cosines(chunk, idf, columns, value)
        # keys that one mention alone has are left out, but the mention has a value
        rows = branches(bags_of(chunk, value))._replace(own=(chunk.own > 0).astype(float))
        pairs = tree_agreement_over(rows, SPARSE, columns, features, values, "agreement")
        return Model(pairs, shape)

    return Method(
        name="trees over pairs",
        model=model,
        proposal=lambda chunk: hierarchical(chunk.canopies),
        start=lambda chunk: Forest.singletons(chunk.size, canopies=chunk.canopies.canopy),
        labels=lambda state: state.entities,
    )


def bag_rows(chunk: Chunk, value: Floats, columns: int) -> tuple[Branches, Floats]:
    """The bags of a chunk, and the squared lengths of the omitted parts."""
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

    A name of one mention alone is in no row; it is one more value, and it differs from
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
        values, number = np.unique(shown[:, c], return_inverse=True)
        codes[:, c] = number.reshape(-1) - int(values[0] == -1)
        sizes.append(max(1, int(codes[:, c].max()) + 1))
    return codes, np.array(sizes)


def start(chunk: Chunk, columns: int) -> Forest:
    """Every mention a tree of its own."""
    codes, sizes = names_of(chunk, columns)
    canopies = chunk.canopies.canopy
    return Forest.singletons(chunk.size, canopies=canopies, attributes=codes, domain=sizes)


def latent_names(chunk: Chunk, words: Vocabulary, weights: Mapping[str, float]) -> Template:
    """Match and mismatch of the names of nodes and their parents.

    A middle name that matches has a matching initial, too: both together score a match.
    """
    match, initial = weights["match"], weights["initial"]
    matches = {"first": match, "middle_initial": initial, "middle": match - initial}
    _, sizes = names_of(chunk, words.columns)
    names = list(words.names[: words.columns])
    plain = [np.zeros(size, np.int64) for size in sizes]
    return tree_values(
        names,
        chunk.size,
        groups=[np.arange(size) for size in sizes],
        short=plain,
        match=[matches[name] for name in names],
        alike=0.0,
        mismatch=weights["mismatch"],
    )
