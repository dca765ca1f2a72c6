"""The Space of forests: paths, checks, records, and the enumeration of small forests."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError
from partita.kernel import Ints, Pool, enlarge, entry, kernel
from partita.states.forest.moves import apply, idle, reverse, undo
from partita.states.forest.nodes import append, child, find_least, next_node, open_node, pack
from partita.states.forest.state import (
    CELLS_PER_STEP,
    JOIN,
    PAIR,
    ROOT,
    Forest,
    Regraft,
    find_roots,
)
from partita.states.partition import canonical
from partita.states.space import Space, register_space

__all__ = ["Forest", "Regraft", "grouping"]

UNUSED = -2
"""The parent, in a record, of an unused id."""


@kernel
def room(state: Forest) -> bool:
    """Return whether the pool can hold the cells of one step."""
    return state.pool.top[0] + CELLS_PER_STEP * state.ids.size <= state.children.size


@kernel
def count_early(goal: Forest, node: int, k: int) -> int:
    """Count the children of a node with a mention below k."""
    count = 0
    for q in range(goal.size[node]):
        if goal.least[child(goal, node, q)] < k:
            count += 1
    return count


@kernel
def root_move(node: int, place: int, way: int, at: int, fresh: int) -> Regraft:
    """Return the move of a root to a position."""
    return Regraft(node, 1, -1, ROOT, -1, place, way, at, 0, fresh, 0, -1)


@kernel
def toward(state: Forest, goal: Forest, k: int) -> Regraft:
    """Return the move of mention k to its position in the goal, restricted to mentions 0..k.

    The ancestors of a mention in the goal with two early children are, in this order, its ancestors
    in the state.
    """
    if k == 0:
        find_least(goal)
    top = k
    while goal.parent[top] >= 0 and goal.least[goal.parent[top]] == k:
        top = goal.parent[top]
    home = goal.parent[top]
    if home < 0:
        return Regraft(k, 0, -1, ROOT, -1, -1, ROOT, -1, 0, 0, 0, -1)
    mate = goal.least[home]
    above = goal.parent[mate]
    while above != home:
        if count_early(goal, above, k) > 1:
            mate = state.parent[mate]
        above = goal.parent[above]
    if count_early(goal, home, k) > 1:
        return root_move(k, state.parent[mate], JOIN, -1, 0)
    return root_move(k, next_node(state, k), PAIR, mate, pack(goal, home))


def check(state: Forest) -> None:
    """Check every invariant of the arrays (slow; for tests and restored checkpoints)."""
    n = state.ids.size
    if not np.array_equal(state.ids[state.rank] - n, np.arange(n)):
        raise InputError("ids and rank of the forest are not inverse")
    used = np.concatenate(
        [state.ids[a : a + m] for a, m in zip(state.first[:-1], state.live, strict=True)]
    )
    alive = np.concatenate([np.arange(n), used])
    if (state.size[used] < 2).any() or (state.size[:n] != 0).any():
        raise InputError("an inner node of the forest has fewer than two children")
    hung = alive[state.parent[alive] >= 0]
    above = state.parent[hung]
    if not np.array_equal(np.bincount(above, minlength=2 * n)[n:], state.size[n:]):
        raise InputError("children of the forest do not match its parents")
    if not np.array_equal(state.children[state.start[above] + state.slot[hung]], hung):
        raise InputError("slots of the forest do not match its children")
    if (state.region[above] != state.region[hung]).any():
        raise InputError("a tree of the forest crosses canopies")
    totals = np.zeros(2 * n, np.int64)
    node = np.arange(n)
    while node.size:
        totals += np.bincount(node, minlength=2 * n)
        node = state.parent[node]
        node = node[node >= 0]
    if not np.array_equal(totals, state.count):
        raise InputError("the numbers of mentions below the nodes of the forest are wrong")
    if ((state.value < -1) | (state.value >= state.radix - 1))[alive].any():
        raise InputError("an attribute value of the forest is outside its domain")


def copy(state: Forest) -> Forest:
    """Copy a forest and its arrays."""
    pool = Pool(state.pool.free.copy(), state.pool.top.copy())
    top = int(state.pool.top[0])
    children = np.empty_like(state.children)
    children[:top] = state.children[:top]
    own = {
        name: getattr(state, name).copy()
        for name in state._fields
        if name not in ("pool", "children")
    }
    return Forest(**own, pool=pool, children=children)


def grow(state: Forest) -> Forest:
    """Return the same forest with a pool twice as long."""
    return state._replace(children=enlarge(state.children, 2 * state.children.size))


@entry
def record(state: Forest, out: Ints) -> None:
    """Return parents of all nodes and values of inner nodes, numbered by first mention.

    Among inner nodes with the same first mention, the lowest comes first.
    """
    n = state.ids.size
    for node in range(2 * n):
        state.least[node] = -1
        out[node] = UNUSED
    for q in range(2 * n, out.size):
        out[q] = -1
    last = n
    for i in range(n):
        state.least[i] = i
        node = i
        while True:
            above, mine = state.parent[node], state.least[node]
            if above < 0:
                out[mine] = -1
                break
            known = state.least[above] >= 0
            if not known:
                state.least[above] = last
                for a in range(state.radix.size):
                    out[2 * n + (last - n) * state.radix.size + a] = state.value[above, a]
                last += 1
            out[mine] = state.least[above]
            if known:
                break
            node = above


def observe(state: Forest) -> NDArray[np.int32]:
    """Return canonical parents, then the values of inner nodes, as a draw records them."""
    out = np.zeros(sites(state), np.int64)
    record(state, out)
    return out.astype(np.int32)


def sites(state: Forest) -> int:
    """Return the length of a record."""
    return int(state.ids.size * (2 + state.radix.size))


def origin(like: Forest) -> Forest:
    """Build a forest of singletons with the same arrays."""
    n = like.ids.size
    value = like.value.copy()
    value[n:] = -1
    bare = {name: np.full(2 * n, -1, np.int64) for name in ("parent", "order")}
    zero = {name: np.zeros(2 * n, np.int64) for name in ("slot", "size", "start", "least")}
    return like._replace(
        **bare,
        **zero,
        children=np.empty_like(like.children),
        pool=Pool(np.full_like(like.pool.free, -1), np.zeros(1, np.int64)),
        count=np.repeat(np.array([1, 0]), n),
        live=np.zeros_like(like.live),
        ids=np.arange(n, 2 * n),
        rank=np.arange(n),
        value=value,
        trail=np.zeros_like(like.trail),
    )


@entry
def _attach_all(state: Forest, parent: Ints, name: Ints, values: Ints) -> None:
    """Attach the nodes of a record to their parents; `name` is scratch."""
    n = state.ids.size
    for i in range(2 * n):
        name[i] = i if i < n else -1
    for i in range(n):
        node = i
        while parent[node] >= 0 and name[parent[node]] < 0:
            fresh = next_node(state, i)
            open_node(state, fresh, 2)
            name[parent[node]] = fresh
            for a in range(state.radix.size):
                state.value[fresh, a] = values[parent[node] - n, a]
            node = parent[node]
    for node in range(2 * n):
        if parent[node] >= 0:
            append(state, name[parent[node]], name[node])
    for i in range(n):
        node = state.parent[i]
        while node >= 0:
            state.count[node] += 1
            node = state.parent[node]


def restore(like: Forest, observed: NDArray[Any]) -> Forest:
    """Build the forest of a record."""
    n = like.ids.size
    state = origin(like)
    values = observed[2 * n :].astype(np.int64).reshape(n, state.radix.size)
    _attach_all(state, observed[: 2 * n].astype(np.int64), np.zeros(2 * n, np.int64), values)
    return state


def grouping(like: Forest, observed: NDArray[Any]) -> NDArray[np.int32]:
    """Return entity numbers of the mentions of a record."""
    return canonical(find_roots(observed[: 2 * like.ids.size])).astype(np.int32)


def facts(state: Forest) -> dict[str, float]:
    """Return scalars to trace: entities, the largest, and inner nodes."""
    n = state.ids.size
    inner = int(state.live.sum())
    hung = int((state.parent >= 0).sum())
    return {
        "entities": float(n + inner - hung),
        "largest": float(state.count.max()),
        "nodes": float(inner),
    }


Tree = Any
"""A mention, or a tuple of trees."""


def trees(mentions: tuple[int, ...]) -> Iterator[Tree]:
    """Enumerate all trees over mentions whose inner nodes have at least two children."""
    if len(mentions) == 1:
        yield mentions[0]
        return
    for parts in groupings(mentions):
        if len(parts) > 1:
            yield from itertools.product(*(list(trees(part)) for part in parts))


def groupings(mentions: tuple[int, ...]) -> Iterator[list[tuple[int, ...]]]:
    """Enumerate all partitions of mentions."""
    if not mentions:
        yield []
        return
    first, rest = mentions[0], mentions[1:]
    for many in range(len(rest) + 1):
        for mates in itertools.combinations(rest, many):
            others = tuple(m for m in rest if m not in mates)
            for parts in groupings(others):
                yield [(first, *mates), *parts]


def _list_parents(tree: Tree, above: int, parent: list[int]) -> None:
    if isinstance(tree, int):
        parent[tree] = above
        return
    parent.append(above)
    own = len(parent) - 1
    for part in tree:
        _list_parents(part, own, parent)


def enumerate_forests(like: Forest) -> Iterator[Forest]:
    """Enumerate all forests of as many mentions in the same canopies, for tests."""
    n = like.ids.size
    for parts in groupings(tuple(range(n))):
        if any(len({int(like.region[i]) for i in part}) > 1 for part in parts):
            continue
        for forest in itertools.product(*(list(trees(part)) for part in parts)):
            parent = [UNUSED] * n
            for tree in forest:
                _list_parents(tree, -1, parent)
            inner = len(parent) - n
            kinds = [range(-1, size - 1) for size in like.radix]
            for values in itertools.product(itertools.product(*kinds), repeat=inner):
                padded = parent + [UNUSED] * (n - inner)
                row = [value for node in values for value in node]
                row += [-1] * ((n - inner) * like.radix.size)
                yield restore(like, np.array(padded + row))


register_space(
    Forest,
    Space(
        name="forest",
        apply=apply,
        undo=undo,
        idle=idle,
        reverse=reverse,
        room=room,
        toward=toward,
        path=lambda goal: int(goal.ids.size),
        origin=origin,
        copy=copy,
        grow=grow,
        check=check,
        observe=observe,
        restore=restore,
        facts=facts,
        enumerate=enumerate_forests,
        sites=sites,
        grouping=grouping,
    ),
)
