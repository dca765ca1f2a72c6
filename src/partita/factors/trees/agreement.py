"""The pairwise model of agreement on trees; the score depends on the partition alone.

As `agreement`, scored from the sums at the roots: a block R that moves from the tree of A to that
of B changes the score by Q(R, B) - Q(R, A - R); a move inside a tree changes nothing. With
`uniform_trees`, the partitions have exactly the posterior of the flat model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from numpy.typing import ArrayLike

from partita.factors.agreement import (
    Agreement,
    choose_store,
    count_sides,
    feature_names,
    first_features,
)
from partita.factors.bags import encode
from partita.factors.stores import Store
from partita.factors.template import Cache, Template, feature_weights
from partita.factors.trees.bags import (
    Branches,
    branches,
    build_size_check,
    compile_upkeep,
    prepare_branches,
)
from partita.kernel import Delta, kernel, push
from partita.states.forest.moves import mentions_moved
from partita.states.forest.nodes import root_of
from partita.states.forest.state import FRESH, JOIN, PAIR, ROOT, Forest, Regraft

__all__ = ["add_branch_sums", "tree_agreement", "tree_agreement_over"]


@kernel
def source_root(state: Forest, move: Regraft) -> int:
    """Return the root of the remaining tree of the source; -1 if nothing remains."""
    if move.source_way == ROOT or (move.source_way == FRESH and move.source_at < 0):
        return -1
    return root_of(state, move.source)


@kernel
def target_root(state: Forest, move: Regraft) -> int:
    """Return the root of the target tree; -1 if the block becomes a tree of its own."""
    if move.target_way == JOIN:
        return root_of(state, move.target)
    if move.target_way == PAIR:
        return root_of(state, move.target_at)
    return root_of(state, move.target_at) if move.target_at >= 0 else -1


@cache
def _side(store: Store) -> Any:
    dots = compile_upkeep(store).dots

    @kernel
    def side(
        table: Agreement,
        moved: int,
        many: int,
        root: int,
        others: int,
        leaves: bool,
        delta: Delta,
    ) -> float:
        """Push the agreement of the block with the other mentions of a tree."""
        bags = table.bags
        sign = -1.0 if leaves else 1.0
        score = 0.0
        for part in range(2 if leaves else 1):
            # exclude the block itself from the tree that contains it
            dots(bags, moved, root if part == 0 else moved)
            for g in range(bags.acc.size):
                first, match = table.feature[g], sign * bags.acc[g]
                if part == 1:
                    match = -match
                score += push(delta, first, match)
                if table.feature[g + 1] > first + 1:
                    score += push(delta, first + 1, -match)
        pairs = sign * many * others
        for g in range(bags.acc.size):
            first = table.feature[g]
            if table.feature[g + 1] > first + 1:
                here = bags.have[moved, g]
                both = sign * here * (bags.have[root, g] - (here if leaves else 0.0))
                score += push(delta, first + 1, both)
                score += push(delta, first + 2, pairs - both)
        return score

    return side


@cache
def _emit(store: Store) -> Any:
    side, block, drop = _side(store), compile_upkeep(store).block, compile_upkeep(store).drop

    @kernel
    def emit(table: Agreement, state: Forest, move: Regraft, k: int, delta: Delta) -> float:
        if move.attribute >= 0:
            return 0.0
        left, entered = source_root(state, move), target_root(state, move)
        root = left if k == 0 else entered
        if left == entered or root < 0:
            return 0.0
        moved, many = block(table.bags, state, move), mentions_moved(state, move)
        others = state.count[root] - (many if k == 0 else 0)
        score = side(table, moved, many, root, others, k == 0, delta)
        if moved == 2 * state.ids.size:
            drop(table.bags, moved)
        return score

    return emit


@cache
def _upkeep(store: Store) -> tuple[Any, Any]:
    """Compile the commit and the room of a table that holds `bags`."""
    inner_commit, inner_room = compile_upkeep(store).commit, compile_upkeep(store).room

    @kernel
    def commit(table: Any, state: Forest, move: Regraft) -> None:
        inner_commit(table.bags, state, move)

    @kernel
    def room(table: Any) -> bool:
        return inner_room(table.bags)

    return commit, room


def add_branch_sums(template: Template, store: Store) -> Template:
    """Add per-chain sums, updated by every move, to a template over `table.bags`."""
    commit, room = _upkeep(store)
    return replace(
        template,
        cache=Cache(
            commit=commit,
            prepare=lambda t, state: t._replace(bags=prepare_branches(store, t.bags, state)),
            room=room,
            grow=lambda t: t._replace(bags=t.bags._replace(store=store.grow(t.bags.store))),
        ),
        check=build_size_check(template.name, template.table.bags.start.size - 1),
    )


def tree_agreement(
    columns: Mapping[str, ArrayLike] | None = None,
    bags: Mapping[str, Any] | None = None,
    *,
    match: float = 1.0,
    mismatch: float = -1.0,
    missing: float = 0.0,
    dot: float = 1.0,
    storage: str = "auto",
    name: str = "agreement",
) -> Template:
    """Build `agreement` over all pairs of mentions below one root; parameters as there."""
    named, bagged, table = encode(columns or {}, bags or {}, name)
    store = choose_store(storage, table, name)
    features = feature_names(named, bagged)
    weights = [match, mismatch, missing] * len(named) + [dot] * len(bagged)
    return tree_agreement_over(branches(table), store, len(named), features, weights, name)


def tree_agreement_over(
    table: Branches, store: Store, columns: int, features: list[str], weights: ArrayLike, name: str
) -> Template:
    """Build the template over encoded mentions; the first groups are columns."""
    names, start = feature_weights(name, features, weights)
    data = Agreement(table, first_features(columns, table.own.shape[1]))
    base = Template(name, Forest, names, start, count_sides, _emit(store), data)
    return add_branch_sums(base, store)
