"""The search of HCOREF 3.2: several moves of two random subtrees, one chosen by its score.

For subtrees in different trees: merge left, merge entity left, merge left and collapse, merge up.
For subtrees in one tree: split right, collapse, sample attribute. Staying is one more choice. This
weighs scores only and has no proposal ratio, so it is a search and not a sampler; `tree_moves` has
the same moves with ratios.
"""

from __future__ import annotations

import math
from typing import Any

from partita.kernel import Context, Rng, below, kernel
from partita.proposals.canopies import Canopies
from partita.proposals.choose import is_chosen, is_usable, log_add
from partita.proposals.proposal import Engine, Proposal
from partita.proposals.trees.draws import (
    ALL,
    Trees,
    block_values,
    draw_nodes,
    idle_move,
    move_node,
    pair_values,
    table_options,
)
from partita.states.forest.nodes import child, next_node, pack, root_of
from partita.states.forest.state import FRESH, JOIN, PAIR, ROOT, Forest, Regraft

__all__ = ["hierarchical"]


@kernel
def merge_subtree(rng: Rng, table: Trees, state: Forest, i: int, j: int, way: int) -> Regraft:
    """Return one of four merges of subtree j into the tree of i; idle if impossible."""
    if way == 0 and state.size[i] > 0:
        return move_node(state, j, i, JOIN, -1, 0)
    if way == 1:
        root = root_of(state, i)
        if root != i and state.size[root] > 0:
            return move_node(state, j, root, JOIN, -1, 0)
    if way == 2 and state.size[i] > 0 and state.size[j] > 0 and state.parent[j] < 0:
        kid, many = child(state, j, 0), state.size[j]
        return Regraft(kid, many, j, FRESH, -1, i, JOIN, -1, pack(state, j), 0, 0, -1)
    if way == 3:
        fresh = pair_values(rng, table, state, i, j)
        return move_node(state, j, next_node(state, i), PAIR, i, fresh)
    return idle_move(j)


@kernel
def change_tree(rng: Rng, table: Trees, state: Forest, i: int, j: int, way: int) -> Regraft:
    """Return one of three changes of the tree that contains i and j; idle if impossible."""
    if way == 0 and state.parent[j] >= 0:
        return move_node(state, j, -1, ROOT, -1, 0)
    if way == 1 and state.size[i] > 0 and state.parent[i] >= 0:
        kid, many, parent = child(state, i, 0), state.size[i], state.parent[i]
        gone = pack(state, i)
        return Regraft(kid, many, i, FRESH, parent, parent, JOIN, -1, gone, 0, 0, -1)
    if way == 2 and state.size[i] > 0 and state.radix.size > 0:
        a = below(rng, state.radix.size)
        new = block_values(rng, table, state, i, ALL, state.size[i], a)
        return Regraft(i, 0, -1, ROOT, -1, -1, ROOT, -1, state.value[i, a], new, 0, a)
    return idle_move(i)


def hierarchical(canopies: Canopies) -> Proposal:
    """Propose the multiple tries of HCOREF 3.2; for searches only."""

    def bind(engine: Engine) -> Any:
        estimate, idle = engine.estimate, engine.idle

        @kernel
        def propose(
            rng: Rng, table: Trees, state: Forest, context: Context, temperature: float
        ) -> tuple[Regraft, float]:
            i, j, _ = draw_nodes(rng, table, state)
            held, total = idle_move(i), 0.0
            context.chosen_score[0] = 0.0
            if j < 0:
                return held, math.inf
            apart = root_of(state, i) != root_of(state, j)
            for way in range(4):
                move = held
                if apart:
                    move = merge_subtree(rng, table, state, i, j, way)
                else:
                    move = change_tree(rng, table, state, i, j, way)
                if idle(move):
                    continue
                score = estimate(rng, context, state, move)
                if not is_usable(context, score):
                    break
                total = log_add(total, score / temperature)
                if is_chosen(rng, total, score / temperature):
                    held = move
                    context.chosen_score[0] = score
            return held, math.inf

        return propose

    options = table_options(canopies, "hierarchical")
    options["table"].spread[0] = 0.0
    return Proposal("hierarchical", Forest, bind, decides=True, map_only=True, **options)
