"""F1 of pairs and of mentions (B-cubed) as objectives, from counts; gains are differences."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from partita.kernel import Floats, Ints, kernel
from partita.learning.objectives import Objective, build_size_check
from partita.states import Partition, Regroup
from partita.states.checks import named
from partita.states.partition import canonical, leaver, member, stayer

__all__ = ["b_cubed_f1", "pair_f1"]


class Counted(NamedTuple):
    """The true entity of each mention, and the counts behind the score of a chain's state."""

    label: Ints
    size: Ints
    """Mentions of each true entity."""
    seen: Ints
    """Scratch: for each true entity, the mentions that stay, leave, and are in the target."""
    now: Floats
    """Two sums that determine the score of the state."""
    then: Floats
    """The same sums after the last evaluated move."""


@kernel
def accept_counts(truth: Counted, state: Partition, move: Regroup) -> None:
    """Accept the move: replace the current sums by those after it."""
    truth.now[0] = truth.then[0]
    truth.now[1] = truth.then[1]


@kernel
def pair_score(right: float, joined: float, true: float) -> float:
    """Return F1 of pairs; 1 if no pair is merged and none should be."""
    both = joined + true
    return 2.0 * right / both if both > 0.0 else 1.0


@kernel
def pair_f1_gain(truth: Counted, state: Partition, move: Regroup) -> float:
    """Return the change of F1 = 2 tp / (merged pairs + true pairs)."""
    right, true = 0, 0.0
    staying, there = state.size[move.source] - move.many, state.size[move.target]
    for k in range(move.many):
        mine = truth.label[leaver(state, move, k)]
        for m in range(staying):
            right -= 1 if truth.label[stayer(state, move, m)] == mine else 0
        for m in range(there):
            right += 1 if truth.label[member(state, move.target, m)] == mine else 0
    true = float(truth.seen[0, 0])
    truth.then[0] = truth.now[0] + right
    truth.then[1] = truth.now[1] + move.many * (there - staying)
    after = pair_score(truth.then[0], truth.then[1], true)
    return after - pair_score(truth.now[0], truth.now[1], true)


@kernel
def share(count: int, size: int) -> float:
    """Return count^2 / size, and 0 for an empty entity."""
    return count * count / size if size > 0 else 0.0


@kernel
def add_entity(truth: Counted, label: int, here: int, there: int, many: int) -> None:
    """Add the changes of one true entity to both sums, once; reset `seen` to 0."""
    stay, leave, have = truth.seen[label, 0], truth.seen[label, 1], truth.seen[label, 2]
    if stay + leave + have == 0:
        return
    truth.then[0] += share(stay, here - many) + share(have + leave, there + many)
    truth.then[0] -= share(stay + leave, here) + share(have, there)
    squares = stay * stay + (have + leave) ** 2 - (stay + leave) ** 2 - have * have
    truth.then[1] += squares / truth.size[label]
    truth.seen[label, 0] = 0
    truth.seen[label, 1] = 0
    truth.seen[label, 2] = 0


@kernel
def b_cubed_gain(truth: Counted, state: Partition, move: Regroup) -> float:
    """Return the change of F1 of B-cubed precision and recall (Bagga and Baldwin 1998).

    Over entities C and true entities T, n precision = sum |C and T|^2 / |C|, and n recall
    = sum |C and T|^2 / |T|; both change in the two entities of the move only.
    """
    here, there = state.size[move.source], state.size[move.target]
    for k in range(here - move.many):
        truth.seen[truth.label[stayer(state, move, k)], 0] += 1
    for k in range(move.many):
        truth.seen[truth.label[leaver(state, move, k)], 1] += 1
    for k in range(there):
        truth.seen[truth.label[member(state, move.target, k)], 2] += 1
    truth.then[0] = truth.now[0]
    truth.then[1] = truth.now[1]
    for k in range(here):
        label = truth.label[member(state, move.source, k)]
        add_entity(truth, label, here, there, move.many)
    for k in range(there):
        label = truth.label[member(state, move.target, k)]
        add_entity(truth, label, here, there, move.many)
    n = state.entity.size
    after = 2.0 * truth.then[0] * truth.then[1] / (truth.then[0] + truth.then[1]) / n
    return after - 2.0 * truth.now[0] * truth.now[1] / (truth.now[0] + truth.now[1]) / n


def count_shared(label: Ints, state: Partition) -> Ints:
    """Count the mentions that each entity shares with each true entity, where not 0."""
    pairs = np.stack([canonical(state.entity), label], 1)
    cells, count = np.unique(pairs, axis=0, return_counts=True)
    return np.column_stack([cells, count])


def pair_begin(truth: Counted, state: Partition) -> Counted:
    """Count the true pairs and merged pairs of a state."""
    count = count_shared(truth.label, state)[:, 2]
    right = int((count * (count - 1) // 2).sum())
    joined = int((state.size * (state.size - 1) // 2).sum())
    return truth._replace(now=np.array([right, joined], float), then=np.zeros(2))


def b_cubed_begin(truth: Counted, state: Partition) -> Counted:
    """Sum precision and recall over the mentions of a state."""
    shared = count_shared(truth.label, state)
    squares = shared[:, 2].astype(float) ** 2
    sizes = np.bincount(canonical(state.entity))
    precision = float((squares / sizes[shared[:, 0]]).sum())
    recall = float((squares / truth.size[shared[:, 1]]).sum())
    now = np.array([precision, recall])
    return truth._replace(seen=np.zeros_like(truth.seen), now=now, then=np.zeros(2))


def pair_f1(truth: ArrayLike) -> Objective:
    """Use F1 of merged pairs as the objective, from one true label per mention."""
    label = canonical(named(truth, "true labels"))
    size = np.bincount(label)
    true = np.full((1, 3), int((size * (size - 1) // 2).sum()))
    counted = Counted(label, size, true, np.zeros(2), np.zeros(2))
    return Objective(
        "pair_f1",
        Partition,
        pair_f1_gain,
        counted,
        build_size_check(label),
        accept_counts,
        pair_begin,
        lambda start: Partition.of(label),
    )


def b_cubed_f1(truth: ArrayLike) -> Objective:
    """Use B-cubed F1 as the objective, from one true label per mention."""
    label = canonical(named(truth, "true labels"))
    size = np.bincount(label)
    counted = Counted(label, size, np.zeros((size.size, 3), np.int64), np.zeros(2), np.zeros(2))
    return Objective(
        "b_cubed_f1",
        Partition,
        b_cubed_gain,
        counted,
        build_size_check(label),
        accept_counts,
        b_cubed_begin,
        lambda start: Partition.of(label),
    )
