"""Values that are alike because the rest of their records agrees."""

import numpy as np
import pyarrow as pa
import pytest

from partita.data import Column
from partita.linkage.entity.conditional_u import (
    ConditionalU,
    fit_conditional_u,
    most_frequent_values,
)
from partita.linkage.resolve import compare_records
from partita.linkage.settings import Settings
from partita.progress import Clock
from tests.linkage.made import persons

pytestmark = pytest.mark.compiled


def column(name, values):
    known = sorted({value for value in values if value is not None})
    codes = np.array([-1 if value is None else known.index(value) for value in values], np.int32)
    counts = np.bincount(codes[codes >= 0], minlength=len(known)).astype(np.int64)
    return Column(name, codes, pa.array(known), counts)


@pytest.fixture(scope="module")
def found():
    ready = compare_records(persons(1500, seed=4)[0], Settings(), None, None, Clock(False))
    columns = ready.prepared.compared
    return columns, ready.scored, fit_conditional_u(columns, ready.scored, 0)


def test_non_matches_of_one_name_have_similar_addresses(found):
    columns, _, lifts = found
    names = [one.name for one in columns]
    given, surname, email = (names.index(one) for one in ("given_name", "surname", "email"))
    lift = lifts.lifts[email][given, surname]
    assert lift.max() > 1.0
    # what is equal or different is not for this to judge, and no likeness becomes a surprise
    assert lift[0] == lift[-1] == 0.0
    assert (lift >= 0.0).all()


def test_columns_that_are_drawn_by_themselves_have_no_lift(found):
    columns, _, lifts = found
    names = [one.name for one in columns]
    born, city = names.index("date_of_birth"), names.index("city")
    assert (city,) not in lifts.lifts[born]


def test_one_seed_gives_the_same_lifts(found):
    columns, scored, lifts = found
    again = fit_conditional_u(columns, scored, 0)
    for q, by_set in lifts.lifts.items():
        assert list(by_set) == list(again.lifts[q])
        for others, lift in by_set.items():
            np.testing.assert_array_equal(lift, again.lifts[q][others])


def test_the_usual_value_is_that_of_most_records():
    usual = most_frequent_values(
        column("a", ["x", "x", "x", "y"]), column("b", ["p", "q", "q", None])
    )
    assert usual.tolist() == [1, -1]


def test_the_largest_lift_counts_of_those_whose_columns_agree():
    name, town = column("name", ["n", "n", "m", "n"]), column("town", ["t", "s", "t", "t"])
    mail = column("mail", ["a", "b", "c", "d"])
    by_set = {(0,): np.array([0.0, 1.5, 0.0]), (0, 1): np.array([0.0, 4.0, 0.0])}
    lifts = ConditionalU([name, town, mail], {2: by_set})
    pairs, levels = np.array([[0, 1], [0, 2], [0, 3]]), np.ones(3, np.int64)
    assert lifts.of(2, pairs, levels).tolist() == [1.5, 0.0, 4.0]
    assert lifts.of(1, pairs, levels).tolist() == [0.0, 0.0, 0.0]
