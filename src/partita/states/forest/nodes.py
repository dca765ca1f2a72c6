"""Nodes of forests: find, create, free and attach them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from partita.kernel import kernel, order_for, release, take

if TYPE_CHECKING:
    from partita.states.forest.state import Forest

__all__ = [
    "append",
    "child",
    "close_node",
    "find_least",
    "next_node",
    "open_node",
    "pack",
    "resize",
    "root_of",
    "shrink",
    "swap_ids",
    "unpack",
]


@kernel
def child(state: Forest, node: int, k: int) -> int:
    """Return the k-th child of a node."""
    return state.children[np.uint64(state.start[node] + k)]


@kernel
def root_of(state: Forest, node: int) -> int:
    """Return the root of a node's tree."""
    while state.parent[node] >= 0:
        node = state.parent[node]
    return node


@kernel
def next_node(state: Forest, node: int) -> int:
    """Return the id of the next new inner node in the canopy of `node`."""
    canopy = state.region[node]
    return state.ids[state.first[canopy] + state.live[canopy]]


@kernel
def pack(state: Forest, node: int) -> int:
    """Pack all attribute values of a node into one number."""
    code = 0
    for a in range(state.radix.size - 1, -1, -1):
        code = code * state.radix[a] + state.value[node, a] + 1
    return code


@kernel
def unpack(state: Forest, node: int, code: int) -> None:
    """Unpack a number into the attribute values of a node."""
    for a in range(state.radix.size):
        state.value[node, a] = code % state.radix[a] - 1
        code //= state.radix[a]


@kernel(inline=False)
def resize(state: Forest, node: int, order: int) -> None:
    """Move the children of a node to a block of another order."""
    old = state.start[node]
    new = take(state.pool, state.children, order)
    for k in range(state.size[node]):
        state.children[new + k] = state.children[old + k]
    release(state.pool, state.children, old, state.order[node])
    state.start[node] = new
    state.order[node] = order


@kernel
def shrink(state: Forest, node: int) -> None:
    """Shrink a block that is four times too large."""
    size = state.size[node]
    if size > 0 and 4 * size <= 1 << state.order[node]:
        resize(state, node, order_for(2 * size))


@kernel
def swap_ids(state: Forest, a: int, b: int) -> None:
    """Swap two positions of `ids`."""
    n = state.ids.size
    x, y = state.ids[a], state.ids[b]
    state.ids[a] = y
    state.ids[b] = x
    state.rank[y - n] = a
    state.rank[x - n] = b


@kernel
def open_node(state: Forest, node: int, children: int) -> None:
    """Activate an inner node with a block for a number of children."""
    canopy = state.region[node]
    swap_ids(state, state.rank[node - state.ids.size], state.first[canopy] + state.live[canopy])
    state.live[canopy] += 1
    order = order_for(children)
    state.order[node] = order
    state.start[node] = take(state.pool, state.children, order)
    state.size[node] = 0
    state.count[node] = 0
    state.slot[node] = 0


@kernel
def close_node(state: Forest, node: int) -> None:
    """Free the id of an inner node; it is the next to be used again."""
    canopy = state.region[node]
    release(state.pool, state.children, state.start[node], state.order[node])
    state.order[node] = -1
    state.size[node] = 0
    state.count[node] = 0
    state.parent[node] = -1
    state.live[canopy] -= 1
    at = state.first[canopy] + state.live[canopy]
    swap_ids(state, state.rank[node - state.ids.size], at)


@kernel
def append(state: Forest, parent: int, node: int) -> None:
    """Attach a node to a parent as its last child."""
    size = state.size[parent]
    if size == 1 << state.order[parent]:
        resize(state, parent, state.order[parent] + 1)
    state.children[state.start[parent] + size] = node
    state.slot[node] = size
    state.parent[node] = parent
    state.size[parent] = size + 1


@kernel(inline=False)
def find_least(state: Forest) -> None:
    """Fill `least` from each mention upward, in order, to the first node that is already filled."""
    for node in range(state.least.size):
        state.least[node] = -1
    for i in range(state.ids.size):
        node = i
        while node >= 0 and state.least[node] < 0:
            state.least[node] = i
            node = state.parent[node]
