"""Statistics of `child_parent`: each node's squared length, and its product with its parent.

A subtree v that is attached or detached below a node changes the products of all children on the
path to the root: one sparse product with v for each child, and for each node on the path.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from partita.factors.stores import Store
from partita.factors.trees.bags import Branches, compile_upkeep, prepare_branches
from partita.kernel import Delta, Floats, entry, kernel, push
from partita.states.forest.nodes import child
from partita.states.forest.state import FRESH, JOIN, PAIR, Forest, Regraft

__all__ = ["Links", "compile_commit", "prepare_links", "push_cosine", "push_node"]


class Links(NamedTuple):
    """Sums of the nodes, and three statistics by node and group; number 2n is scratch."""

    bags: Branches
    norm: Floats
    """The squared length of a bag."""
    up: Floats
    """The product of a bag with that of the parent that contains it."""
    lost: Floats
    """The part of `norm` outside the rows: features that only one mention has."""
    below: Floats
    """Scratch: products of the moved subtree with the node below, and with the current node."""


@kernel
def push_cosine(
    table: Links,
    delta: Delta,
    g: int,
    norm: float,
    up: float,
    above: float,
    have: float,
    others: float,
    sign: float,
) -> float:
    """Push the cosine of a node with its parent less the node; push nothing if one is empty."""
    rest = above - 2.0 * up + norm
    if have <= 0.0 or others <= 0.0 or norm <= 0.0 or rest <= 0.0:
        return 0.0
    share = (up - norm) / np.sqrt(norm * rest)
    return push(delta, 2 * g, sign * share) + push(delta, 2 * g + 1, sign * (1.0 - share))


@kernel
def push_node(table: Links, delta: Delta, node: int, parent: int, sign: float) -> float:
    """Push the factors of a node and its parent."""
    score, have = 0.0, table.bags.have
    for g in range(table.norm.shape[1]):
        score += push_cosine(
            table,
            delta,
            g,
            table.norm[node, g],
            table.up[node, g],
            table.norm[parent, g],
            have[node, g],
            have[parent, g] - have[node, g],
            sign,
        )
    return score


@cache
def _figures(store: Store) -> tuple[Any, Any, Any]:
    """Compile the statistics of one node, or of its children, from the sums."""
    dots, drop = compile_upkeep(store).dots, compile_upkeep(store).drop

    @kernel
    def wipe(table: Links, node: int) -> None:
        drop(table.bags, node)
        for g in range(table.norm.shape[1]):
            table.norm[node, g] = 0.0
            table.up[node, g] = 0.0
            table.lost[node, g] = 0.0

    @kernel
    def measure(table: Links, node: int) -> None:
        """Compute the squared length of a node from its sum."""
        dots(table.bags, node, node)
        for g in range(table.norm.shape[1]):
            table.norm[node, g] = table.bags.acc[g] + table.lost[node, g]

    @kernel(inline=False)
    def refresh(table: Links, state: Forest, node: int) -> None:
        """Compute the products of all children of a node with it."""
        for k in range(state.size[node]):
            kid = child(state, node, k)
            dots(table.bags, kid, node)
            for g in range(table.norm.shape[1]):
                table.up[kid, g] = table.bags.acc[g] + table.lost[kid, g]

    return wipe, measure, refresh


@cache
def _rising(store: Store) -> tuple[Any, Any]:
    """Compile the update of all ancestors up to the root."""
    dots, add_node = compile_upkeep(store).dots, compile_upkeep(store).add_node

    @kernel
    def gain(table: Links, node: int, moved: int, sign: float) -> None:
        """Update one node; below[1] becomes its old product with the moved subtree."""
        dots(table.bags, node, moved)
        for g in range(table.norm.shape[1]):
            inside = table.lost[moved, g] if sign < 0.0 else 0.0
            table.below[1, g] = table.bags.acc[g] + inside
            table.norm[node, g] += 2.0 * sign * table.below[1, g] + table.norm[moved, g]
            table.lost[node, g] += sign * table.lost[moved, g]
        add_node(table.bags, node, moved, sign)

    @kernel(inline=False)
    def climb(
        table: Links, state: Forest, node: int, changed: int, moved: int, sign: float
    ) -> None:
        """Update a node and all its ancestors; below[0] is the product with `changed`."""
        while node >= 0:
            gain(table, node, moved, sign)
            for k in range(state.size[node]):
                kid = child(state, node, k)
                if kid == moved:
                    for g in range(table.norm.shape[1]):
                        table.up[kid, g] = table.below[1, g] + table.norm[moved, g]
                elif kid == changed:
                    for g in range(table.norm.shape[1]):
                        both = table.below[0, g] + table.below[1, g]
                        table.up[kid, g] += sign * both + table.norm[moved, g]
                else:
                    dots(table.bags, kid, moved)
                    for g in range(table.norm.shape[1]):
                        table.up[kid, g] += sign * table.bags.acc[g]
            for g in range(table.norm.shape[1]):
                table.below[0, g] = table.below[1, g]
            changed = node
            node = state.parent[node]

    return gain, climb


@cache
def _blocks(store: Store) -> Any:
    """Compile the update after a move of several siblings."""
    gain, climb = _rising(store)
    wipe, measure, refresh = _figures(store)
    add_node = compile_upkeep(store).add_node

    @kernel
    def above(table: Links, state: Forest, node: int, moved: int, sign: float) -> None:
        """Update a node that gained or lost several children, its children, and its ancestors."""
        gain(table, node, moved, sign)
        refresh(table, state, node)
        for g in range(table.norm.shape[1]):
            table.below[0, g] = table.below[1, g]
        climb(table, state, state.parent[node], node, moved, sign)

    @kernel
    def keep_block(table: Links, state: Forest, move: Regraft) -> None:
        if move.source_way == FRESH:
            if move.source_at < 0:
                above(table, state, move.target, move.source, 1.0)
            wipe(table, move.source)
            if move.source_at >= 0:
                refresh(table, state, move.target)
            return
        fresh = move.target
        for k in range(state.size[fresh]):
            kid = child(state, fresh, k)
            add_node(table.bags, fresh, kid, 1.0)
            for g in range(table.norm.shape[1]):
                table.lost[fresh, g] += table.lost[kid, g]
        measure(table, fresh)
        refresh(table, state, fresh)
        if move.target_at < 0:
            above(table, state, move.source, fresh, -1.0)
        else:
            refresh(table, state, move.source)

    return keep_block


@cache
def _pairs(store: Store) -> tuple[Any, Any]:
    """Compile the update after a parent of two dissolves, or is created."""
    dots, add_node = compile_upkeep(store).dots, compile_upkeep(store).add_node
    wipe, _, _ = _figures(store)
    _, climb = _rising(store)

    @kernel
    def part(table: Links, state: Forest, node: int, mate: int, source: int) -> None:
        dots(table.bags, mate, node)
        for g in range(table.norm.shape[1]):
            table.below[0, g] = table.bags.acc[g] + table.norm[node, g]
            table.up[mate, g] = table.up[source, g]
        wipe(table, source)
        climb(table, state, state.parent[mate], mate, node, -1.0)

    @kernel
    def join(table: Links, state: Forest, node: int, mate: int, fresh: int) -> None:
        dots(table.bags, mate, node)
        for g in range(table.norm.shape[1]):
            dot = table.bags.acc[g]
            table.below[0, g] = dot
            table.up[fresh, g] = table.up[mate, g]
            table.norm[fresh, g] = table.norm[mate, g] + table.norm[node, g] + 2.0 * dot
            table.lost[fresh, g] = table.lost[mate, g] + table.lost[node, g]
            table.up[mate, g] = table.norm[mate, g] + dot
            table.up[node, g] = table.norm[node, g] + dot
        add_node(table.bags, fresh, mate, 1.0)
        add_node(table.bags, fresh, node, 1.0)
        climb(table, state, state.parent[fresh], fresh, node, 1.0)

    return part, join


@cache
def compile_commit(store: Store) -> tuple[Any, Any]:
    """Compile the commit and the room of a table."""
    keep_block, inner_room = _blocks(store), compile_upkeep(store).room
    part, join = _pairs(store)
    _, climb = _rising(store)

    @kernel
    def commit(table: Links, state: Forest, move: Regraft) -> None:
        if move.attribute >= 0:
            return
        if move.many > 1:
            keep_block(table, state, move)
            return
        if move.source_way == PAIR:
            part(table, state, move.node, move.source_at, move.source)
        elif move.source_way == JOIN:
            climb(table, state, move.source, -1, move.node, -1.0)
        if move.target_way == PAIR:
            join(table, state, move.node, move.target_at, move.target)
        elif move.target_way == JOIN:
            climb(table, state, move.target, -1, move.node, 1.0)

    @kernel
    def room(table: Links) -> bool:
        return inner_room(table.bags)

    return commit, room


@cache
def _filling(store: Store) -> Any:
    """Compile the initial fill of a table."""
    _, measure, refresh = _figures(store)

    @entry
    def fill(table: Links, state: Forest) -> None:
        """Fill all statistics from the sums and from the omitted features of each mention."""
        n = state.ids.size
        for i in range(n):
            node = state.parent[i]
            while node >= 0:
                for g in range(table.norm.shape[1]):
                    table.lost[node, g] += table.lost[i, g]
                node = state.parent[node]
        for node in range(2 * n):
            if state.count[node] > 0:
                measure(table, node)
        for node in range(n, 2 * n):
            refresh(table, state, node)

    return fill


def prepare_links(store: Store, table: Links, state: Forest) -> Links:
    """Build a table with the sums of the nodes of one chain's start state."""
    n, groups = table.bags.own.shape
    own = table._replace(
        bags=prepare_branches(store, table.bags, state),
        norm=np.zeros((2 * n + 1, groups)),
        up=np.zeros((2 * n + 1, groups)),
        lost=np.vstack([table.lost, np.zeros((n + 1, groups))]),
        below=np.zeros((2, groups)),
    )
    _filling(store)(own, state)
    return own
