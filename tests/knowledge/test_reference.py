"""Reading of rows, references and aliases."""

import numpy as np
import pytest

from partita.errors import InputError
from partita.knowledge.reference import find_owners, read_link_input
from partita.linkage.settings import Settings

MASTER = [
    {"id": "A", "name": "Acme Ltd", "city": "Ely"},
    {"id": "B", "name": "Bolt Inc", "city": "Bath"},
]
ROWS = [{"name": "acme", "city": "Ely", "note": 1}, {"name": "bolt", "city": None, "note": 2}]


def test_only_common_columns_are_compared_and_rows_come_first():
    found = read_link_input(ROWS, MASTER)
    assert found.records.names == ("name", "city")
    assert found.owner.tolist() == [-1, -1, 0, 1]
    assert found.records.sources.tolist() == [0, 0, 1, 1]
    assert any("note" in note for note in found.records.notes)


def test_a_map_names_columns_of_the_rows_by_those_of_the_reference():
    rows = [{"company": "acme", "city": "Ely"}]
    for rule in ("company=name", "source_1.company=source_2.name", ["company=name"]):
        assert read_link_input(rows, MASTER, map=rule).records.names == ("name", "city")


def test_aliases_are_records_of_their_owner_and_inherit_empty_cells():
    aliases = [
        {"alias_of": "B", "id": "B2", "name": "Bolt Incorporated"},
        {"alias_of": "B2", "id": "B3", "name": "B. Inc"},
    ]
    found = read_link_input(ROWS, MASTER, aliases=aliases)
    assert found.owner.tolist() == [-1, -1, 0, 1, 1, 1]
    assert found.records.table.column("city").to_pylist()[-2:] == ["Bath", "Bath"]
    by_id = read_link_input(ROWS, MASTER, aliases=[{"id": "A", "name": "ACME"}])
    assert by_id.owner.tolist() == [-1, -1, 0, 1, 0]


def test_bad_references_and_aliases_are_refused_in_one_sentence():
    bad = [
        (lambda: read_link_input(ROWS, [{"name": "Acme"}]), "no column unique_id or id"),
        (lambda: read_link_input(ROWS, [MASTER[0]] * 2), "same id 'A'"),
        (lambda: read_link_input(ROWS, [{"id": 1, "other": "x"}]), "no column in common"),
        (lambda: read_link_input(ROWS, MASTER, Settings(ignore=("nmae",))), "no column 'nmae'"),
        (lambda: read_link_input(ROWS, MASTER, aliases=[{"name": "x"}]), "'alias_of' or 'id'"),
        (lambda: read_link_input(ROWS, MASTER, aliases=[{"id": "A", "x": 1}]), "compared"),
        (lambda: find_owners(["Y", "X"], ["X", "Y"], ["A"]), "Y -> X -> Y form a cycle"),
        (lambda: find_owners(["Q"], [None], ["A"]), "'Q', which is no id"),
    ]
    for call, text in bad:
        with pytest.raises(InputError, match=text) as caught:
            call()
        assert "\n" not in str(caught.value)


def test_an_alias_may_have_the_id_of_its_record():
    assert np.array_equal(find_owners(["A", "A2"], ["A2", None], ["A"]), [0, 0])


def test_aliases_have_ids_in_a_column_of_another_name():
    master = [{"code": "A", "name": "Acme"}]
    aliases = [
        {"id": "x", "alias_of": "y", "name": "ACME Corp"},
        {"id": "y", "alias_of": "A", "name": "Acme Company"},
    ]
    found = read_link_input(ROWS, master, to_id="code", aliases=aliases)
    assert found.owner[-2:].tolist() == [0, 0]
    aliases[1]["alias_of"] = "x"
    with pytest.raises(InputError, match="y -> x -> y form a cycle"):
        read_link_input(ROWS, master, to_id="code", aliases=aliases)
