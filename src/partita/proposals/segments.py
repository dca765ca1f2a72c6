"""Moves of segments: relabel, split, join and shift are all one Recut.

A window is one segment, or a segment and the next one. A token is drawn, then one of the two kinds
of window that begin with the token's segment. Before and after a move exactly one kind gives the
window, and its probability is proportional to the length of the left segment.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from partita.kernel import Context, Floats, NoTable, Rng, below, chance, kernel
from partita.proposals.choose import is_usable
from partita.proposals.proposal import Engine, Proposal, simple
from partita.states.segments import Recut, Segments

__all__ = ["gibbs_recut", "recut"]


@kernel
def draw_window(rng: Rng, state: Segments) -> Recut:
    """Draw a window; return the move that keeps its segments."""
    token = below(rng, state.first.size)
    first, cut, left = state.first[token], state.last[token] + 1, state.label[token]
    if chance(rng, 0.5) or cut == state.end[token]:
        return Recut(first, cut, cut, left, left, cut, left, left)
    end, right = state.last[cut] + 1, state.label[cut]
    return Recut(first, end, cut, left, right, cut, left, right)


@kernel
def replace(window: Recut, cut: int, left: int, right: int) -> Recut:
    """Return the move of a window to another cut and other labels."""
    return Recut(
        window.first,
        window.end,
        window.old_cut,
        window.old_left,
        window.old_right,
        cut,
        left,
        right,
    )


@kernel
def is_allowed(state: Segments, move: Recut) -> bool:
    """Return whether the new segments are short enough for their labels."""
    left, right = move.new_cut - move.first, move.end - move.new_cut
    return left <= state.longest[move.new_left] and right <= state.longest[move.new_right]


@kernel
def log_weight(state: Segments, first: int, cut: int, end: int) -> float:
    """Return the log probability that a token of the left segment draws the window.

    A segment at the end of its line has only one kind of window, which both draws give.
    """
    left = math.log(cut - first)
    return left + math.log(2.0) if cut == end and end == state.end[first] else left


@kernel
def draw_recut(rng: Rng, table: NoTable, state: Segments) -> tuple[Recut, float]:
    """Draw a window, then a cut and labels, all equally likely.

    One segment is drawn with probability 1 / (size * labels), two with 1 / (size * labels^2).
    """
    window = draw_window(rng, state)
    labels, size = state.longest.size, window.end - window.first
    cut = window.first + 1 + below(rng, size)
    left = below(rng, labels)
    right = below(rng, labels) if cut < window.end else left
    move = replace(window, cut, left, right)
    if not is_allowed(state, move):
        return window, 0.0
    first, end = window.first, window.end
    ratio = log_weight(state, first, cut, end) - log_weight(state, first, window.old_cut, end)
    ratio += math.log(labels) * (int(cut < end) - int(window.old_cut < end))
    return move, ratio


def recut() -> Proposal:
    """Propose another cut and other labels of one or two adjacent segments."""
    return simple("recut", Segments, draw_recut)


class Candidates(NamedTuple):
    """Scratch of one chain: scores of a window's candidates, and their log weights."""

    score: Floats
    weight: Floats


@kernel
def list_candidate(window: Recut, labels: int, k: int) -> Recut:
    """Return the k-th candidate of a window: all labels of one segment, then all cuts of two."""
    if k < labels:
        return replace(window, window.end, k, k)
    cut = window.first + 1 + (k - labels) // (labels * labels)
    pair = (k - labels) % (labels * labels)
    return replace(window, cut, pair // labels, pair % labels)


def gibbs_recut() -> Proposal:
    """Draw the cut and the labels of one or two adjacent segments by their scores.

    A candidate's weight includes the probability of its window, which makes the draw reversible.
    """

    def bind(engine: Engine) -> Any:
        estimate, idle = engine.estimate, engine.idle

        @kernel
        def propose(
            rng: Rng, table: Candidates, state: Segments, context: Context, temperature: float
        ) -> tuple[Recut, float]:
            window = draw_window(rng, state)
            labels, top, mass = state.longest.size, -math.inf, 0.0
            count = labels + (window.end - window.first - 1) * labels * labels
            for k in range(count):
                move = list_candidate(window, labels, k)
                score = 0.0 if idle(move) else -math.inf
                if score < 0.0 and is_allowed(state, move):
                    score = estimate(rng, context, state, move)
                    if not is_usable(context, score):
                        return window, math.inf
                table.score[k] = score
                window_weight = log_weight(state, move.first, move.new_cut, move.end)
                table.weight[k] = score / temperature + window_weight
                top = max(top, table.weight[k])
            for k in range(count):
                mass += math.exp(table.weight[k] - top)
            level, running, chosen = rng.random() * mass, 0.0, -1
            for k in range(count):
                share = math.exp(table.weight[k] - top)
                running += share
                if share > 0.0 and (level < running or running >= mass):
                    chosen = k
                    break
            context.chosen_score[0] = table.score[chosen]
            return list_candidate(window, labels, chosen), math.inf

        return propose

    def prepare(table: Candidates, state: Segments) -> Candidates:
        size, labels = int((state.end - state.begin).max()), state.longest.size
        window = min(size, 2 * int(state.longest.max()))
        count = labels + window * labels * labels
        return Candidates(np.zeros(count), np.zeros(count))

    empty = Candidates(np.zeros(0), np.zeros(0))
    return Proposal("gibbs_recut", Segments, bind, empty, prepare=prepare, decides=True)
