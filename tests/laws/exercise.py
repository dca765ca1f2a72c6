"""One-to-one linkage of two clean sources, written by following CONTRIBUTING.md alone.

A state (`Matching`), two proposals, a template and its naive twin, entered into every law.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partita.errors import InputError
from partita.factors import Model
from partita.factors.template import Template, feature_weights, finite
from partita.kernel import Delta, Floats, Ints, NoTable, Rng, below, chance, kernel, push
from partita.proposals import mixture, multi_try
from partita.proposals.proposal import Proposal, simple
from partita.states import Space, register_space
from tests.laws.registry import Subject, register

__all__ = ["Matching", "Relink", "link_or_leave", "linkage", "linkage_phi", "pick_two"]


class Matching(NamedTuple):
    """The partner of each left and of each right thing, -1 for none."""

    left: Ints
    right: Ints

    @classmethod
    def of(cls, partners: ArrayLike, rights: int) -> Matching:
        """From the partner of each left thing (-1 for none) and the number of right things."""
        left = np.array(partners, np.int64)
        if left.ndim != 1 or left.size == 0 or rights < 1:
            raise InputError(f"{left.size} and {rights} things cannot be linked; give some of both")
        if left.min() < -1 or left.max() >= rights:
            raise InputError(f"{left.tolist()} names no right thing; use -1..{rights - 1}")
        linked = np.flatnonzero(left >= 0)
        if np.unique(left[linked]).size < linked.size:
            raise InputError(f"{left.tolist()} links a right thing twice; link each once at most")
        right = np.full(rights, -1, np.int64)
        right[left[linked]] = linked
        return cls(left, right)

    @classmethod
    def empty(cls, lefts: int, rights: int) -> Matching:
        """Nothing is linked."""
        return cls.of(np.full(lefts, -1), rights)


class Relink(NamedTuple):
    """A left thing gives up the right thing `old` for the free one `new`; -1 is none."""

    thing: int
    old: int
    new: int


@kernel
def apply(state: Matching, move: Relink) -> None:
    """Carry the move out."""
    if move.old >= 0:
        state.right[move.old] = -1
    if move.new >= 0:
        state.right[move.new] = move.thing
    state.left[move.thing] = move.new


@kernel
def reverse(move: Relink) -> Relink:
    """The move that leads back."""
    return Relink(move.thing, move.new, move.old)


@kernel
def undo(state: Matching, move: Relink) -> None:
    """Take the move back, bit for bit."""
    apply(state, reverse(move))


@kernel
def idle(move: Relink) -> bool:
    """Whether the move changes nothing."""
    return move.old == move.new


@kernel
def room(state: Matching) -> bool:
    """Whether pools hold what one step may need; this state has none."""
    return True


@kernel
def toward(state: Matching, goal: Matching, k: int) -> Relink:
    """The k-th move of a path from the origin to a goal: give left thing k its partner."""
    return Relink(k, state.left[k], goal.left[k])


def check(state: Matching) -> None:
    """Raise unless every invariant holds."""
    again = Matching.of(state.left, state.right.size)
    if not np.array_equal(again.right, state.right):
        raise InputError(f"partners {state.right.tolist()} differ from {again.right.tolist()}")


def enumerate_matchings(state: Matching) -> Iterator[Matching]:
    """All states of the same size, for the laws."""
    rights = state.right.size
    for partners in itertools.product(range(-1, rights), repeat=state.left.size):
        linked = [j for j in partners if j >= 0]
        if len(set(linked)) == len(linked):
            yield Matching.of(partners, rights)


def observe(state: Matching) -> NDArray[np.int32]:
    """What a draw records: the partner of each left thing."""
    return state.left.astype(np.int32)


register_space(
    Matching,
    Space(
        name="matching",
        apply=apply,
        undo=undo,
        idle=idle,
        reverse=reverse,
        room=room,
        toward=toward,
        path=lambda goal: int(goal.left.size),
        origin=lambda goal: Matching.empty(goal.left.size, goal.right.size),
        copy=lambda state: Matching(state.left.copy(), state.right.copy()),
        grow=lambda state: state,
        check=check,
        observe=observe,
        restore=lambda state, partners: Matching.of(partners, state.right.size),
        facts=lambda state: {"links": float((state.left >= 0).sum())},
        enumerate=enumerate_matchings,
        sites=lambda state: int(state.left.size),
    ),
)


@kernel
def draw_two(rng: Rng, proposal_table: NoTable, state: Matching) -> tuple[Relink, float]:
    """A left and a right thing, whatever the state; what happens is symmetric, so log 1.

    Linked to each other: unlink, and the same two link again. The right one free: the left one
    takes it, and the left one with its old partner (or, if it had none, with the same) leads
    back. The right one taken by another: nothing happens.
    """
    i, j = below(rng, state.left.size), below(rng, state.right.size)
    old = state.left[i]
    if old == j:
        return Relink(i, old, -1), 0.0
    if state.right[j] >= 0:
        return Relink(i, old, old), 0.0
    return Relink(i, old, j), 0.0


def pick_two() -> Proposal:
    """A random left and a random right thing link, unlink, or change partners."""
    return simple("pick_two", Matching, draw_two)


@kernel
def vacancies(state: Matching) -> int:
    """How many right things are free."""
    free = 0
    for j in range(state.right.size):
        if state.right[j] < 0:
            free += 1
    return free


@kernel
def vacancy(state: Matching, k: int) -> int:
    """The k-th free right thing."""
    place = -1
    for _ in range(k + 1):
        place += 1
        while state.right[place] >= 0:
            place += 1
    return place


@kernel
def draw_left(rng: Rng, proposal_table: NoTable, state: Matching) -> tuple[Relink, float]:
    """A left thing i: link it to one of the F free things, or take its partner away.

    Given i, a free one links with probability 1/F each. A linked one leaves with probability
    1/2 (1 if F = 0), else it changes to one of the F. So link: back / forth = F p, with p = 1
    for F = 1, else 1/2; unlink: 1 / ((F + 1) p), with p = 1 for F = 0, else 1/2; change: 1.
    """
    i, free = below(rng, state.left.size), vacancies(state)
    old = state.left[i]
    if old < 0:
        if free == 0:
            return Relink(i, old, old), 0.0
        new = vacancy(state, below(rng, free))
        return Relink(i, old, new), math.log(free if free == 1 else 0.5 * free)
    if free == 0:
        return Relink(i, old, -1), 0.0
    if chance(rng, 0.5):
        return Relink(i, old, -1), -math.log(0.5 * (free + 1))
    return Relink(i, old, vacancy(state, below(rng, free))), 0.0


def link_or_leave() -> Proposal:
    """A random left thing links to a free right one; one that is linked leaves or changes."""
    return simple("link_or_leave", Matching, draw_left)


class Scores(NamedTuple):
    """score[i, j]: how much speaks for linking left i and right j."""

    score: Floats


@kernel
def count(table: Scores, state: Matching, move: Relink) -> int:
    """The link that goes and the link that comes."""
    return int(move.old >= 0) + int(move.new >= 0)


@kernel
def emit(table: Scores, state: Matching, move: Relink, k: int, delta: Delta) -> float:
    """Push the score and the number of the link that goes (first, if there is one) or comes."""
    if k == 0 and move.old >= 0:
        gain = push(delta, 0, -table.score[move.thing, move.old])
        return gain + push(delta, 1, -1.0)
    gain = push(delta, 0, table.score[move.thing, move.new])
    return gain + push(delta, 1, 1.0)


def linkage(
    scores: ArrayLike, weights: ArrayLike = (1.0, 0.0), *, name: str = "linkage"
) -> Template:
    """score = weights[0] * sum of scores[i, j] over links + weights[1] * number of links."""
    table = finite(scores, name)
    if table.ndim != 2:
        raise InputError(f"{name} has scores of {table.ndim} dimensions; give left by right")
    features, values = feature_weights(name, ["score", "links"], weights)

    def fits(state: Matching) -> None:
        if table.shape != (state.left.size, state.right.size):
            raise InputError(
                f"{name} scores {table.shape} things, the start has "
                f"{(state.left.size, state.right.size)}; give as many"
            )

    def bound(w: Floats) -> float:
        return float(np.abs(w[0] * table + w[1]).max())

    return Template(
        name, Matching, features, values, count, emit, Scores(table), bound=bound, check=fits
    )


def linkage_phi(scores):
    """The naive twin: the two statistics from scratch."""

    def phi(partners):
        links = [(i, j) for i, j in enumerate(partners) if j >= 0]
        return np.array([sum(scores[i, j] for i, j in links), float(len(links))])

    return phi


def matching_subject(lefts, rights):
    """Random scores, and a cost for each link."""
    scores = np.random.default_rng(10 * lefts + rights).normal(size=(lefts, rights))
    model = Model(linkage(scores, (0.9, -0.4)))
    return Subject(model, linkage_phi(scores), Matching.empty(lefts, rights))


TWO, THREE, FEWER = matching_subject(2, 2), matching_subject(2, 3), matching_subject(3, 2)

register("exercise/pick_two 2x2", TWO, pick_two())
register("exercise/pick_two 2x3", THREE, pick_two())
register("exercise/link_or_leave 2x2", TWO, link_or_leave())
register("exercise/link_or_leave 2x3", THREE, link_or_leave())
register("exercise/link_or_leave 3x2", FEWER, link_or_leave())
register("exercise/mixture 2x3", THREE, mixture([pick_two(), link_or_leave()], [0.4, 0.6]))
register("exercise/multi_try 2x2", TWO, multi_try(link_or_leave(), 2))
