import numpy as np
import pytest

from partita.comparison.dates import date_levels, dates_of, days_of


def level(one, other, *more):
    dates = dates_of([one, other, *more])
    return date_levels(dates, np.array([0]), np.array([1]))[0]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("1971 06 24", (1971, 6, 24)),
        ("1971-06-24", (1971, 6, 24)),
        ("19710624", (1971, 6, 24)),
        ("24061971", (1971, 6, 24)),
        ("24 6 1971", (1971, 6, 24)),
        ("24 june 1971", (1971, 6, 24)),
        ("jun 24 1971", (1971, 6, 24)),
        ("24 06 71", (1971, 6, 24)),
        ("1971 06 24 00 00 00", (1971, 6, 24)),
        ("june 1971", (1971, 6, 0)),
        ("1971 06", (1971, 6, 0)),
        ("197106", (1971, 6, 0)),
        ("1971", (1971, 0, 0)),
        ("soon", (0, 0, 0)),
        ("12", (0, 0, 0)),
    ],
)
def test_dates_are_read_in_every_form(text, parts):
    dates = dates_of([text])
    assert (dates.parts.year[0], dates.parts.month[0], dates.parts.day[0]) == parts


def test_the_column_decides_whether_the_day_comes_first():
    assert dates_of(["03 04 1971", "25 04 1971"]).parts.month.tolist() == [4, 4]
    assert dates_of(["03 04 1971", "04 25 1971"]).parts.month.tolist() == [3, 4]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("1971 06 24", "24 06 1971", 0),
        ("1971 06 24", "1971 06 25", 1),
        ("1971 06 24", "1917 06 24", 1),
        ("1971 12 03", "1971 03 12", 2),
        ("1971 06 24", "1972 06 25", 2),
        ("1971 06 24", "june 1971", 3),
        ("1971 06 24", "1971", 4),
        ("1971 06 04", "1971 11 27", 4),
        ("1971 06 24", "1982 06 24", 2),
        ("1971 06 24", "2082 06 24", 5),
        ("1971", "1972", 5),
        ("1971 06 24", "1805 11 13", 6),
        ("soon", "later", 6),
        ("sooner", "soonest", 2),
    ],
)
def test_levels_of_dates(one, other, expected):
    assert level(one, other) == expected
    assert level(other, one) == expected


def test_no_dates():
    assert len(date_levels(dates_of([]), np.zeros(0, int), np.zeros(0, int))) == 0


def test_days_count_whole_dates_alone():
    days = days_of(dates_of(["2000 02 28", "2000 03 01", "2000", "2000 13 01", "x"]))
    assert days[1] - days[0] == 2
    assert np.isnan(days[2:]).all()
