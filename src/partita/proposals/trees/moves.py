"""Moves of entity trees with exact ratios (HCOREF 3.2), valid for posterior draws.

Nodes are drawn uniformly among the M nodes of a canopy, mentions and inner nodes. A new node gets
each of its attribute values from one of its children, or, with a small probability, from all
values, so every reverse move has positive probability. Each proposal combines a move of the paper
with its reverse.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from partita.kernel import Rng, below, kernel
from partita.proposals.canopies import Canopies
from partita.proposals.moves import random_pair
from partita.proposals.proposal import Proposal, mixture, simple
from partita.proposals.trees.draws import (
    ALL,
    Trees,
    block_values,
    draw_children,
    draw_node,
    draw_nodes,
    idle_move,
    log_block,
    log_pair,
    log_value,
    mate_of,
    move_node,
    pair_values,
    position_of,
    table_options,
)
from partita.states.forest.nodes import child, next_node, pack, root_of
from partita.states.forest.state import FRESH, JOIN, MAX_CHILDREN, PAIR, ROOT, Forest, Regraft

__all__ = [
    "collapse",
    "merge_collapse",
    "merge_entity",
    "move_subtree",
    "sample_attribute",
    "tree_moves",
]

LOG2 = math.log(2.0)


@kernel
def draw_subtree(rng: Rng, table: Trees, state: Forest) -> tuple[Regraft, float]:
    """With probability 1/2 make a random node a root (split right); else move it to another tree.

    There it becomes a child of a random node (merge left), or both get a new parent (merge up).
    With M nodes, a split has probability 1/2 1/M and each merge 1/4 1/(M (M - 1)), times that of
    new values.
    """
    split = rng.random() < 0.5
    j, i, total = draw_node(rng, table, state) if split else draw_nodes(rng, table, state)
    _, way, at, gone = position_of(state, j)
    m, log_q = float(total), 0.0
    after = m - 1.0 if way == PAIR else m
    if way == PAIR:
        log_q += log_pair(table, state, j, at, gone)
    if split:
        if way == ROOT:
            return idle_move(j), 0.0
        log_q += math.log(m / (2.0 * after * (after - 1.0)))
        return move_node(state, j, -1, ROOT, -1, 0), log_q
    if i < 0 or root_of(state, i) == root_of(state, j):
        return idle_move(j), 0.0
    up = rng.random() < 0.5
    if not up and state.size[i] == 0:
        return idle_move(j), 0.0
    target, fresh = i, 0
    if up:
        target, fresh = next_node(state, i), pair_values(rng, table, state, i, j)
        log_q -= log_pair(table, state, i, j, fresh)
        after += 1.0
    if way == ROOT:
        log_q += math.log(2.0 * m * (m - 1.0) / after)
    else:
        log_q += math.log(m * (m - 1.0) / (after * (after - 1.0)))
    if up:
        return move_node(state, j, target, PAIR, i, fresh), log_q
    return move_node(state, j, target, JOIN, -1, 0), log_q


def move_subtree(canopies: Canopies) -> Proposal:
    """Merge left, merge up and split right: move a subtree to another tree, or make it a tree."""
    return simple("move_subtree", Forest, draw_subtree, **table_options(canopies, "move_subtree"))


@kernel
def draw_entity(rng: Rng, table: Trees, state: Forest) -> tuple[Regraft, float]:
    """Draw two mentions: the tree of the second joins the root of the first, or their root splits.

    Trees of n_i and n_j mentions merge with weight n_i n_j, and a tree of n loses one of its k
    children with n (n - 1) / k. A root that is a mention needs a new parent. Above two children
    there are as many ways to merge as there are mentions among them, and both ways to split are
    one.
    """
    i, j = random_pair(rng, table.canopies)
    if j < 0:
        return idle_move(i), 0.0
    first, second = root_of(state, i), root_of(state, j)
    if first != second:
        a, b = float(state.count[first]), float(state.count[second])
        pairs = (a + b) * (a + b - 1.0)
        if state.size[first] > 0:
            log_q = math.log(pairs / ((state.size[first] + 1.0) * a * b))
            return move_node(state, second, first, JOIN, -1, 0), log_q
        ways = 2.0 if state.size[second] == 0 else 1.0
        fresh = pair_values(rng, table, state, first, second)
        log_q = math.log(pairs / (ways * a * b)) - log_pair(table, state, first, second, fresh)
        return move_node(state, second, next_node(state, first), PAIR, first, fresh), log_q
    node = child(state, first, below(rng, state.size[first]))
    n, part = float(state.count[first]), float(state.count[node])
    ways, log_q = float(state.size[first]), 0.0
    if state.size[first] == 2:
        mate = mate_of(state, node)
        ways = float(int(state.size[node] == 0) + int(state.size[mate] == 0))
        log_q = log_pair(table, state, node, mate, pack(state, first))
    if ways == 0.0:
        return idle_move(node), 0.0
    log_q += math.log(ways * part * (n - part) / (n * (n - 1.0)))
    return move_node(state, node, -1, ROOT, -1, 0), log_q


def merge_entity(canopies: Canopies) -> Proposal:
    """Merge entity left: attach a whole tree below the root of another; reverse: detach a child."""
    return simple("merge_entity", Forest, draw_entity, **table_options(canopies, "merge_entity"))


@kernel
def draw_merge_collapse(rng: Rng, table: Trees, state: Forest) -> tuple[Regraft, float]:
    """Move the children of a root to a node of another tree, or some of a node's to a new root.

    Each has probability 1/2: 1/(M (M - 1)) for the merge; 1/M 2^-k times that of the values for the
    split of a node with k children, at least two of which leave and two stay.
    """
    merge = rng.random() < 0.5
    i, j, total = draw_nodes(rng, table, state) if merge else draw_node(rng, table, state)
    if state.size[i] == 0 or state.size[i] > MAX_CHILDREN or (merge and j < 0):
        return idle_move(i), 0.0
    if merge:
        k = state.size[i] + state.size[j]
        other = state.size[j] > 0 and state.parent[j] < 0 and root_of(state, i) != j
        if not other or k > MAX_CHILDREN:
            return idle_move(j), 0.0
        gone = pack(state, j)
        log_q = math.log(float(total)) - k * LOG2
        log_q += log_block(table, state, j, ALL, state.size[j], gone)
        move = Regraft(child(state, j, 0), state.size[j], j, FRESH, -1, i, JOIN, -1, gone, 0, 0, -1)
        return move, log_q
    mask, many, fresh = draw_children(rng, table, state, i)
    if many < 2 or state.size[i] - many < 2:
        return idle_move(i), 0.0
    log_q = state.size[i] * LOG2 - math.log(total + 1.0)
    log_q -= log_block(table, state, i, mask, many, fresh)
    root = next_node(state, i)
    return Regraft(i, many, i, JOIN, -1, root, FRESH, -1, 0, fresh, mask, -1), log_q


def merge_collapse(canopies: Canopies) -> Proposal:
    """Merge left and collapse: move a root's children to a node; reverse: some become a tree."""
    options = table_options(canopies, "merge_collapse")
    return simple("merge_collapse", Forest, draw_merge_collapse, **options)


@kernel
def draw_collapse(rng: Rng, table: Trees, state: Forest) -> tuple[Regraft, float]:
    """Move an inner node's children to its parent, or give some children of a node a new parent.

    Each has probability 1/2 1/M; the second times 2^-k for a node of k children, at least two of
    which leave and one stays, and times that of the values.
    """
    away = rng.random() < 0.5
    node, _, total = draw_node(rng, table, state)
    if state.size[node] == 0 or state.size[node] > MAX_CHILDREN:
        return idle_move(node), 0.0
    if away:
        parent, many = state.parent[node], state.size[node]
        if parent < 0 or state.size[parent] - 1 + many > MAX_CHILDREN:
            return idle_move(node), 0.0
        gone = pack(state, node)
        log_q = math.log(total / (total - 1.0)) - (state.size[parent] - 1 + many) * LOG2
        log_q += log_block(table, state, node, ALL, many, gone)
        kid = child(state, node, 0)
        return Regraft(kid, many, node, FRESH, parent, parent, JOIN, -1, gone, 0, 0, -1), log_q
    mask, many, fresh = draw_children(rng, table, state, node)
    if many < 2 or many == state.size[node]:
        return idle_move(node), 0.0
    log_q = math.log(total / (total + 1.0)) + state.size[node] * LOG2
    log_q -= log_block(table, state, node, mask, many, fresh)
    inner = next_node(state, node)
    return Regraft(node, many, node, JOIN, -1, inner, FRESH, node, 0, fresh, mask, -1), log_q


def collapse(canopies: Canopies) -> Proposal:
    """Collapse: move a node's children to its parent; reverse: some children get a new parent."""
    return simple("collapse", Forest, draw_collapse, **table_options(canopies, "collapse"))


@kernel
def draw_attribute(rng: Rng, table: Trees, state: Forest) -> tuple[Regraft, float]:
    """Draw a value for a random inner node from one of its children, or rarely from all values."""
    node, _, _ = draw_node(rng, table, state)
    many = state.size[node]
    if many == 0:
        return idle_move(node), 0.0
    a = below(rng, state.radix.size)
    old = state.value[node, a]
    new = block_values(rng, table, state, node, ALL, many, a)
    log_q = log_value(table, state, node, ALL, many, a, old)
    log_q -= log_value(table, state, node, ALL, many, a, new)
    return Regraft(node, 0, -1, ROOT, -1, -1, ROOT, -1, old, new, 0, a), log_q


def sample_attribute(canopies: Canopies) -> Proposal:
    """Sample attribute: draw a new value for an attribute of an inner node, from its children."""
    options = table_options(canopies, "sample_attribute", attributes=True)
    return simple("sample_attribute", Forest, draw_attribute, **options)


def tree_moves(canopies: Canopies, *, attributes: bool = False) -> Proposal:
    """Mix all moves of trees; `sample_attribute` only if nodes have attributes."""
    makers: list[Callable[[Canopies], Proposal]] = [
        move_subtree,
        merge_entity,
        merge_collapse,
        collapse,
    ]
    if attributes:
        makers.append(sample_attribute)
    return mixture([make(canopies) for make in makers])
