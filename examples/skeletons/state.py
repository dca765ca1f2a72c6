"""Skeleton of a state: the order of n items, with its space, a proposal and a template.

Copy to src/partita/states/ (and the proposal and template to their folders), rename, and change.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partita.errors import InputError
from partita.factors.template import Template, feature_weights, finite
from partita.kernel import Delta, Floats, Ints, NoTable, Rng, below, kernel, push
from partita.proposals.proposal import Proposal, simple
from partita.states import Space, register_space

__all__ = ["Order", "Swap", "precedence", "swap_neighbours"]


class Order(NamedTuple):
    """The item at each position: a NamedTuple of arrays, built by a checked classmethod."""

    at: Ints

    @classmethod
    def of(cls, items: ArrayLike) -> Order:
        """Build an order from a permutation of 0 .. n-1."""
        at = np.array(items, np.int64)
        if at.ndim != 1 or at.size == 0 or not np.array_equal(np.sort(at), np.arange(at.size)):
            raise InputError(f"{at.tolist()} is not an order of 0..n-1; give each number once")
        return cls(at)


class Swap(NamedTuple):
    """Swap the items at two positions: a NamedTuple of scalars."""

    first: int
    second: int


@kernel
def apply(state: Order, move: Swap) -> None:
    """Apply the move."""
    item = state.at[move.first]
    state.at[move.first] = state.at[move.second]
    state.at[move.second] = item


@kernel
def undo(state: Order, move: Swap) -> None:
    """Undo the move, bit for bit."""
    apply(state, move)


@kernel
def idle(move: Swap) -> bool:
    """Return whether the move changes nothing."""
    return move.first == move.second


@kernel
def reverse(move: Swap) -> Swap:
    """Return the reverse move."""
    return move


@kernel
def room(state: Order) -> bool:
    """Return whether pools can hold the cells of one step; this state has none."""
    return True


@kernel
def toward(state: Order, goal: Order, k: int) -> Swap:
    """Return the k-th move of a path from the origin to a goal: bring its item to position k."""
    place = k
    while state.at[place] != goal.at[k]:
        place += 1
    return Swap(k, place)


def check(state: Order) -> None:
    """Raise unless every invariant holds."""
    if not np.array_equal(np.sort(state.at), np.arange(state.at.size)):
        raise InputError("the order contains an item twice")


def enumerate_orders(state: Order) -> Iterator[Order]:
    """Enumerate all states of the same size, for the laws."""
    for items in itertools.permutations(range(state.at.size)):
        yield Order(np.array(items, np.int64))


def observe(state: Order) -> NDArray[np.int32]:
    """Return the record of a draw."""
    return state.at.astype(np.int32)


register_space(
    Order,
    Space(
        name="order",
        apply=apply,
        undo=undo,
        idle=idle,
        reverse=reverse,
        room=room,
        toward=toward,
        path=lambda goal: int(goal.at.size),
        origin=lambda goal: Order(np.arange(goal.at.size)),
        copy=lambda state: Order(state.at.copy()),
        grow=lambda state: state,
        check=check,
        observe=observe,
        restore=lambda like, items: Order.of(items),
        facts=lambda state: {"first": float(state.at[0])},
        enumerate=enumerate_orders,
        sites=lambda state: int(state.at.size),
    ),
)


@kernel
def draw(rng: Rng, table: NoTable, state: Order) -> tuple[Swap, float]:
    """Draw two neighbouring positions; back and forth are equally likely."""
    n = state.at.size
    if n < 2:
        return Swap(0, 0), 0.0
    first = below(rng, n - 1)
    return Swap(first, first + 1), 0.0


def swap_neighbours() -> Proposal:
    """Propose to swap two neighbouring items."""
    return simple("swap_neighbours", Order, draw)


class Wins(NamedTuple):
    """wins[a, b]: the score if a is anywhere before b."""

    wins: Floats


@kernel
def count(table: Wins, state: Order, move: Swap) -> int:
    """Count the pairs that change their order: those with one of the two items, between them."""
    return 2 * (max(move.first, move.second) - min(move.first, move.second)) - 1


@kernel
def emit(table: Wins, state: Order, move: Swap, k: int, delta: Delta) -> float:
    """Push the k-th pair that changes its order: k = 0 is the two items themselves."""
    low, high = min(move.first, move.second), max(move.first, move.second)
    a, b = state.at[low], state.at[high]
    if k > 0:
        between = state.at[low + (k + 1) // 2]
        if k % 2 == 1:
            b = between
        else:
            a = between
    return push(delta, 0, table.wins[b, a] - table.wins[a, b])


def precedence(wins: ArrayLike, weight: float = 1.0, *, name: str = "precedence") -> Template:
    """Build the score weight * sum of wins[a, b] over all a before b."""
    table = finite(wins, name)
    features, weights = feature_weights(name, ["wins"], weight)
    return Template(name, Order, features, weights, count, emit, Wins(table))
