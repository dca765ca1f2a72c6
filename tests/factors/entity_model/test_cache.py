"""Counts of distinct values by row: they equal a dictionary's through any moves, and give back."""

import numpy as np

from partita.factors.entity_model.cache import (
    COUNT,
    DISTINCT,
    PLACE,
    add,
    clone,
    drop,
    grow_shown,
    new_shown,
    shown_room,
    subtract,
)
from partita.kernel import entry


@entry
def change(shown, row, value, sign):
    if not shown_room(shown, 1):
        return False
    if sign > 0:
        add(shown, row, value, 0.5)
    else:
        subtract(shown, row, value, False)
    return True


@entry
def copy(shown, row, onto):
    clone(shown, row, onto)


@entry
def empty(shown, row):
    drop(shown, row)


def listed(shown, row):
    count, distinct, place = (int(shown.head[row, k]) for k in (COUNT, DISTINCT, PLACE))
    if distinct <= 1:
        return [(place, count)] * distinct
    pairs = shown.cells[place : place + 2 * distinct].reshape(-1, 2)
    return [(int(value), int(times)) for value, times in pairs]


def test_counts_follow_additions_and_removals():
    rng, shown = np.random.default_rng(2), new_shown(3, 1)
    held = [[], [], []]
    for step in range(600):
        row = int(rng.integers(3))
        grows = rng.random() < (0.7 if step < 300 else 0.3)
        if grows or not held[row]:
            value, sign = int(rng.integers(40)), 1
            held[row].append(value)
        else:
            value, sign = held[row].pop(int(rng.integers(len(held[row])))), -1
        while not change(shown, row, value, sign):
            shown = grow_shown(shown, 1)
        for k in range(3):
            values, counts = np.unique(held[k], return_counts=True)
            assert listed(shown, k) == list(zip(values.tolist(), counts.tolist(), strict=True))


def test_a_clone_is_its_own_and_a_dropped_row_gives_its_block_back():
    shown = new_shown(2, 1)
    for value in (5, 1, 5, 9):
        assert change(shown, 0, value, 1)
    copy(shown, 0, 2)
    assert change(shown, 2, 1, -1)
    assert listed(shown, 0) == [(1, 1), (5, 2), (9, 1)]
    assert listed(shown, 2) == [(5, 2), (9, 1)]
    cut = int(shown.pool.top[0])
    for _ in range(5):
        empty(shown, 2)
        assert listed(shown, 2) == []
        copy(shown, 0, 2)
    assert int(shown.pool.top[0]) == cut
