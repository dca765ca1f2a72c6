"""Sums of the mentions' feature vectors at every node of a forest, updated by `commit`.

A mention's vector is its row; an inner node has a sum in a store. When a block of nodes moves, its
sum is subtracted from all old ancestors and added to all new ones: O(depth) sparse additions, only
when a move is accepted.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from partita.errors import InputError
from partita.factors.bags import Bags
from partita.factors.stores import Store
from partita.kernel import Floats, Ints, entry, kernel
from partita.states.forest.moves import is_moved
from partita.states.forest.nodes import child
from partita.states.forest.state import FRESH, PAIR, ROOT, Forest, Regraft

__all__ = [
    "Branches",
    "Upkeep",
    "branches",
    "build_size_check",
    "compile_upkeep",
    "prepare_branches",
]


class Branches(NamedTuple):
    """Mention vectors by row, and the sums of inner nodes; number 2n is scratch."""

    start: Ints
    key: Ints
    value: Floats
    group: Ints
    """Group of each key."""
    own: Floats
    """1 where a mention has a value in a group."""
    have: Floats
    """Number of mentions below a node with a value in a group."""
    acc: Floats
    """Scratch, one cell per group."""
    store: Any


class Upkeep(NamedTuple):
    """Kernels over one store: products of nodes, sums of blocks, and updates."""

    dots: Any
    add_node: Any
    drop: Any
    block: Any
    commit: Any
    room: Any
    fill: Any


def branches(bags: Bags) -> Branches:
    """Build the table of encoded mentions, without the sums of a chain."""
    n = bags.start.size - 1
    own = np.zeros((n, bags.own.shape[1]))
    own[np.repeat(np.arange(n), np.diff(bags.start)), bags.group[bags.key]] = 1.0
    none = np.zeros((0, own.shape[1]))
    return Branches(bags.start, bags.key, bags.value, bags.group, own, none, np.zeros(0), None)


def build_size_check(name: str, n: int) -> Callable[[Any], None]:
    """Build a check that the start has the expected number of mentions."""

    def check(state: Any) -> None:
        if state.ids.size != n:
            raise InputError(
                f"{name} was built for {n} mentions but the start has {state.ids.size}; "
                "give both the same mentions"
            )

    return check


def _products(store: Store) -> Any:
    """Compile the dot product of two nodes, by group, into `acc`."""
    value, length, at = store.value, store.length, store.at

    @kernel
    def of_rows(table: Branches, a: int, b: int) -> None:
        p, q = table.start[a], table.start[b]
        while p < table.start[a + 1] and q < table.start[b + 1]:
            left, right = table.key[p], table.key[q]
            if left == right:
                table.acc[table.group[left]] += table.value[p] * table.value[q]
            if left <= right:
                p += 1
            if right <= left:
                q += 1

    @kernel
    def of_row(table: Branches, a: int, inner: int) -> None:
        for q in range(table.start[a], table.start[a + 1]):
            key = table.key[q]
            table.acc[table.group[key]] += table.value[q] * value(table.store, inner, key)

    @kernel(inline=False)
    def dots(table: Branches, a: int, b: int) -> None:
        n = table.start.size - 1
        for g in range(table.acc.size):
            table.acc[g] = 0.0
        if a >= n and (b < n or length(table.store, b - n) < length(table.store, a - n)):
            a, b = b, a
        if b < n:
            of_rows(table, a, b)
        elif a < n:
            of_row(table, a, b - n)
        else:
            for k in range(length(table.store, a - n)):
                key, x = at(table.store, a - n, k)
                if x != 0.0:
                    table.acc[table.group[key]] += x * value(table.store, b - n, key)

    return dots


@cache
def _adding(store: Store) -> tuple[Any, Any]:
    """Compile the addition of one node's sum to another, and its removal."""
    bump, empty, length, at = store.bump, store.empty, store.length, store.at

    @kernel(inline=False)
    def add_node(table: Branches, inner: int, node: int, sign: float) -> None:
        """Add the sum of a node to that of an inner one."""
        n = table.start.size - 1
        if node < n:
            for q in range(table.start[node], table.start[node + 1]):
                bump(table.store, inner - n, table.key[q], sign * table.value[q])
        else:
            for k in range(length(table.store, node - n)):
                key, x = at(table.store, node - n, k)
                if x != 0.0:
                    bump(table.store, inner - n, key, sign * x)
        for g in range(table.have.shape[1]):
            table.have[inner, g] += sign * table.have[node, g]

    @kernel
    def drop(table: Branches, inner: int) -> None:
        empty(table.store, inner - (table.start.size - 1))
        for g in range(table.have.shape[1]):
            table.have[inner, g] = 0.0

    return add_node, drop


@cache
def _committing(store: Store) -> Any:
    """Compile the update after an accepted move."""
    add_node, drop = _adding(store)

    @kernel
    def climb(table: Branches, state: Forest, node: int, moved: int, sign: float) -> None:
        while node >= 0:
            add_node(table, node, moved, sign)
            node = state.parent[node]

    @kernel
    def of_block(table: Branches, state: Forest, move: Regraft) -> None:
        if move.target_way == FRESH:
            for k in range(state.size[move.target]):
                add_node(table, move.target, child(state, move.target, k), 1.0)
            if move.target_at < 0:
                climb(table, state, move.source, move.target, -1.0)
            return
        if move.source_at < 0:
            climb(table, state, move.target, move.source, 1.0)
        drop(table, move.source)

    @kernel
    def commit(table: Branches, state: Forest, move: Regraft) -> None:
        if move.attribute >= 0:
            return
        if move.many > 1:
            of_block(table, state, move)
            return
        if move.source_way == PAIR:
            drop(table, move.source)
            climb(table, state, state.parent[move.source_at], move.node, -1.0)
        elif move.source_way != ROOT:
            climb(table, state, move.source, move.node, -1.0)
        if move.target_way == PAIR:
            add_node(table, move.target, move.target_at, 1.0)
        if move.target_way != ROOT:
            climb(table, state, move.target, move.node, 1.0)

    return commit


@cache
def compile_upkeep(store: Store) -> Upkeep:
    """Compile the kernels that update the sums of a store, once per store."""
    add_node, drop = _adding(store)
    store_room = store.room

    @kernel(inline=False)
    def block(table: Branches, state: Forest, move: Regraft) -> int:
        """Return the row of the moved block's sum; the caller must clear it if it is scratch."""
        if move.many == 1:
            return move.node
        if move.source_way == FRESH:
            return move.source
        scratch = 2 * state.ids.size
        for k in range(state.size[move.source]):
            if is_moved(move, k):
                add_node(table, scratch, child(state, move.source, k), 1.0)
        return scratch

    @kernel
    def room(table: Branches) -> bool:
        return store_room(table.store)

    @entry
    def fill(table: Branches, state: Forest, first: int) -> int:
        """Add mentions to all their ancestors from `first` on; return the first not added."""
        for i in range(first, state.ids.size):
            if not store_room(table.store):
                return i
            node = state.parent[i]
            while node >= 0:
                add_node(table, node, i, 1.0)
                node = state.parent[node]
        return state.ids.size

    commit = _committing(store)
    return Upkeep(_products(store), add_node, drop, block, commit, room, fill)


def prepare_branches(store: Store, table: Branches, state: Forest) -> Branches:
    """Build a table with the sums of the nodes of one chain's start state."""
    n, groups = table.own.shape
    own = table._replace(
        have=np.vstack([table.own, np.zeros((n + 1, groups))]),
        acc=np.zeros(groups),
        store=store.new(n, table.group.size, np.diff(table.start)),
    )
    done = 0
    while done < n:
        done = compile_upkeep(store).fill(own, state, done)
        if done < n:
            own = own._replace(store=store.grow(own.store))
    return own
