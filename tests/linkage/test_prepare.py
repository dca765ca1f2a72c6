"""Which columns are used and how, which records differ, and what is looked for."""

from dataclasses import replace

import numpy as np
import pytest

from partita.data import profile, read
from partita.errors import InputError
from partita.linkage.columns import choose_columns
from partita.linkage.prepare import prepare
from partita.linkage.settings import ColumnSettings, Settings
from tests.linkage.made import persons

ROWS = [
    {"name": "Ann Lee", "born": "1990-01-02", "note": None},
    {"name": "ANN LEE", "born": "1990-01-02", "note": None},
    {"name": None, "born": None, "note": None},
    {"name": None, "born": None, "note": None},
    {"name": "Bob Orr", "born": "1985-05-06", "note": None},
    {"name": "Ann Lee", "born": None, "note": None},
]
USED = Settings(
    mode="dedupe", columns={"name": ColumnSettings("full name"), "born": ColumnSettings("date")}
)


def test_identical_records_are_one_and_empty_ones_are_not():
    found = prepare(read(ROWS), USED, keeps_rows_in_order=True)
    assert found.numbering.narrow.tolist() == [0, 0, 1, 2, 3, 4]
    assert found.numbering.wide.tolist() == [0, 2, 3, 4, 5]
    assert found.n == 5
    assert [len(column.codes) for column in found.columns] == [5, 5]
    assert found.columns[0].counts.sum() == 3


def test_distinct_records_are_numbered_by_content():
    order = [4, 1, 5, 3, 0, 2]
    found, other = (prepare(read(rows), USED) for rows in (ROWS, [ROWS[k] for k in order]))
    for one, two in zip(found.columns, other.columns, strict=True):
        assert one.codes.tolist() == two.codes.tolist()
        assert one.values == two.values
    # of "Ann Lee" and "ANN LEE", the same spelling represents the record
    names = [
        [rows[k]["name"] for k in one.numbering.wide]
        for rows, one in ((ROWS, found), ([ROWS[k] for k in order], other))
    ]
    assert names[0] == names[1]


def test_named_records_are_not_collapsed():
    found = prepare(read(ROWS), USED, np.array([1]))
    assert sorted(found.numbering.narrow.tolist()) == list(range(6))


def test_identical_records_of_sources_are_two():
    records = read([{**row, "from": "ab"[k % 2]} for k, row in enumerate(ROWS)], source="from")
    linked = prepare(records, USED.replaced(mode="link"))
    assert linked.n == prepare(records, USED.replaced(mode="both")).n == 6
    assert linked.numbering.expand(linked.source).tolist() == [0, 1, 0, 1, 0, 1]
    assert prepare(records, USED.replaced(mode="dedupe")).source is None


def test_uses():
    some = {"name": ColumnSettings("full name"), "born": ColumnSettings("date", "block")}
    found = prepare(read(ROWS), Settings(mode="dedupe", columns=some))
    assert [column.name for column in found.columns] == ["name", "born"]
    assert [column.name for column in found.compared] == ["name"]
    assert found.column_types == ["full name"]


def test_columns_are_chosen_by_their_profile():
    records = read(persons(200)[0])
    profiles = profile(records)
    said = {"city": ColumnSettings("category", "ignore")}
    chosen = choose_columns(profiles, Settings(columns=said)).columns
    assert set(chosen) == set(records.names)
    assert chosen["city"] == replace(said["city"], weight=1.0)
    for one in profiles:
        if one.name != "city":
            assert chosen[one.name].type == one.type
            assert (chosen[one.name].role == "compare") == one.is_compared


def test_what_cannot_be_chosen():
    profiles = profile(read(ROWS))
    with pytest.raises(InputError, match="a column 'nam' that is not there"):
        choose_columns(profiles, Settings(columns={"nam": ColumnSettings("surname")}))
    with pytest.raises(InputError, match="no column can be compared"):
        choose_columns(profile(read([{"a": None, "b": "n/a"}] * 3)), Settings())


def test_where_only_searched_columns_are_left_they_are_compared():
    profiles = profile(read(ROWS))
    said = {
        "name": ColumnSettings("full name", "block"),
        "born": ColumnSettings("date", "ignore"),
        "note": ColumnSettings("category", "ignore"),
    }
    chosen = choose_columns(profiles, Settings(columns=said)).columns
    assert [one.role for one in chosen.values()] == ["compare", "ignore", "ignore"]
