"""Given names and surnames in each other's place."""

import numpy as np
import pyarrow as pa
import pytest

from partita.data import Column
from partita.linkage.entity.swapped_names import correct_swapped_names
from partita.linkage.resolve import resolve

COLUMN_TYPES = {"given": "given name", "family": "surname", "town": "category"}


def column(name, values):
    texts = sorted({one for one in values if one is not None})
    codes = np.array([-1 if one is None else texts.index(one) for one in values], np.int32)
    counts = np.bincount(codes[codes >= 0], minlength=len(texts))
    return Column(name, codes, pa.array(texts, pa.string()), counts)


def texts_of(one):
    values = [*one.values.to_pylist(), None]
    return [values[code] for code in one.codes]


def names(turned):
    rng = np.random.default_rng(0)
    given = [f"g{k}" for k in rng.integers(0, 12, 300)]
    family = [f"f{k}" for k in rng.integers(0, 15, 300)]
    for k in turned:
        given[k], family[k] = family[k], given[k]
    return {"given": column("given", given), "family": column("family", family)}


def test_turned_names_are_found_and_put_where_they_belong():
    rows = [3, 50, 51, 200, 299]
    columns, (found,) = correct_swapped_names(names(rows), COLUMN_TYPES)
    assert np.flatnonzero(found.rows).tolist() == rows
    for name in columns:
        assert texts_of(columns[name]) == texts_of(names([])[name])
        assert (columns[name].counts > 0).all()


def test_one_name_is_enough_to_see_it():
    made = names(range(10))
    texts = texts_of(made["given"])
    texts[4] = None
    made["given"] = column("given", texts)
    columns, (found,) = correct_swapped_names(made, COLUMN_TYPES)
    assert found.rows[4]
    assert texts_of(columns["family"])[4] is None


@pytest.mark.parametrize(
    ("made", "column_types"),
    [
        (names([]), COLUMN_TYPES),
        (names([3, 50, 51, 200]), {"given": "category", "family": "surname"}),
    ],
    ids=["all in place", "no names"],
)
def test_nothing_is_turned_without_need(made, column_types):
    columns, found = correct_swapped_names(made, column_types)
    assert found == []
    assert columns == made


@pytest.mark.compiled
def test_swapped_names_are_reported():
    rng = np.random.default_rng(1)
    given, family = ("Ann", "Bob", "Carl", "Dora", "Emma"), ("Orr", "Lee", "Hall", "Shaw", "Webb")
    rows = [
        {"given_name": given[a], "surname": family[b], "town": str(c)}
        for a, b, c in zip(*rng.integers(0, 5, (2, 60)), range(60), strict=True)
    ]
    for k in (7, 20, 41):
        rows[k] |= {"given_name": rows[k]["surname"], "surname": rows[k]["given_name"]}
    found = resolve(rows, seed=1, draws=5)
    assert "given_name and surname are swapped in 3 records" in str(found.warnings)
    assert found.table()[7]["given_name"] == rows[7]["given_name"]
