"""The nearest records of each, by whole values and by the character grams of all columns.

Of very many records grams must be long to be rare, and then they find little that whole values do
not: a sample of records tells whether the second search is worth its time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from threading import local
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.blocking.features import encoded, fitting_grams
from partita.blocking.index import Index, build, scratch_for, search, tally
from partita.blocking.ngrams import Small, whole_values
from partita.blocking.rules import Column
from partita.blocking.union import Part

__all__ = ["Nearest", "Progress", "Task", "nearest"]

Progress = Callable[[float], None]

LEAST_CAP, CAP_SHARE = 50, 0.05
"""A feature of more records than this is read only if a record has nothing rarer."""
CHUNK = 2048
"""Records that a thread searches for at once."""
MANY, ASKED = 200_000, 5_000
"""From so many records on, about as many are asked whether grams find more than values."""
NEAR, LEAST_NEAR, MISSED = 0.4, 200, 0.045
"""The cosine of what is near; how many near pairs tell; and the share of them that values may miss
where grams are left out. Measured: values miss 2 to 3 % among a million generated people, which
costs nothing, 6 % on historical_50k, which would cost .004 of F1, and a quarter of titles."""


class Task(NamedTuple):
    """The settings of a search."""

    source: Small
    k: int
    budget: int
    seed: int
    cores: int


class Nearest(NamedTuple):
    """What the searches found."""

    parts: list[Part]
    """By values, and by grams; nothing where no neighbours are wanted."""
    gram: int
    """The length of the grams."""
    messages: tuple[str, ...]
    """What is to be told of each search."""
    asked: Small | None = None
    """The records for which grams were searched, if not for all."""


def nearest(columns: Mapping[str, Column], task: Task, progress: Progress) -> Nearest:
    """The neighbours of each record by whole values, and by grams where these find more."""
    if task.k < 1:
        return Nearest([], 0, ())
    rows, texts, ends = encoded(columns)
    n = rows.shape[0]
    own, traits = np.arange(n, dtype=np.int32), whole_values(ends.size)
    index = build(rows, traits, *tally(rows, traits))
    values = _search(index, task, lambda share: progress(share / 3))
    length, traits, (times, widest) = fitting_grams(rows, texts, ends, task.budget)
    index = build(rows, traits, times, widest)
    if n > MANY:
        asked, near, missed = _asked(index, task, values)
        if missed <= MISSED:
            progress(1.0)
            said = (
                f"grams were searched for {asked.size:,} records only: "
                f"values find {1 - missed:.1%} of what is near to these"
            )
            return Nearest([(own, values), (asked, near)], length, ("", said), asked)
    grams = _search(index, task, lambda share: progress((1 + 2 * share) / 3))
    return Nearest([(own, values), (own, grams)], length, ("", ""))


def _cap(index: Index) -> int:
    return max(LEAST_CAP, int(CAP_SHARE * index.rows.shape[0]))


def _search(index: Index, task: Task, progress: Progress) -> Small:
    """Search for all records, in chunks on threads."""
    n, cap = index.rows.shape[0], _cap(index)
    near = np.empty((n, task.k), np.int32)
    mine = local()

    def one(first: int) -> None:
        if not hasattr(mine, "scratch"):
            mine.scratch = scratch_for(index, task.k, task.budget)
        last = min(first + CHUNK, n)
        search(index, mine.scratch, task.source, near, first, last, task.budget, cap, task.seed)

    one(0)  # compiles once, before the threads start
    starts = range(CHUNK, n, CHUNK)
    with ThreadPoolExecutor(min(task.cores, max(1, len(starts)))) as pool:
        for done, _ in enumerate(pool.map(one, starts), 1):
            progress(done / (1 + len(starts)))
    progress(1.0)
    return near


def _asked(index: Index, task: Task, values: Small) -> tuple[Small, Small, float]:
    """Some records, their neighbours, and the share of the near ones that values do not find."""
    n, cap = index.rows.shape[0], _cap(index)
    asked = np.arange(0, n, n // ASKED, dtype=np.int32)
    scratch = scratch_for(index, task.k, task.budget)
    near, cosine = np.empty((n, task.k), np.int32), np.zeros((asked.size, task.k), np.float32)
    for at, i in enumerate(asked.tolist()):
        search(index, scratch, task.source, near, i, i + 1, task.budget, cap, task.seed)
        cosine[at] = scratch.score * index.scale[i]
    found = near[asked]
    which, place = np.nonzero((cosine >= NEAR) & (found >= 0))
    if which.size < LEAST_NEAR:
        return asked, found, 1.0
    return asked, found, 1.0 - float(_known(values, asked[which], found[which, place]).mean())


def _known(values: Small, one: Small, other: Small) -> NDArray[np.bool_]:
    """Which pairs are neighbours by values, seen from the one or from the other."""
    return (values[one] == other[:, None]).any(1) | (values[other] == one[:, None]).any(1)
