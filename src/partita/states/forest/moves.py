"""Moves of forests: move a block of siblings to another position, and undo it."""

from __future__ import annotations

from partita.kernel import kernel, order_for
from partita.states.forest.nodes import (
    append,
    child,
    close_node,
    open_node,
    resize,
    shrink,
    swap_ids,
    unpack,
)
from partita.states.forest.state import FRESH, PAIR, Forest, Regraft

__all__ = ["apply", "idle", "reverse", "undo"]


@kernel
def is_moved(move: Regraft, k: int) -> bool:
    """Return whether the k-th child of the source is in the moved block."""
    return move.source_way == FRESH or (move.mask >> k) & 1 == 1


@kernel
def mentions_moved(state: Forest, move: Regraft) -> int:
    """Return the number of mentions below the moved block."""
    if move.many == 1:
        return state.count[move.node]
    if move.source_way == FRESH:
        return state.count[move.source]
    total = 0
    for k in range(state.size[move.source]):
        if is_moved(move, k):
            total += state.count[child(state, move.source, k)]
    return total


@kernel
def remove(state: Forest, node: int) -> None:
    """Remove a node from its parent; the last child fills its slot. The node becomes a root."""
    parent = state.parent[node]
    last = state.size[parent] - 1
    filler = child(state, parent, last)
    state.children[state.start[parent] + state.slot[node]] = filler
    state.slot[filler] = state.slot[node]
    state.size[parent] = last
    state.parent[node] = -1
    state.slot[node] = 0
    shrink(state, parent)


@kernel
def put_back(state: Forest, parent: int, node: int, slot: int) -> None:
    """Undo `remove`: restore the node's old slot, and move its filler to the end."""
    append(state, parent, node)
    last, first = state.size[parent] - 1, state.start[parent]
    other = state.children[first + slot]
    state.children[first + last] = other
    state.slot[other] = last
    state.children[first + slot] = node
    state.slot[node] = slot


@kernel
def replace(state: Forest, old: int, new: int) -> None:
    """Put `new` in the position of `old`; detach `old`."""
    parent = state.parent[old]
    state.parent[new] = parent
    state.slot[new] = state.slot[old]
    if parent >= 0:
        state.children[state.start[parent] + state.slot[old]] = new
    state.parent[old] = -1
    state.slot[old] = 0


@kernel
def add_mentions(state: Forest, node: int, mentions: int) -> None:
    """Add to the number of mentions of a node and of all above it."""
    while node >= 0:
        state.count[node] += mentions
        node = state.parent[node]


@kernel
def create(state: Forest, node: int, way: int, at: int, many: int, values: int) -> None:
    """Create the parent of a PAIR or FRESH position, without the block."""
    open_node(state, node, many + 1)
    unpack(state, node, values)
    if way == PAIR:
        replace(state, at, node)
        append(state, node, at)
        state.count[node] = state.count[at]
    elif at >= 0:
        append(state, at, node)
    else:
        state.parent[node] = -1


@kernel
def dissolve(state: Forest, node: int, way: int, at: int) -> None:
    """Undo `create`, after the block is removed."""
    if way == PAIR:
        replace(state, node, at)
    elif state.parent[node] >= 0:
        remove(state, node)
    close_node(state, node)


@kernel
def move_masked(state: Forest, move: Regraft) -> None:
    """Move the children in the mask from the source to the target, in order."""
    source, target, many = move.source, move.target, 0
    kept, gone = 0, 0
    for k in range(state.size[source]):
        node = child(state, source, k)
        if many < move.many and is_moved(move, k):
            append(state, target, node)
            gone += state.count[node]
            many += 1
        else:
            state.children[state.start[source] + kept] = node
            state.slot[node] = kept
            kept += 1
    state.size[source] = kept
    state.count[target] = gone
    if move.target_at < 0:
        add_mentions(state, source, -gone)


@kernel
def move_all(state: Forest, source: int, target: int) -> None:
    """Move all children of the source to the target, in order."""
    for k in range(state.size[source]):
        append(state, target, child(state, source, k))
    state.size[source] = 0


@kernel
def apply(state: Forest, move: Regraft) -> None:
    """Apply the move and record in `trail` how to undo it."""
    if move.attribute >= 0:
        state.value[move.node, move.attribute] = move.fresh
        return
    source, target = move.source, move.target
    if move.target_way >= PAIR:
        create(state, target, move.target_way, move.target_at, move.many, move.fresh)
    if move.many == 1:
        mentions = state.count[move.node]
        state.trail[0] = state.slot[move.node]
        if source >= 0:
            remove(state, move.node)
            add_mentions(state, source, -mentions)
        if target >= 0:
            append(state, target, move.node)
            add_mentions(state, target, mentions)
    elif move.source_way == FRESH:
        state.trail[0] = state.slot[source]
        if move.source_at >= 0:
            remove(state, source)
        move_all(state, source, target)
        if move.source_at < 0:
            add_mentions(state, target, state.count[source])
    else:
        move_masked(state, move)
        shrink(state, source)
    if move.source_way >= PAIR:
        state.trail[1] = state.rank[source - state.ids.size]
        dissolve(state, source, move.source_way, move.source_at)


@kernel
def undo_masked(state: Forest, move: Regraft) -> None:
    """Undo `move_masked`: return the children of the target to the slots of the mask."""
    source, target = move.source, move.target
    left = state.size[source]
    total = left + state.size[target]
    if total > 1 << state.order[source]:
        resize(state, source, order_for(total))
    taken, mentions = move.many, state.count[target]
    for k in range(total - 1, -1, -1):
        if taken > 0 and is_moved(move, k):
            taken -= 1
            node = child(state, target, taken)
        else:
            left -= 1
            node = child(state, source, left)
        state.children[state.start[source] + k] = node
        state.slot[node] = k
        state.parent[node] = source
    state.size[source] = total
    state.size[target] = 0
    if move.target_at < 0:
        add_mentions(state, source, mentions)


@kernel
def undo_all(state: Forest, source: int, target: int, many: int) -> None:
    """Undo `move_all`: return the last children of the target to the source."""
    left = state.size[target] - many
    for k in range(many):
        node = child(state, target, left + k)
        append(state, source, node)
        state.count[source] += state.count[node]
    state.size[target] = left
    shrink(state, target)


@kernel(inline=False)
def undo(state: Forest, move: Regraft) -> None:
    """Undo the last applied move, restoring the order of children and of ids."""
    if move.attribute >= 0:
        state.value[move.node, move.attribute] = move.gone
        return
    source, target = move.source, move.target
    if move.source_way >= PAIR:
        above = move.source_at if move.source_way == PAIR else -1
        create(state, source, move.source_way, above, move.many, move.gone)
        canopy = state.region[source]
        swap_ids(state, state.first[canopy] + state.live[canopy] - 1, state.trail[1])
    if move.many == 1:
        mentions = state.count[move.node]
        if target >= 0:
            remove(state, move.node)
            add_mentions(state, target, -mentions)
        if source >= 0:
            put_back(state, source, move.node, state.trail[0])
            add_mentions(state, source, mentions)
    elif move.source_way == FRESH:
        undo_all(state, source, target, move.many)
        if move.source_at >= 0:
            put_back(state, move.source_at, source, state.trail[0])
        else:
            add_mentions(state, target, -state.count[source])
    else:
        if move.target_at >= 0:
            remove(state, target)
        undo_masked(state, move)
    if move.target_way >= PAIR:
        dissolve(state, target, move.target_way, move.target_at)


@kernel
def idle(move: Regraft) -> bool:
    """Return whether a move changes nothing."""
    if move.attribute >= 0:
        return move.gone == move.fresh
    return move.many == 0


@kernel
def reverse(move: Regraft) -> Regraft:
    """Return the reverse move as `commit` needs it; the mask of a block is unknown."""
    return Regraft(
        move.node,
        move.many,
        move.target,
        move.target_way,
        move.target_at,
        move.source,
        move.source_way,
        move.source_at,
        move.fresh,
        move.gone,
        move.mask,
        move.attribute,
    )
