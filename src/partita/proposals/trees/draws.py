"""Draws for moves of trees: nodes of a canopy, positions, and values for new nodes."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from partita.errors import InputError
from partita.kernel import Floats, Rng, below, kernel
from partita.proposals.canopies import Canopies
from partita.states.forest.nodes import child, pack
from partita.states.forest.state import JOIN, PAIR, ROOT, Forest, Regraft

__all__ = [
    "ALL",
    "Trees",
    "block_values",
    "draw_canopy",
    "draw_children",
    "draw_node",
    "draw_nodes",
    "idle_move",
    "in_mask",
    "log_block",
    "log_pair",
    "log_value",
    "mate_of",
    "move_node",
    "node_at",
    "nodes_of",
    "pair_values",
    "position_of",
    "table_options",
    "value_share",
]

ALL_VALUES_SHARE = 0.1
"""Probability that the value of a node is drawn from all values, not from its children."""

ALL = -1
"""The mask of all children."""


class Trees(NamedTuple):
    """The canopies within which nodes are drawn, and the probability of a draw from all values."""

    canopies: Canopies
    spread: Floats


def table_options(canopies: Canopies, name: str, attributes: bool = False) -> dict[str, Any]:
    """Build the table of a proposal, and the check that a start has the same canopies."""

    def check(state: Forest) -> None:
        n = state.ids.size
        if not np.array_equal(state.region[:n], canopies.canopy):
            raise InputError(
                f"the start of {name} has other canopies than the proposal; build both from the "
                "same canopy labels"
            )
        if attributes and state.radix.size == 0:
            raise InputError(f"{name} draws attribute values but the start has none; leave it out")

    table = Trees(canopies, np.array([ALL_VALUES_SHARE]))
    return {"table": table, "check": check, "canopies": canopies}


@kernel
def idle_move(node: int) -> Regraft:
    """Return a move that changes nothing."""
    return Regraft(node, 0, -1, ROOT, -1, -1, ROOT, -1, 0, 0, 0, -1)


@kernel
def nodes_of(state: Forest, canopy: int) -> int:
    """Return the number of nodes of a canopy."""
    return state.first[canopy + 1] - state.first[canopy] + state.live[canopy]


@kernel
def draw_canopy(rng: Rng, table: Trees) -> int:
    """Return the canopy of a random mention of the window."""
    window = table.canopies.window
    at = window[0] + below(rng, window[1] - window[0])
    return table.canopies.canopy[table.canopies.order[at]]


@kernel
def node_at(state: Forest, table: Trees, canopy: int, k: int) -> int:
    """Return the k-th node of a canopy: its mentions, then its inner nodes."""
    first = state.first[canopy]
    mentions = state.first[canopy + 1] - first
    if k < mentions:
        return table.canopies.order[first + k]
    return state.ids[first + k - mentions]


@kernel
def draw_node(rng: Rng, table: Trees, state: Forest) -> tuple[int, int, int]:
    """Draw a node of a random canopy; return it, -1 for a second one, and the number of nodes."""
    canopy = draw_canopy(rng, table)
    total = nodes_of(state, canopy)
    return node_at(state, table, canopy, below(rng, total)), -1, total


@kernel
def draw_nodes(rng: Rng, table: Trees, state: Forest) -> tuple[int, int, int]:
    """Draw two nodes of a random canopy; return them and the number; the second may be -1."""
    canopy = draw_canopy(rng, table)
    total = nodes_of(state, canopy)
    i = below(rng, total)
    if total < 2:
        return node_at(state, table, canopy, i), -1, total
    j = below(rng, total - 1)
    if j >= i:
        j += 1
    return node_at(state, table, canopy, i), node_at(state, table, canopy, j), total


@kernel
def mate_of(state: Forest, node: int) -> int:
    """Return the only sibling of a node."""
    return child(state, state.parent[node], 1 - state.slot[node])


@kernel
def position_of(state: Forest, node: int) -> tuple[int, int, int, int]:
    """Return a node's position: parent, way, mate, and values of a parent that would dissolve."""
    parent = state.parent[node]
    if parent < 0:
        return -1, ROOT, -1, 0
    if state.size[parent] > 2:
        return parent, JOIN, -1, 0
    return parent, PAIR, mate_of(state, node), pack(state, parent)


@kernel
def move_node(state: Forest, node: int, target: int, way: int, at: int, fresh: int) -> Regraft:
    """Return the move of a single node to another position."""
    source, source_way, source_at, gone = position_of(state, node)
    return Regraft(node, 1, source, source_way, source_at, target, way, at, gone, fresh, 0, -1)


@kernel
def value_share(state: Forest, table: Trees, a: int, hits: int, of: int) -> float:
    """Return log P of a value that some of the children have."""
    spread = table.spread[0]
    return math.log((1.0 - spread) * hits / of + spread / state.radix[a])


@kernel
def pair_values(rng: Rng, table: Trees, state: Forest, x: int, y: int) -> int:
    """Draw values for a new node above two."""
    code, unit = 0, 1
    for a in range(state.radix.size):
        if rng.random() < table.spread[0]:
            value = below(rng, state.radix[a]) - 1
        else:
            value = state.value[x if rng.random() < 0.5 else y, a]
        code += unit * (value + 1)
        unit *= state.radix[a]
    return code


@kernel
def log_pair(table: Trees, state: Forest, x: int, y: int, code: int) -> float:
    """Return log P of these values for a new node above two."""
    total = 0.0
    for a in range(state.radix.size):
        value = code % state.radix[a] - 1
        code //= state.radix[a]
        hits = int(state.value[x, a] == value) + int(state.value[y, a] == value)
        total += value_share(state, table, a, hits, 2)
    return total


@kernel
def in_mask(mask: int, k: int) -> bool:
    """Return whether a mask contains the k-th child."""
    return mask == ALL or (mask >> k) & 1 == 1


@kernel
def block_values(
    rng: Rng, table: Trees, state: Forest, parent: int, mask: int, many: int, a: int
) -> int:
    """Draw a value of one attribute for a node above some children of another."""
    if rng.random() < table.spread[0]:
        return below(rng, state.radix[a]) - 1
    left = below(rng, many)
    value = -1
    for k in range(state.size[parent]):
        if in_mask(mask, k):
            if left == 0:
                value = state.value[child(state, parent, k), a]
            left -= 1
    return value


@kernel
def log_value(
    table: Trees, state: Forest, parent: int, mask: int, many: int, a: int, value: int
) -> float:
    """Return log P of that value."""
    hits = 0
    for k in range(state.size[parent]):
        if in_mask(mask, k) and state.value[child(state, parent, k), a] == value:
            hits += 1
    return value_share(state, table, a, hits, many)


@kernel
def log_block(table: Trees, state: Forest, parent: int, mask: int, many: int, code: int) -> float:
    """Return log P of all values of a node above some children of another."""
    total = 0.0
    for a in range(state.radix.size):
        value = code % state.radix[a] - 1
        total += log_value(table, state, parent, mask, many, a, value)
        code //= state.radix[a]
    return total


@kernel
def draw_children(rng: Rng, table: Trees, state: Forest, parent: int) -> tuple[int, int, int]:
    """Draw each child with probability 1/2; return mask, number, and their new parent's values."""
    mask, many = 0, 0
    for k in range(state.size[parent]):
        if rng.random() < 0.5:
            mask += 1 << k
            many += 1
    code, unit = 0, 1
    if many > 1:
        for a in range(state.radix.size):
            value = block_values(rng, table, state, parent, mask, many, a)
            code += unit * (value + 1)
            unit *= state.radix[a]
    return mask, many, code
