"""Priors on the shape of entity trees, and factors between the attribute values of their nodes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from partita.errors import InputError
from partita.factors.template import Template, count_one, feature_weights
from partita.factors.trees.bags import build_size_check
from partita.kernel import Delta, Floats, Ints, kernel, push
from partita.states.checks import integers, whole
from partita.states.forest.moves import is_moved, mentions_moved
from partita.states.forest.nodes import child, root_of
from partita.states.forest.state import FRESH, JOIN, PAIR, ROOT, Forest, Regraft

__all__ = ["tree_shape", "tree_values", "uniform_trees"]


class Shape(NamedTuple):
    """The preferred number of children of a node."""

    best: Ints


@kernel
def score_width(table: Shape, size: int) -> float:
    """Return 1 / (|children - best| + 1), and 0 for a node without children."""
    if size == 0:
        return 0.0
    return 1.0 / (abs(size - table.best[0]) + 1.0)


@kernel
def has_parent(state: Forest, node: int) -> float:
    """Return 1 if the node has a parent."""
    return 1.0 if state.parent[node] >= 0 else 0.0


@kernel
def emit_shape(table: Shape, state: Forest, move: Regraft, k: int, delta: Delta) -> float:
    """Push the changes of width, of inner nodes below a root, and of roots.

    An inner node counts as intermediate if it has a parent. Attaching a root below another node, or
    dissolving a node's parent, therefore changes that number too.
    """
    if move.attribute >= 0:
        return 0.0
    n = state.ids.size
    width, inner, roots = 0.0, 0.0, 0.0
    source, target, at = move.source, move.target, move.source_at
    # a block of siblings within one tree: a node appears on one side or disappears from the other
    gather = move.many > 1 and move.target_way == FRESH and move.target_at >= 0
    collapse = move.many > 1 and move.source_way == FRESH and at >= 0
    if move.source_way == JOIN:
        after = state.size[source] - move.many + (1 if gather else 0)
        width += score_width(table, after) - score_width(table, state.size[source])
    elif move.source_way >= PAIR:
        width -= score_width(table, state.size[source])
        inner -= has_parent(state, source)
        if move.source_way == PAIR:
            if at >= n:
                inner += has_parent(state, source) - 1.0
        elif at < 0:
            roots -= 1.0
    else:
        roots -= 1.0
    if move.target_way == JOIN:
        after = state.size[target] + move.many - (1 if collapse else 0)
        width += score_width(table, after) - score_width(table, state.size[target])
    elif move.target_way >= PAIR:
        width += score_width(table, move.many + (1 if move.target_way == PAIR else 0))
        if move.target_way == PAIR:
            inner += has_parent(state, move.target_at)
            if move.target_at >= n:
                inner += 1.0 - has_parent(state, move.target_at)
        elif move.target_at >= 0:
            inner += 1.0
        else:
            roots += 1.0
    else:
        roots += 1.0
    if move.many == 1 and move.node >= n:
        before = 0.0 if move.source_way == ROOT else 1.0
        inner += (0.0 if move.target_way == ROOT else 1.0) - before
    return push(delta, 0, width) + push(delta, 1, inner) + push(delta, 2, roots)


def tree_shape(
    *,
    width: int = 8,
    encourage: float = 1.0,
    node_cost: float = 8.0,
    root_cost: float = 7.0,
    name: str = "shape",
) -> Template:
    """Build priors on the structure of trees (HCOREF 4.1).

    Parameters
    ----------
    width, encourage
        Every inner node scores encourage / (|children - width| + 1).
    node_cost
        Cost of an intermediate node, which has both children and a parent: it controls depth.
    root_cost
        Cost of an entity.
    """
    names, weights = feature_weights(
        name, ["width", "nodes", "roots"], [encourage, -node_cost, -root_cost]
    )
    table = Shape(np.array([whole(width, f"{name}: the width", 2)]))
    return Template(name, Forest, names, weights, count_one, emit_shape, table)


class Numbers(NamedTuple):
    """Return the log of the number of trees over a number of mentions."""

    log: Floats


@kernel
def emit_uniform(table: Numbers, state: Forest, move: Regraft, k: int, delta: Delta) -> float:
    """Push minus the change of log T(mentions), summed over trees."""
    if move.attribute >= 0 or (move.many > 1 and (move.source_at >= 0 or move.target_at >= 0)):
        return 0.0
    moved, change = mentions_moved(state, move), 0.0
    if move.source_way == ROOT or move.source_way == FRESH:
        change -= table.log[moved]
    else:
        whole_tree = state.count[root_of(state, move.source)]
        change += table.log[whole_tree - moved] - table.log[whole_tree]
    if move.target_way == ROOT or move.target_way == FRESH:
        change += table.log[moved]
    else:
        place = move.target_at if move.target_way == PAIR else move.target
        there = state.count[root_of(state, place)]
        change += table.log[there + moved] - table.log[there]
    return push(delta, 0, -change)


@cache
def log_trees(n: int) -> Floats:
    """Return log T(m), m = 0..n: trees over m mentions; inner nodes have two children or more.

    T(m) solves exp(A) = 2 A - x + 1 for its exponential generating function A. The first EXACT
    terms are counted; the others follow from n^(n-1) sqrt(r) / (e^n r^n), r = 2 log 2 - 1, scaled
    to agree with the last counted term.
    """
    counted = [0, 1]
    # T(m + 1) = (m + 2) T(m) + 2 sum_{k=2}^{m-1} C(m, k) T(k) T(m - k + 1)
    for m in range(1, min(n, EXACT)):
        pairs = sum(math.comb(m, k) * counted[k] * counted[m - k + 1] for k in range(2, m))
        counted.append((m + 2) * counted[m] + 2 * pairs if m > 1 else 1)
    log = np.zeros(n + 1)
    last = min(n, EXACT)
    log[1 : last + 1] = [math.log(t) for t in counted[1 : last + 1]]
    if n > last:
        ratio = 2.0 * math.log(2.0) - 1.0
        size = np.arange(last, n + 1, dtype=float)
        rough = (size - 1) * np.log(size) - size - size * math.log(ratio)
        log[last:] = log[last] + rough - rough[0]
    return log


EXACT = 150
"""Largest number of mentions whose trees are counted exactly: Python integers of 1,000 bits."""


def uniform_trees(n: int, *, name: str = "trees") -> Template:
    """Make all trees over the same mentions equally likely, so entities score as if flat.

    The score is minus the log of the number of trees over the mentions of each entity, of which
    there are at most n. It is exact up to 150 mentions; beyond, the relative error is 1e-3.
    """
    names, weights = feature_weights(name, ["number"], 1.0)
    table = Numbers(log_trees(whole(n, f"{name}: the number of mentions")))
    return Template(name, Forest, names, weights, count_one, emit_uniform, table)


class Values(NamedTuple):
    """For each value of each attribute, a group of similar values, and whether it is short."""

    start: Ints
    group: Ints
    short: Ints


@kernel
def compare_values(table: Values, a: int, x: int, y: int) -> int:
    """Compare two values: 0 equal, 1 similar, 2 different, -1 if one is missing."""
    if x < 0 or y < 0:
        return -1
    if x == y:
        return 0
    p, q = table.start[a] + x, table.start[a] + y
    if table.group[p] == table.group[q] and table.short[p] + table.short[q] > 0:
        return 1
    return 2


@kernel
def link(table: Values, a: int, x: int, y: int, sign: float, delta: Delta) -> float:
    """Push the factor between the value of a node and that of its parent."""
    how = compare_values(table, a, x, y)
    return push(delta, 3 * a + how, sign) if how >= 0 else 0.0


@kernel
def links_of_block(
    table: Values, state: Forest, move: Regraft, a: int, value: int, sign: float, delta: Delta
) -> float:
    """Push the factors of the moved nodes with a parent of that value."""
    if move.many == 1:
        return link(table, a, state.value[move.node, a], value, sign, delta)
    score = 0.0
    for k in range(state.size[move.source]):
        if is_moved(move, k):
            score += link(
                table, a, state.value[child(state, move.source, k), a], value, sign, delta
            )
    return score


@kernel
def emit_values(table: Values, state: Forest, move: Regraft, k: int, delta: Delta) -> float:
    """Push the factors of links that the move adds and removes; no other factor changes."""
    score = 0.0
    value, parent = state.value, state.parent
    if move.attribute >= 0:
        a = move.attribute
        for q in range(state.size[move.node]):
            below = value[child(state, move.node, q), a]
            score += link(table, a, below, move.gone, -1.0, delta)
            score += link(table, a, below, move.fresh, 1.0, delta)
        if parent[move.node] >= 0:
            above = value[parent[move.node], a]
            score += link(table, a, move.gone, above, -1.0, delta)
            score += link(table, a, move.fresh, above, 1.0, delta)
        return score
    gone, fresh = move.gone, move.fresh
    for a in range(state.radix.size):
        old, new = gone % state.radix[a] - 1, fresh % state.radix[a] - 1
        gone, fresh = gone // state.radix[a], fresh // state.radix[a]
        if move.source_way != ROOT:
            here = old if move.source_way >= PAIR else value[move.source, a]
            score += links_of_block(table, state, move, a, here, -1.0, delta)
        if move.source_way >= PAIR:
            above = parent[move.source]
            if above >= 0:
                score += link(table, a, old, value[above, a], -1.0, delta)
            if move.source_way == PAIR:
                mate = value[move.source_at, a]
                score += link(table, a, mate, old, -1.0, delta)
                if above >= 0:
                    score += link(table, a, mate, value[above, a], 1.0, delta)
        if move.target_way != ROOT:
            there = new if move.target_way >= PAIR else value[move.target, a]
            score += links_of_block(table, state, move, a, there, 1.0, delta)
        if move.target_way >= PAIR:
            above = parent[move.target_at] if move.target_way == PAIR else move.target_at
            if above >= 0:
                score += link(table, a, new, value[above, a], 1.0, delta)
            if move.target_way == PAIR:
                mate = value[move.target_at, a]
                score += link(table, a, mate, new, 1.0, delta)
                if above >= 0:
                    score += link(table, a, mate, value[above, a], -1.0, delta)
    return score


def tree_values(
    names: Sequence[str],
    n: int,
    *,
    groups: Sequence[ArrayLike],
    short: Sequence[ArrayLike],
    match: float | Sequence[float] = 2.0,
    alike: float | Sequence[float] = 1.0,
    mismatch: float | Sequence[float] = -8.0,
    name: str = "values",
) -> Template:
    """Score the compatibility of the attribute values of a node and its parent (HCOREF 3.1, 4.1).

    The values of inner nodes are variables of the state, so a move changes the factors of the
    links that it adds and removes, and no others.

    Parameters
    ----------
    names
        The attributes of the start, in their order.
    n
        Number of mentions.
    groups, short
        By attribute, one number and one 0 or 1 per value: two values of one group, one of which
        is short (such as a name and its initial), are similar.
    match, alike, mismatch
        Start weights, one for all attributes or one each; a missing value scores 0.
    """
    kinds = list(names)
    if not (len(groups) == len(short) == len(kinds)) or not kinds:
        raise InputError(f"{name} has {len(kinds)} attributes; give groups and short for each")
    group = [integers(part, f"{name}: groups") for part in groups]
    brief = [integers(part, f"{name}: short") for part in short]
    for kind, part, other in zip(kinds, group, brief, strict=True):
        if part.shape != other.shape or part.ndim != 1:
            raise InputError(f"{name}: groups and short of {kind!r} have different lengths")
    start = np.cumsum([0] + [part.size for part in group])
    features = [f"{kind}:{how}" for kind in kinds for how in ("match", "alike", "mismatch")]
    values = [np.broadcast_to(np.asarray(w, float), len(kinds)) for w in (match, alike, mismatch)]
    shown, weights = feature_weights(name, features, np.stack(values, 1).reshape(-1))
    table = Values(start, np.concatenate(group), np.concatenate(brief))

    def check(state: Forest) -> None:
        build_size_check(name, n)(state)
        if not np.array_equal(state.radix - 1, np.diff(start)):
            raise InputError(
                f"{name} has attributes of {np.diff(start).tolist()} values but the start has "
                f"{(state.radix - 1).tolist()}; give the start the same domain"
            )

    return Template(name, Forest, shown, weights, count_one, emit_values, table, check=check)
