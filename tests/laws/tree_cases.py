"""Entity trees and sub-entities: every template and every move, registered for every law."""

from __future__ import annotations

import math

import numpy as np

from partita.factors import (
    Model,
    child_parent,
    tree_agreement,
    tree_shape,
    tree_values,
    uniform_trees,
)
from partita.proposals import (
    canopies_of,
    collapse,
    merge_collapse,
    merge_entity,
    mixture,
    move_block,
    move_subtree,
    multi_try,
    one_canopy,
    pair_move,
    sample_attribute,
    tree_moves,
)
from partita.states import Forest
from tests.laws import naive
from tests.laws.cases import DENSE, LAZY
from tests.laws.registry import Subject, register

rng = np.random.default_rng(23)

TREES = {1: 1, 2: 1, 3: 4, 4: 26, 5: 236}
"""Trees over n mentions."""


class Naive:
    """A recorded forest, taken apart: children and mentions of every node, and its values."""

    def __init__(self, observed, n, attributes=0):
        observed = np.asarray(observed)
        self.n, self.parent = n, observed[: 2 * n]
        inner = observed[2 * n :].reshape(n, attributes)
        self.inner = [k for k in range(n, 2 * n) if self.parent[k] != -2]
        self.nodes = [*range(n), *self.inner]
        self.kids = {p: [k for k in self.nodes if self.parent[k] == p] for p in self.inner}
        self.value = {k: inner[k - n] for k in self.inner}
        self.roots = [k for k in self.nodes if self.parent[k] == -1]

    def below(self, node):
        if node < self.n:
            return [node]
        return [i for kid in self.kids[node] for i in self.below(kid)]

    def labels(self):
        out = np.zeros(self.n, int)
        for number, root in enumerate(self.roots):
            out[self.below(root)] = number
        return out


def flat(phi, n, attributes=0):
    """Statistics of a partition, of the trees' mentions."""
    return lambda observed: phi(Naive(observed, n, attributes).labels())


def shape(n, best, attributes=0):
    def phi(observed):
        tree = Naive(observed, n, attributes)
        width = sum(1.0 / (abs(len(kids) - best) + 1.0) for kids in tree.kids.values())
        middle = sum(tree.parent[p] >= 0 for p in tree.inner)
        return np.array([width, float(middle), float(len(tree.roots))])

    return phi


def uniform(n):
    def phi(observed):
        tree = Naive(observed, n)
        return np.array([-sum(math.log(TREES[len(tree.below(r))]) for r in tree.roots)])

    return phi


def values(n, shown, groups, short):
    """Links between a node and its parent that match, are alike or differ, by attribute."""

    def phi(observed):
        tree = Naive(observed, n, shown.shape[1])
        out = np.zeros((shown.shape[1], 3))
        for node in tree.nodes:
            above = tree.parent[node]
            if above < 0:
                continue
            mine = shown[node] if node < n else tree.value[node]
            for a, (x, y) in enumerate(zip(mine, tree.value[above], strict=True)):
                if x < 0 or y < 0:
                    continue
                near = groups[a][x] == groups[a][y] and (short[a][x] or short[a][y])
                out[a, 0 if x == y else 1 if near else 2] += 1
        return out.reshape(-1)

    return phi


def parents(n, bags):
    """Cosines of each node and its parent without it, from scratch."""

    def phi(observed):
        tree = Naive(observed, n)
        out = []
        for rows in bags:
            total = np.zeros(2)
            for node in tree.nodes:
                above = tree.parent[node]
                if above < 0:
                    continue
                mine = tree.below(node)
                rest = [i for i in tree.below(above) if i not in mine]
                if rows[mine].any() and rows[rest].any():
                    a, b = rows[mine].sum(0), rows[rest].sum(0)
                    share = a @ b / (np.linalg.norm(a) * np.linalg.norm(b))
                    total += [share, 1.0 - share]
            out.append(total)
        return np.concatenate(out)

    return phi


def joined(*twins):
    return lambda observed: np.concatenate([twin(observed) for twin in twins])


def index_subject(n, storage="dense", labels=None):
    """Pairwise agreement at the roots, all trees equally likely, and the shape prior."""
    columns = {"a": rng.integers(-1, 2, n), "b": rng.integers(-1, 3, n)}
    bag = np.round(rng.normal(size=(n, 4)) * 16) / 16 * (rng.random((n, 4)) < 0.6)
    model = Model(
        tree_agreement(columns, {"bag": bag}, missing=0.2, storage=storage),
        uniform_trees(n),
        tree_shape(width=3, encourage=0.7, node_cost=0.3, root_cost=0.4),
    )
    twin = joined(flat(naive.agreement(list(columns.values()), [bag]), n), uniform(n), shape(n, 3))
    return Subject(model, twin, Forest.singletons(n, canopies=labels))


def parents_subject(n, storage="dense"):
    """The factors of HCOREF between children and parents, with all that a move changes."""
    bag = np.round(rng.random(size=(n, 5)) * 16) / 16 * (rng.random((n, 5)) < 0.7)
    other = np.round(rng.random(size=(n, 3)) * 16) / 16
    other[2] = 0.0
    model = Model(
        child_parent({"bag": bag, "other": other}, cosine=0.9, distance=-0.5, storage=storage),
        tree_shape(width=3, encourage=0.7, node_cost=0.3, root_cost=0.4),
    )
    twin = joined(parents(n, [bag, other]), shape(n, 3))
    return Subject(model, twin, Forest.singletons(n))


def values_subject(n):
    """An attribute with a short value, beside the shape prior."""
    shown = np.array([[0], [1], [-1], [1]])[:n]
    groups, short = [[0, 0]], [[0, 1]]
    model = Model(
        tree_values(["x"], n, groups=groups, short=short, match=0.9, alike=0.3, mismatch=-0.8),
        tree_shape(width=2, encourage=0.5, node_cost=0.2, root_cost=0.6),
    )
    twin = joined(values(n, shown, groups, short), shape(n, 2, 1))
    return Subject(model, twin, Forest.singletons(n, attributes=shown, domain=[2]))


ALL4, ALL3 = one_canopy(4), one_canopy(3)
INDEX, INDEX3 = index_subject(4), index_subject(3, "sparse")
VALUES = values_subject(3)
register("trees/move_subtree", INDEX, move_subtree(ALL4))
register("trees/merge_entity", INDEX, merge_entity(ALL4), ergodic=False)
# two moves that need inner nodes, which only others make
register(
    "trees/merge_collapse",
    INDEX,
    mixture([merge_entity(ALL4), merge_collapse(ALL4)], [1, 2]),
    False,
)
register("trees/collapse", INDEX, mixture([merge_entity(ALL4), collapse(ALL4)], [1, 2]))
register("trees/all", INDEX, tree_moves(ALL4))
PARTS = ["x", "x", "y", "x"]
register(
    "trees/canopies",
    index_subject(4, "sparse", PARTS),
    mixture([move_subtree(canopies_of(PARTS)), collapse(canopies_of(PARTS))]),
)
register("trees/sparse", INDEX3, tree_moves(ALL3))
register("trees values/subtree", VALUES, move_subtree(ALL3), ergodic=False)
register(
    "trees values/attribute", VALUES, mixture([merge_entity(ALL3), sample_attribute(ALL3)]), False
)
register("trees values/all", VALUES, tree_moves(ALL3, attributes=True))
register("trees values/multi_try", values_subject(2), multi_try(move_subtree(one_canopy(2)), 2))
PARENTS, PARENTS3 = parents_subject(4, "sparse"), parents_subject(3)
register("parents/all", PARENTS, tree_moves(ALL4))
register("parents/move_subtree", PARENTS, move_subtree(ALL4))
register("parents/dense", PARENTS3, tree_moves(ALL3))

# sub-entities (XDOC 4.1) move blocks of a partition; by themselves they never part a group
register("blocks/dense", DENSE, move_block(ALL4, ["x", "y", "x", "y"]), ergodic=False)
register(
    "blocks/mixture",
    LAZY,
    mixture([pair_move(ALL4), move_block(ALL4, ["x", "x", "y", "x"])]),
)
