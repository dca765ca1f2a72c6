"""The estimate of memory, and the refusal before any work."""

import pytest

from partita.data import read
from partita.errors import InputError
from partita.linkage.memory import check_memory, check_width, estimate
from partita.linkage.resolve import resolve

ROWS = [{"name": f"n{k}", "town": f"t{k % 7}"} for k in range(50)]


def test_the_estimate_grows_with_records_and_columns():
    few, many = read(ROWS[:10]), read(ROWS)
    wide = read([row | {"more": "x"} for row in ROWS])
    assert estimate(few) < estimate(many) < estimate(wide)


def test_a_limit_that_is_enough_is_silent():
    check_memory(read(ROWS), "2GB")
    check_memory(read(ROWS), None)


def test_a_limit_that_is_too_low_is_refused_with_the_estimate():
    with pytest.raises(InputError, match=r"50 records of 2 columns need about 0\.5 GB.*100MB"):
        resolve(ROWS, memory="100MB")


def test_more_columns_than_can_be_compared_are_refused_before_any_work(monkeypatch):
    wide = read([{f"c{at}": f"v{row}" for at in range(10_000)} for row in range(3)])
    monkeypatch.setattr("partita.linkage.resolve.profile_columns", None)
    with pytest.raises(InputError, match="10,000 columns to compare, and at most 500"):
        resolve(wide)
    check_width(read([{f"c{at}": "v" for at in range(500)}]))
    few = [{"id": row, **{f"c{at}": "v" for at in range(600)}, "name": "Ann"} for row in range(3)]
    ignored = [f"c{at}" for at in range(600)]
    check_width(read(few, ignore=ignored))
