"""Every type of input, ids, sources, and the messages for bad input."""

import doctest
import os
import subprocess
import sys
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from partita.data import extend_input
from partita.data import read as read_records
from partita.data import table as table_module
from partita.data.read import read
from partita.errors import InputError

DATA = Path(os.environ.get("PARTITA_DATA", Path(__file__).parents[3] / "shared" / "data"))
ROWS = [
    {"id": "a", "name": "Ann", "age": 41},
    {"id": "b", "name": None, "age": 7},
    {"id": "c", "name": "Bob", "age": None},
]


def put(tmp_path, text, name="a.csv"):
    path = tmp_path / name
    path.write_text(text)
    return path


def inputs(tmp_path):
    """The same records as every type of input."""
    table = pa.Table.from_pylist(ROWS)
    path = put(tmp_path, "id,name,age\na,Ann,41\nb,,7\nc,Bob,\n")
    pq.write_table(table, tmp_path / "a.parquet")
    lines = pl.from_arrow(table)
    lines.write_ndjson(tmp_path / "a.jsonl")
    return {
        "csv": (path, "path"),
        "text": (str(path), "path"),
        "parquet": (tmp_path / "a.parquet", "path"),
        "jsonl": (tmp_path / "a.jsonl", "path"),
        "pandas": (pd.DataFrame(ROWS, index=[9, 9, 3]), "pandas"),
        "polars": (lines, "polars"),
        "lazy": (lines.lazy(), "polars"),
        "arrow": (table, "arrow"),
        "reader": (table.to_reader(), "arrow"),
        "duckdb": (duckdb.from_arrow(table), "duckdb"),
        "dicts": (ROWS, "dicts"),
    }


@pytest.mark.parametrize(
    "kind",
    [
        *("csv", "text", "parquet", "jsonl", "pandas", "polars", "lazy"),
        *("arrow", "reader", "duckdb", "dicts"),
    ],
)
def test_every_input_type_gives_the_same_records(tmp_path, kind):
    data, expected = inputs(tmp_path)[kind]
    records = read(data)
    assert (records.n, records.names, records.input_type) == (3, ("name", "age"), expected)
    assert records.ids.to_pylist() == ["a", "b", "c"]
    assert records.column("name").values.to_pylist() == ["ann", "bob"]
    assert records.column("age").values.to_pylist() == ["41", "7"]
    assert records.column("age").codes.tolist() == [0, 1, -1]
    assert records.sources is None
    assert records.original().column_names == ["id", "name", "age"]


def test_examples_in_docstrings():
    for module in (sys.modules["partita.data.read"], table_module):
        outcome = doctest.testmod(module)
        assert outcome.attempted > 0
        assert outcome.failed == 0
    assert read_records is read


def test_ids_by_default_by_number_and_by_name(tmp_path):
    path = put(tmp_path, "key,Unique_ID,ID\nx,1,5\ny,2,5\n")
    assert read(path).ids.to_pylist() == ["1", "2"]
    assert read(path, id="key").ids.to_pylist() == ["x", "y"]
    numbered = read(path, id=False)
    assert numbered.ids.to_pylist() == [0, 1]
    assert numbered.names == ("key", "Unique_ID", "ID")
    assert read(put(tmp_path, "name\nAnn\nBob\n")).ids.to_pylist() == [0, 1]


def test_columns_can_be_ignored_and_stay_in_the_output():
    records = read(ROWS, ignore=["age"])
    assert records.names == ("name",)
    assert "age" in records.original().column_names
    assert read(ROWS, ignore="age").names == ("name",)


def test_several_inputs_are_several_sources(tmp_path):
    first = put(tmp_path, "id,name,x\n1,Ann,p\n2,Bob,q\n", "crm.csv")
    second = put(tmp_path, "name,id,y\nAnne,1,r\n", "web.csv")
    records = read([first, second])
    assert records.source_names == ("crm", "web")
    assert records.sources.tolist() == [0, 0, 1]
    assert records.names == ("name", "x", "y")
    assert records.original().to_pylist()[2] == {
        **{"source_dataset": "web", "id": "1", "name": "Anne", "x": None, "y": "r"},
    }
    frames = {"left": pd.DataFrame(ROWS), "right": pd.DataFrame(ROWS).astype({"age": object})}
    assert read(frames).source_names == ("left", "right")
    (tmp_path / "more").mkdir()
    again = put(tmp_path / "more", "id,name\n1,Ann\n", "crm.csv")
    assert read([first, again, again]).source_names == ("crm", "crm_2", "crm_3")


def test_one_file_alone_is_no_source_of_its_own(tmp_path):
    path = put(tmp_path, "id,name\n1,Ann\n")
    alone, listed = read(path), read([path])
    assert listed.sources is None and listed.source_names == alone.source_names
    assert listed.names == alone.names == ("name",)
    assert (listed.input_type, listed.input) == (alone.input_type, alone.input)


def test_types_that_differ_between_inputs_become_text():
    records = read([[{"id": 1, "n": 5}], [{"id": "x", "n": "05"}]])
    assert records.original()["n"].to_pylist() == ["5", "05"]
    assert records.ids.to_pylist() == ["1", "x"]


def test_a_source_column():
    rows = [{"id": 1, "s": "p", "a": "x"}, {"id": 1, "s": "q", "a": "y"}]
    records = read(rows, source="s")
    assert (records.source_names, records.names) == (("p", "q"), ("a",))
    with pytest.raises(InputError, match="record 2 has no source in column 's'"):
        read([rows[0], {"id": 2, "a": "z"}], source="s")
    with pytest.raises(InputError, match="records 1 and 2 have the same id '1'"):
        read(rows)


def test_mixed_python_values_become_text():
    frame = pd.DataFrame({"a": ["x", 5, None, float("nan")], 7: [1, 2, 3, 4]})
    records = read(frame)
    assert records.original()["a"].to_pylist() == ["x", "5", None, None]
    assert records.names == ("a", "7")
    later = read([{"a": 1}, {"a": "x", "b": 2}])
    assert later.original().to_pylist() == [{"a": "1", "b": None}, {"a": "x", "b": 2}]


def test_columns_without_a_value_are_kept(tmp_path):
    records = read(put(tmp_path, "a,b\nx,\ny,\n"))
    assert records.column("b").codes.tolist() == [-1, -1]
    assert len(records.column("b").values) == 0


TEXTS = ["Ann Lee", "Ann Leigh", None, "Bob Orr"]


@pytest.mark.parametrize(
    ("data", "name", "expected"),
    [
        (TEXTS, "value", "arrow"),
        (tuple(TEXTS), "value", "arrow"),
        (np.array(TEXTS, object), "value", "arrow"),
        (pa.array(TEXTS), "value", "arrow"),
        (pa.chunked_array([TEXTS[:1], TEXTS[1:]]), "value", "arrow"),
        (pd.Series(TEXTS), "value", "pandas"),
        (pd.Series(TEXTS, name="who", index=[9, 9, 3, 1]), "who", "pandas"),
        (pl.Series(TEXTS), "value", "polars"),
        (pl.Series("who", TEXTS), "who", "polars"),
    ],
)
def test_a_single_column_is_a_table(data, name, expected):
    records = read(data)
    assert (records.n, records.names, records.input_type) == (4, (name,), expected)
    assert records.original()[name].to_pylist() == TEXTS
    result = extend_input(records, {"cluster_id": [0, 0, 2, 3]})
    if expected == "pandas":
        assert result.index.tolist() == data.index.tolist()
        assert result.columns.tolist() == [name, "cluster_id"]
    elif expected == "polars":
        assert result.columns == [name, "cluster_id"]
    else:
        assert result.column_names == [name, "cluster_id"]


def test_texts_that_look_like_paths_are_paths(tmp_path):
    path = put(tmp_path, "name\nAnn\nBob\n")
    assert read([str(path), str(path)]).source_names == ("a", "a_2")
    for texts in (["Ann", "peple.csv"], ["Ann", "base::people"], ["Ann Lee"]):
        with pytest.raises(InputError, match="there is no file"):
            read(texts)
    with pytest.raises(InputError, match="there is no file"):
        read([Path("Ann"), Path("Bob")])
    # a text may be too long for a name, or hold a byte that no name has
    assert read(["x" * 5000, "a\0b"]).n == 2


def test_series_may_be_sources():
    records = read({"left": pd.Series(["Ann"], name="a"), "right": pl.Series("a", ["Anne"])})
    assert (records.names, records.source_names) == (("a",), ("left", "right"))


def test_records_are_returned_as_they_are(tmp_path):
    records = read(put(tmp_path, "name\nAnn\nBob\n"))
    assert read(records) is records


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"id": "key"}, "no column 'key'"),
        ({"id": "nam"}, "did you mean 'name'"),
        ({"source": "where"}, "no column 'where'"),
        ({"ignore": ["name", "colour"]}, "no column 'colour'"),
        ({"ignore": ["name", "age"]}, "no column is left to compare"),
        ({"id": "name"}, "record 2 has no id in column 'name'"),
        ({"memory": "much"}, "memory is 'much'"),
        ({"memory": 0}, "memory is 0"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(InputError, match=message):
        read(ROWS, **arguments)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "data is empty"),
        (5, "data is a int; give a path"),
        ([5], "data is a int"),
        ({"a": [1, 2]}, "a dict of columns; give a list of dicts"),
        (pa.table({"a": pa.array([], pa.string())}), "no records"),
        (pa.table([[1], [2]], names=["a", "a"]), "two columns are called 'a'"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "same name"),
        (pd.DataFrame(), "no columns"),
        ([{}], "no columns"),
        ([[{"a": 1}], [{"b": 1}]], "no column in common"),
        ([[{"a": 1, "source_dataset": 1}], [{"a": 1}]], "'source_dataset' already"),
        ([{"id": 1, "a": 2}, {"id": 1, "a": 3}], "same id '1' .* id=False"),
    ],
)
def test_bad_data(data, message):
    with pytest.raises(InputError, match=message):
        read(data)


def test_a_small_memory_reads_the_same(tmp_path):
    rng = np.random.default_rng(0)
    lines = (f"{at},{number}" for at, number in enumerate(rng.integers(0, 99, 5000)))
    path = put(tmp_path, "id,n\n" + "\n".join(lines) + "\n")
    whole, mapped = read(path), read(path, memory="20KB")
    assert mapped.original().equals(whole.original())
    assert (mapped.column("n").codes == whole.column("n").codes).all()


@pytest.mark.compiled
def test_order_and_codes_do_not_depend_on_threads(tmp_path):
    path = put(tmp_path, "id,a\n" + "".join(f"{at},v{at * 7 % 1000}\n" for at in range(20_000)))
    first, second = read(path), read(path, memory="300MB")
    assert first.ids.to_pylist() == [str(at) for at in range(20_000)]
    assert second.ids.equals(first.ids)
    assert second.column("a").values.equals(first.column("a").values)


def test_optional_libraries_are_optional(tmp_path):
    # Arrow itself loads pandas wherever it is installed, so here neither can be found
    program = f"""
import sys
class Absent:
    def find_spec(self, name, *rest):
        if name.partition(".")[0] in ("pandas", "polars"):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Absent())
from partita.data import extend_input, profile, read, write
records = read({ROWS!r})
profile(records)
path = write(records, {{"k": [1, 2, 3]}}, r"{tmp_path}/out.csv")
assert extend_input(read(path), {{}}).num_rows == 3
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.compiled
def test_real_records_are_all_read():
    files = sorted(DATA.glob("*/records.csv"))
    if not files:
        pytest.skip(f"no records.csv below {DATA}; set PARTITA_DATA")
    for path in files:
        records = read(path)
        frame = pd.read_csv(path, dtype=str, keep_default_na=False)
        assert records.n == len(frame)
        for name in records.original().column_names:
            result = records.original()[name].fill_null("").to_pylist()
            assert result == frame[name].tolist(), f"{path}: {name}"
