"""The estimate of memory, and the refusal before any work."""

import pytest

from partita.data import read
from partita.errors import InputError
from partita.linkage.memory import check_memory, estimate
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
