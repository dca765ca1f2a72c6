"""The parent-child factors of HCOREF 3.1: a child's bag and that of its parent without it.

Attaching a subtree changes the bags of all its new ancestors, and so the factors of all their
children. The true delta has all of them, at a sparse product for each. The paper's delta evaluates
"only a single parent-child factor between the subtree and the attachment point" (3.2): the changes
along two paths to one state then differ, so no score of a state and no posterior exists. It is
provided, under the name "paper", for comparison in searches.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from partita.errors import InputError
from partita.factors.agreement import choose_store
from partita.factors.bags import encode
from partita.factors.stores import Store
from partita.factors.template import Cache, Template, count_one, feature_weights
from partita.factors.trees.bags import Branches, branches, build_size_check, compile_upkeep
from partita.factors.trees.links import Links, compile_commit, prepare_links, push_cosine, push_node
from partita.kernel import Delta, Floats, kernel
from partita.states.forest.moves import is_moved
from partita.states.forest.nodes import child
from partita.states.forest.state import FRESH, JOIN, PAIR, ROOT, Forest, Regraft

__all__ = ["child_parent", "child_parent_of"]


@cache
def _below(store: Store) -> Any:
    """Compile the factors of a node with another parent, whose bag contains it or will."""
    dots = compile_upkeep(store).dots

    @kernel(inline=False)
    def below(
        table: Links, delta: Delta, node: int, parent: int, inside: bool, sign: float
    ) -> float:
        dots(table.bags, node, parent)
        score, have = 0.0, table.bags.have
        for g in range(table.norm.shape[1]):
            norm, dot, above = table.norm[node, g], table.bags.acc[g], table.norm[parent, g]
            others = have[parent, g]
            if inside:
                dot += table.lost[node, g]
                others -= have[node, g]
            else:
                dot, above = dot + norm, above + 2.0 * dot + norm
            score += push_cosine(table, delta, g, norm, dot, above, have[node, g], others, sign)
        return score

    return below


@cache
def _gather(store: Store) -> tuple[Any, Any]:
    """Compile the sum of a block in scratch, with its length, and its removal."""
    kept = compile_upkeep(store)
    dots, block, drop = kept.dots, kept.block, kept.drop

    @kernel
    def gather(table: Links, state: Forest, move: Regraft) -> int:
        moved = block(table.bags, state, move)
        if moved == 2 * state.ids.size:
            for k in range(state.size[move.source]):
                if is_moved(move, k):
                    kid = child(state, move.source, k)
                    for g in range(table.norm.shape[1]):
                        table.lost[moved, g] += table.lost[kid, g]
            dots(table.bags, moved, moved)
            for g in range(table.norm.shape[1]):
                table.norm[moved, g] = table.bags.acc[g] + table.lost[moved, g]
        return moved

    @kernel
    def scatter(table: Links, state: Forest, moved: int) -> None:
        if moved == 2 * state.ids.size:
            drop(table.bags, moved)
            for g in range(table.norm.shape[1]):
                table.norm[moved, g] = 0.0
                table.lost[moved, g] = 0.0

    return gather, scatter


@kernel
def after(
    table: Links, delta: Delta, node: int, kid: int, moved: int, up: int, sign: float
) -> float:
    """Push the factors of a child once its parent is `node` with or without the moved block.

    `up` selects the change of its product: 0 the content of `acc`, 1 the child contains the moved
    block, 2 the child is the moved block.
    """
    score, have = 0.0, table.bags.have
    for g in range(table.norm.shape[1]):
        dot, gone = table.below[1, g], table.norm[moved, g]
        above = table.norm[node, g] + 2.0 * sign * dot + gone
        norm, mine, product = table.norm[kid, g], have[kid, g], table.up[kid, g]
        if up == 0:
            product += sign * table.bags.acc[g]
        elif up == 1:
            product += sign * (table.below[0, g] + dot) + gone
            norm += 2.0 * sign * table.below[0, g] + gone
            mine += sign * have[moved, g]
        else:
            product = dot + norm
        others = have[node, g] + sign * have[moved, g] - mine
        score += push_cosine(table, delta, g, norm, product, above, mine, others, 1.0)
    return score


@kernel
def is_leaving(move: Regraft, kid: int, k: int) -> bool:
    """Return whether the k-th child of the source is in the moved block."""
    if move.many == 1:
        return kid == move.node
    return is_moved(move, k)


@kernel
def new_parent(move: Regraft, moved: int) -> tuple[bool, int]:
    """Return the bag of the siblings' new parent, and whether it contains them already."""
    home = moved if move.target_way == FRESH else move.target
    return move.source_at >= 0 or move.target_way == FRESH, home


@cache
def _climb(store: Store) -> Any:
    """Compile the changes of all factors from a node to its root."""
    dots = compile_upkeep(store).dots

    @kernel
    def meet(table: Links, node: int, moved: int, sign: float) -> None:
        """Set below[1] to the product of a node with the moved block."""
        dots(table.bags, node, moved)
        for g in range(table.norm.shape[1]):
            inside = table.lost[moved, g] if sign < 0.0 else 0.0
            table.below[1, g] = table.bags.acc[g] + inside

    @kernel(inline=False)
    def climb(
        table: Links,
        state: Forest,
        node: int,
        changed: int,
        moved: int,
        sign: float,
        move: Regraft,
        delta: Delta,
    ) -> float:
        """Push the changes at a node and at all its ancestors.

        At the first node either `changed` is the child that contains the moved block, with
        below[0] their product, or it is -1 and the block is attached or detached there;
        siblings in the block do not count.
        """
        score, first = 0.0, changed < 0
        while node >= 0:
            meet(table, node, moved, sign)
            for k in range(state.size[node]):
                kid = child(state, node, k)
                if first and sign < 0.0 and is_leaving(move, kid, k):
                    continue
                score += push_node(table, delta, kid, node, -1.0)
                if kid != changed:
                    dots(table.bags, kid, moved)
                score += after(table, delta, node, kid, moved, 1 if kid == changed else 0, sign)
            if first and sign > 0.0 and move.many == 1:
                score += after(table, delta, node, moved, moved, 2, sign)
            for g in range(table.norm.shape[1]):
                table.below[0, g] = table.below[1, g]
            changed, first = node, False
            node = state.parent[node]
        return score

    return climb


@cache
def _block(store: Store) -> Any:
    """Compile the changes of a move of several siblings."""
    climb, below, dots = _climb(store), _below(store), compile_upkeep(store).dots
    gather, scatter = _gather(store)

    @kernel
    def joined(table: Links, delta: Delta, kid: int, source: int, target: int) -> float:
        """Push the factors of a root's child if all its children move to another tree."""
        score, have = 0.0, table.bags.have
        dots(table.bags, source, target)
        for g in range(table.norm.shape[1]):
            table.below[1, g] = table.bags.acc[g]
        dots(table.bags, kid, target)
        for g in range(table.norm.shape[1]):
            above = table.norm[target, g] + 2.0 * table.below[1, g] + table.norm[source, g]
            up = table.bags.acc[g] + table.up[kid, g]
            others = have[target, g] + have[source, g] - have[kid, g]
            norm, mine = table.norm[kid, g], have[kid, g]
            score += push_cosine(table, delta, g, norm, up, above, mine, others, 1.0)
        return score

    @kernel(inline=False)
    def of_block(table: Links, state: Forest, move: Regraft, delta: Delta) -> float:
        """Push the factors of several siblings with both parents, and of the ancestors."""
        score = 0.0
        moved, source, target = gather(table, state, move), move.source, move.target
        inside, home = new_parent(move, moved)
        for k in range(state.size[source]):
            if is_moved(move, k):
                kid = child(state, source, k)
                score += push_node(table, delta, kid, source, -1.0)
                if inside:
                    score += below(table, delta, kid, home, True, 1.0)
                else:
                    score += joined(table, delta, kid, source, target)
        if move.source_way == FRESH:
            if move.source_at >= 0:
                score += push_node(table, delta, source, target, -1.0)
            else:
                score += climb(table, state, target, -1, source, 1.0, move, delta)
        elif move.target_at >= 0:
            score += below(table, delta, moved, source, True, 1.0)
        else:
            score += climb(table, state, source, -1, moved, -1.0, move, delta)
        scatter(table, state, moved)
        return score

    return of_block


def _emit(of_one: Any, of_block: Any) -> Any:
    """Compile the delta: first the factors of the old position, then all other changes."""

    @kernel
    def emit(table: Links, state: Forest, move: Regraft, k: int, delta: Delta) -> float:
        if move.attribute >= 0:
            return 0.0
        if move.many > 1:
            return of_block(table, state, move, delta)
        score = 0.0
        if move.source_way != ROOT:
            score += push_node(table, delta, move.node, move.source, -1.0)
        if move.source_way == PAIR:
            score += push_node(table, delta, move.source_at, move.source, -1.0)
        return score + of_one(table, state, move, delta)

    return emit


@cache
def _true(store: Store) -> Any:
    climb, below, dots, of_block = (
        _climb(store),
        _below(store),
        compile_upkeep(store).dots,
        _block(store),
    )

    @kernel
    def pair(table: Links, delta: Delta, node: int, mate: int) -> float:
        """Push the factors of two nodes below a new parent; below[0] becomes their product."""
        score = below(table, delta, node, mate, False, 1.0)
        score += below(table, delta, mate, node, False, 1.0)
        dots(table.bags, node, mate)
        for g in range(table.norm.shape[1]):
            table.below[0, g] = table.bags.acc[g]
        return score

    @kernel
    def of_one(table: Links, state: Forest, move: Regraft, delta: Delta) -> float:
        score, node = 0.0, move.node
        if move.source_way == PAIR:
            mate = move.source_at
            dots(table.bags, mate, node)
            for g in range(table.norm.shape[1]):
                table.below[0, g] = table.bags.acc[g] + table.norm[node, g]
            parent = state.parent[move.source]
            score += climb(table, state, parent, move.source, node, -1.0, move, delta)
        elif move.source_way == JOIN:
            score += climb(table, state, move.source, -1, node, -1.0, move, delta)
        if move.target_way == PAIR:
            mate = move.target_at
            score += pair(table, delta, node, mate)
            score += climb(table, state, state.parent[mate], mate, node, 1.0, move, delta)
        elif move.target_way == JOIN:
            score += climb(table, state, move.target, -1, node, 1.0, move, delta)
        return score

    return _emit(of_one, of_block)


@cache
def _paper(store: Store) -> Any:
    below = _below(store)
    gather, scatter = _gather(store)

    @kernel(inline=False)
    def of_block(table: Links, state: Forest, move: Regraft, delta: Delta) -> float:
        """Push a factor for each of several siblings with the old parent, and with the new."""
        score, source = 0.0, move.source
        moved = gather(table, state, move)
        inside, home = new_parent(move, moved)
        for k in range(state.size[source]):
            if is_moved(move, k):
                kid = child(state, source, k)
                score += push_node(table, delta, kid, source, -1.0)
                score += below(table, delta, kid, home, inside, 1.0)
        if move.source_way == FRESH and move.source_at >= 0:
            score += push_node(table, delta, source, move.source_at, -1.0)
        scatter(table, state, moved)
        return score

    @kernel
    def of_one(table: Links, state: Forest, move: Regraft, delta: Delta) -> float:
        score, node = 0.0, move.node
        if move.target_way == JOIN:
            score += below(table, delta, node, move.target, False, 1.0)
        elif move.target_way == PAIR:
            score += below(table, delta, node, move.target_at, False, 1.0)
            score += below(table, delta, move.target_at, node, False, 1.0)
        return score

    return _emit(of_one, of_block)


def child_parent(
    bags: Mapping[str, Any],
    *,
    cosine: float = 4.0,
    distance: float = -4.0,
    delta: str = "true",
    storage: str = "auto",
    name: str = "child_parent",
) -> Template:
    """Score the cosines of nodes' bags with those of their parents without them.

    Parameters
    ----------
    bags, storage
        As for `agreement`.
    cosine, distance
        Start weights of the cosine and of 1 less it: 4 and -4 shift and scale it to between -4
        and 4 (HCOREF 4.1).
    delta
        "true" has every factor that a move changes; "paper" only those at the attachment point,
        which `sample(..., mode="posterior")` refuses.
    """
    _, bagged, table = encode({}, bags, name)
    store = choose_store(storage, table, name)
    weights = [cosine, distance] * len(bagged)
    return child_parent_of(branches(table), bagged, store, weights, delta, name)


def child_parent_of(
    table: Branches,
    bags: list[str],
    store: Store,
    weights: Sequence[float],
    delta: str = "true",
    name: str = "child_parent",
    lost: Floats | None = None,
) -> Template:
    """Build the template from encoded mentions, with cosine and distance weights for each bag.

    `lost` is the squared length, by mention and group, of features that the rows omit because no
    other mention has them.
    """
    if delta not in ("true", "paper"):
        raise InputError(f"{name}: delta is {delta!r}; give 'true' or 'paper'")
    features = [f"{bag}:{kind}" for bag in bags for kind in ("cosine", "distance")]
    names, start = feature_weights(name, features, weights)
    none = np.zeros((0, len(bags)))
    unseen = np.zeros_like(table.own) if lost is None else lost
    commit, room = compile_commit(store)
    return Template(
        name,
        Forest,
        names,
        start,
        count_one,
        (_true if delta == "true" else _paper)(store),
        Links(table, none, none, unseen, np.zeros((2, len(bags)))),
        cache=Cache(
            commit=commit,
            prepare=lambda t, state: prepare_links(store, t, state),
            room=room,
            grow=lambda t: t._replace(bags=t.bags._replace(store=store.grow(t.bags.store))),
        ),
        check=build_size_check(name, table.start.size - 1),
        map_only=delta == "paper",
    )
