"""Pair files: faults are reported with their line, and files of labels grow by answers."""

import numpy as np
import pyarrow as pa
import pytest

from partita.data import read
from partita.errors import InputError
from partita.linkage.resolve import resolve
from partita.linkage.supervision.pair_files import (
    CONSTRAINT,
    LABEL,
    LabelFile,
    read_pair_file,
)
from partita.synthetic import people


@pytest.fixture
def records():
    return read([{"id": f"r{k}", "name": f"name {k}"} for k in range(4)])


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("a.csv", "id_l,id_r,label\nr0,r1,match\nr0,x9,match\n", 3),
        ("a.csv", "id_l,id_r,label\nr0,r1,match\n\n\nr0,x9,match\n", 5),
        ("a.csv", 'id_l,id_r,label,note\nr0,r1,1,"two\nlines; more"\nr2,x9,1,\n', 4),
        ("a.tsv", "id_l\tid_r\tlabel\nr0\tr1\tmatch\nx9\tr0\tmatch\n", 3),
        ("a.csv", "id_l;id_r;label\r\nr0;r1;match\r\nr0;x9;no\r\n", 3),
        (
            "a.jsonl",
            '{"id_l": "r0", "id_r": "r1", "label": 1}\n\n{"id_l": "r0", "id_r": "x9", "label": 0}',
            3,
        ),
    ],
)
@pytest.mark.parametrize("kind", [LABEL, CONSTRAINT])
def test_an_unknown_id_is_reported_with_its_line(tmp_path, records, name, content, line, kind):
    path = tmp_path / name
    path.write_bytes(content.encode())
    with pytest.raises(InputError) as error:
        read_pair_file(path, records, kind)
    fault = "names the record 'x9', which the data does not have; correct the id"
    assert str(error.value) == f"line {line} of {path} {fault}"


def test_the_order_of_the_file_stays(records):
    rows = [
        {"ID_L": "r3", "Id_R": "r1", "Label": "Yes", "weight": "2"},
        {"ID_L": " r0 ", "Id_R": "r2", "Label": "u", "weight": None},
    ]
    table = read_pair_file(rows, records, CONSTRAINT)
    assert table.rows.tolist() == [[3, 1], [0, 2]]
    assert table.labels.tolist() == ["match", "unsure"]
    assert table.weights.tolist() == [2.0, np.inf]
    assert {table.names[row] for row in table.rows[0].tolist()} == {"'r1'", "'r3'"}


@pytest.mark.parametrize("kind", [LABEL, CONSTRAINT])
@pytest.mark.parametrize("stem", ["Customer No", "customer no", "unique_id", "id"])
def test_ids_are_read_under_the_name_of_the_id_column(kind, stem):
    records = read(
        [{"Customer No": f"r{k}", "name": f"name {k}"} for k in range(4)], id="Customer No"
    )
    rows = [{f"{stem}_l": "r3", f"{stem}_r": "r1", "label": "match", "p_same": 0.9}]
    assert read_pair_file(rows, records, kind).rows.tolist() == [[3, 1]]
    with pytest.raises(InputError, match="'customer no_l' or 'unique_id_l' or 'id_l'"):
        read_pair_file([{"left": "r3", "right": "r1", "label": "match"}], records, kind)


@pytest.mark.compiled
def test_a_pairs_file_with_labels_is_read(tmp_path):
    table = people(60, seed=1, truth=None).table().rename_columns({"unique_id": "customer_id"})
    result = resolve({"a": table, "b": table.slice(0, 20)}, id="customer_id", draws=4, seed=1)
    pairs = read(result.write_pairs(tmp_path / "pairs.csv"), id=False).table
    assert "customer_id_l" in pairs.column_names
    labelled = pairs.append_column("label", pa.array(["match"] * len(pairs)))
    rows = read_pair_file(labelled, result.records, LABEL).rows
    expected = result.record_pairs
    listed = set(map(tuple, np.column_stack([expected.left, expected.right]).tolist()))
    assert len(rows) == len(listed) and set(map(tuple, rows.tolist())) == listed


def test_a_label_file_is_read_by_the_reader(tmp_path):
    names = [{"id": k, "name": f"name {k}"} for k in range(3)]
    records = read({"left": names, "right": names})
    file = LabelFile(tmp_path / "labels.csv", sources=True)
    for rows, label in (((1, 4), "match"), ((2, 3), "non-match"), ((0, 5), "unsure")):
        file.append(records, rows, label)
    file.pop()
    table = read_pair_file(file.path, records, LABEL)
    assert table.rows.tolist() == [[1, 4], [2, 3]]
    assert table.labels.tolist() == ["match", "non-match"]
    assert LabelFile(file.path, sources=True).rows == file.rows
