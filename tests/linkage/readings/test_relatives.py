"""Relatives: entities whose records form two groups that differ alike in two columns."""

import numpy as np
import pytest

from partita import resolve
from partita.linkage.readings.relatives import measure_divided
from partita.synthetic import companies
from tests.linkage.generated import column

BRANCHES = [("a", "x"), ("a", "x"), ("b", "y"), ("b", "y")]
ERRORS = [("a", "x"), ("a", "x"), ("b", "z"), ("c", "y")]
ONE_COLUMN = [("a", "x"), ("a", "x"), ("b", "x"), ("b", "x")]
CROSSED = [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")]
MISSING = [("a", "x"), ("a", "x"), ("b", ""), ("b", "")]


def measure(*entities):
    """The share of divided entities, each a list of records of two values."""
    labels = np.repeat(np.arange(len(entities)), [len(rows) for rows in entities])
    rows = [row for entity in entities for row in entity]
    columns = [column(name, [row[k] for row in rows]) for k, name in enumerate("lr")]
    return measure_divided(labels, columns)


@pytest.mark.parametrize(
    ("entity", "share"),
    [(BRANCHES, 1.0), (ERRORS, 0.0), (ONE_COLUMN, 0.0), (CROSSED, 0.0), (MISSING, 0.0)],
)
def test_two_columns_divide_an_entity_alike(entity, share):
    assert measure(*[entity] * 4) == share


def test_the_share_is_that_of_large_entities():
    assert measure(*[BRANCHES] * 3, *[ERRORS] * 9, *[BRANCHES[:2]] * 50) == 0.25
    # one divided entity is an accident
    assert measure(BRANCHES, ERRORS) == 0.0
    assert measure(BRANCHES[:2]) == 0.0


@pytest.mark.compiled
def test_branches_of_companies_have_a_warning():
    source = companies(1500, 5)
    found = resolve(source.table().drop_columns(["entity"]), seed=1)
    assert min(found.reading.agreement.values()) > 0.9
    assert found.trust.level == "relatives"
    assert "branches and editions" in found.summary()["warnings"][0]
    _, _, high = found.entity_count
    assert high > 829 > len(set(found.labels))
