import enum
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest

from partita.kernel.numba.source import Record, Uncacheable, global_names

CONSTANT = 1


class Pair(NamedTuple):
    left: np.ndarray
    right: np.ndarray


class Colour(enum.IntEnum):
    RED = 1
    BLUE = 2


class Local(Exception):
    pass


def plain(x):
    return x


def spell(value):
    record = Record()
    record.value(value)
    return bytes(record)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0),
        (1, True),
        (0.0, -0.0),
        ("1", b"1"),
        ((1, 2), [1, 2]),
        ((1, (2, 3)), (1, 2, 3)),
        (("ab", "c"), ("a", "bc")),
        (np.float64(1), np.float32(1)),
        (np.arange(4), np.arange(4).reshape(2, 2)),
        (np.ones((2, 2)), np.asfortranarray(np.ones((2, 2)))),
        (Colour.RED, Colour.BLUE),
        (Colour.RED, 1),
        (Pair(1, 2), (1, 2)),
        (np.exp, np.log),
        (len, abs),
        (ValueError, KeyError),
        ({"a": 1}, {"a": 2}),
        (slice(1, 2), slice(1, 3)),
        ({1, 2}, {1, 3}),
    ],
)
def test_different_values_read_differently(one, other):
    assert spell(one) != spell(other)
    assert spell(one) == spell(one)


@pytest.mark.parametrize(
    "value",
    [
        object(),
        plain,
        {1: 2},
        {(1, 2)},
        np.array([object()]),
        np.zeros(200_000),
        Record,
        [].append,
        SimpleNamespace(x=1),
    ],
    ids=lambda value: type(value).__name__,
)
def test_values_without_a_reliable_hash_are_refused(value):
    with pytest.raises(Uncacheable):
        spell(value)


def test_exceptions_count_by_name_if_they_can_be_imported():
    class Hidden(Exception):
        pass

    assert b"Local" in spell(Local)
    with pytest.raises(Uncacheable):
        spell(Hidden)


def test_global_names_leave_out_attributes():
    def reads(pair):
        return pair.ARRAY + CONSTANT + np.exp(pair.left)

    assert global_names(reads.__code__) == ("CONSTANT", "np")
    wide = "lambda: (" + ", ".join(f"name{k}" for k in range(300)) + ")"
    assert global_names(eval(wide).__code__) == tuple(f"name{k}" for k in range(300))
