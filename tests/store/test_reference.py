"""Reference: records of one source never merge, and their ids are the ids of entities."""

import numpy as np
import pyarrow as pa
import pytest

import partita
from partita.errors import InputError
from partita.store.journal import entity_id
from partita.store.store import Store
from partita.synthetic import people

# no kernels of its own: those it calls are tested as plain Python where they stand
pytestmark = pytest.mark.compiled


@pytest.fixture(scope="module")
def data():
    """Two clean records of a master that are equal, others, and a delivery with duplicates."""
    table = people(300, seed=4).table()
    truth = table.column("entity").to_numpy()
    _, first = np.unique(truth, return_index=True)
    is_master = np.zeros(truth.size, bool)
    is_master[first[::2]] = True
    table = table.drop_columns(["entity"]).rename_columns(
        ["id" if name == "unique_id" else name for name in table.column_names if name != "entity"]
    )
    master = table.filter(pa.array(is_master))
    names = pa.array([f"M{k}" for k in range(master.num_rows)])
    master = master.set_column(0, "id", names)
    twin = master.slice(0, 1).set_column(0, "id", pa.array(["TWIN"]))
    rest = table.filter(pa.array(~is_master))
    rest = rest.set_column(0, "id", pa.array([f"D{k}" for k in range(rest.num_rows)]))
    return pa.concat_tables([master, twin]), rest


@pytest.fixture(scope="module")
def result(data):
    master, rest = data
    sources = {"master": master, "day": rest.slice(0, 120)}
    return partita.resolve(sources, reference="master", seed=1, reading="em")


def check_master(rows, master):
    """Each record of the master is in an entity of its own, which has its id."""
    own = {row["id"]: row["cluster_id"] for row in rows if row["source_dataset"] == "master"}
    assert own == {id: id for id in master.column("id").to_pylist()}
    others = {row["cluster_id"] for row in rows if row["source_dataset"] != "master"}
    assert others & set(own.values()) and others - set(own.values())


def test_a_result_has_the_ids_of_the_reference(result, data):
    check_master(result.table().to_pylist(), data[0])
    assert result.mode == "both" and "reference" in result.why_mode
    pairs = result.prepared.numbering.back(result.blocking.pairs)
    sources = result.records.sources
    code = result.records.source_names.index("master")
    assert not (sources[pairs] == code).all(1).any()
    assert any("of source master" in note for note in result.explain("M0", "TWIN").constraints)


def test_a_store_keeps_the_ids_of_the_reference(result, data, tmp_path):
    master, rest = data
    with Store.create(result, tmp_path / "s.partita") as store:
        check_master(store.export().to_pylist(), master)
        store.add(rest.slice(120), source="day")
        check_master(store.export().to_pylist(), master)
        assert store.check() == []
        exported = store.export().to_pylist()
        # a new record of the reference that equals a delivered one takes its entity over
        free = next(row for row in exported if row["cluster_id"].startswith("e"))
        values = {name: free[name] for name in master.column_names if name != "id"}
        report = store.add([{**values, "id": "NEW"}], source="master")
        assert report["merged"] == 1
        rows = {row["id"]: row["cluster_id"] for row in store.export().to_pylist()}
        assert rows["NEW"] == rows[free["id"]] == "NEW" and store.check() == []
        assert "merged" in {event["event"] for event in store.history(free["cluster_id"])}
        # a changed record of the reference keeps its id
        store.add([{**values, "id": "M1"}], source="master")
        rows = {row["id"]: row["cluster_id"] for row in store.export().to_pylist()}
        assert rows["M1"] == "M1" and rows["NEW"] == "NEW" and store.check() == []
        store.train()
        rows = store.export().to_pylist()
        own = {row["id"]: row["cluster_id"] for row in rows if row["source_dataset"] == "master"}
        assert all(id == entity for id, entity in own.items()) and store.check() == []


def test_ids_of_a_master_that_another_store_wrote(data, tmp_path):
    """New entities never take the id of a reference record, although both are made by number."""
    master, rest = data[0].slice(0, 40), data[1]
    ids = pa.array([entity_id(40 + k) for k in range(40)])
    sources = {"master": master.set_column(0, "id", ids), "day": rest.slice(0, 60)}
    result = partita.resolve(sources, reference="master", seed=1, reading="em")
    with Store.create(result, tmp_path / "s.partita") as store:
        check_master(store.export().to_pylist(), sources["master"])
        store.add(rest.slice(60, 30), source="day")
        check_master(store.export().to_pylist(), sources["master"])
        assert store.check() == []


def test_records_of_the_reference_are_never_put_together(result, tmp_path):
    with Store.create(result, tmp_path / "s.partita") as store:
        with pytest.raises(InputError, match="different records of the reference master"):
            store.correct(together=[("M0", "TWIN")])
        store.correct(together=[("D3", "M0")])
        with pytest.raises(InputError, match="correction 1: day:D3 and master:M0 together"):
            store.correct(together=[("D3", "TWIN")])
        assert store.check() == []


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"reference": "mistress"}, "is no source; there are: master, day"),
        ({"reference": "master", "mode": "dedupe"}, "mode 'dedupe' ignores sources"),
        (
            {
                "reference": "master",
                "constraints": [{"id_l": "M0", "id_r": "TWIN", "constraint": "must"}],
            },
            "allows one record of it in an entity",
        ),
    ],
)
def test_wrong_references_are_refused(data, given, text):
    with pytest.raises(InputError, match=text):
        partita.resolve({"master": data[0], "day": data[1]}, **given)
