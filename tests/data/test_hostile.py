"""Files of other persons: bombs, cells that readers tend to change, and views of other files."""

import json
import random
import sqlite3

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from partita.data import read, write
from partita.data.bibtex import MAX_COAUTHORS
from partita.data.redundancy import measure_coverage
from partita.errors import EmptyInputError, InputError
from partita.linkage.config import load_settings
from partita.linkage.supervision.trained_model import load_model


def test_macros_that_double_each_other_are_refused(tmp_path):
    lines = ['@string{a0 = "aaaaaaaaaaaaaaaa"}']
    lines += [f"@string{{a{k} = a{k - 1} # a{k - 1}}}" for k in range(1, 28)]
    path = tmp_path / "bomb.bib"
    path.write_text("\n".join([*lines, "@article{k, author = a27, title = a27}"]))
    with pytest.raises(InputError, match=r"macros of .*bomb.bib expand to far more text"):
        read(path)
    macros = [f"@article{{k{k}, author = {{Ann Lee}}, journal = long}}" for k in range(5000)]
    path.write_text("\n".join(['@string{long = "' + "long " * 2000 + '"}', *macros]))
    with pytest.raises(InputError, match="write the values out"):
        read(path)


def test_coauthors_of_large_entries_are_bounded(tmp_path):
    path = tmp_path / "many.bib"
    names = " and ".join(f"Ann Lee{k}" for k in range(5000))
    path.write_text(f"@article{{k, title = {{A title}}, author = {{{names}}}}}")
    records = read(path)
    coauthors = records.table.column("coauthors").to_pylist()
    assert records.n == 5000
    assert {text.count(";") + 1 for text in coauthors} == {MAX_COAUTHORS}
    assert coauthors[0].startswith("Ann Lee1;") and coauthors[1].startswith("Ann Lee0;")
    assert "list the first 100 coauthors only" in records.notes[0]


@pytest.mark.parametrize("text", ["x = " + "[" * 100_000, "[columns" + ".a" * 20_000 + "]\nx = 1"])
def test_deep_settings_are_refused(tmp_path, text):
    path = tmp_path / "partita.toml"
    path.write_text(text)
    with pytest.raises(InputError):
        load_settings(path)


def test_deep_json_is_refused(tmp_path):
    deep = "[" * 100_000 + "]" * 100_000
    for name, content in (("a.json", f'{{"a": {deep}}}'), ("a.jsonl", f'{{"a": {deep}}}\n')):
        (tmp_path / name).write_text(content)
        with pytest.raises(InputError, match="recursion depth"):
            read(tmp_path / name)
    (tmp_path / "model.json").write_text(f'{{"format": "partita model", "kind": {deep}}}')
    with pytest.raises(InputError, match="is not JSON"):
        load_model(tmp_path / "model.json")


def test_coverage_counts_the_columns_that_are_kept():
    random.seed(3)
    words = ["a", "b", "c", "d", "e", "f", "g", "h"]
    rows = [
        {f"c{k}": " ".join(random.sample(words, random.randint(1, 4))) for k in range(6)}
        for _ in range(50)
    ]
    records = read(rows)
    columns = [records.column(name) for name in records.names]
    shares, redundant = measure_coverage(columns, records.n)
    # by definition
    kept = dict.fromkeys(records.names)
    sizes = {name: sum(len(set(row[name].split())) for row in rows) for name in kept}
    for name in sorted(sizes, key=lambda name: (-sizes[name], name)):
        values = []
        for row in rows:
            others = {word for other in kept if other != name for word in row[other].split()}
            own = set(row[name].split())
            values.append(len(own & others) / len(own))
        assert shares[name] == pytest.approx(sum(values) / len(values))
        if shares[name] >= 0.8:
            assert name in redundant
            del kept[name]
    assert redundant == set(records.names) - set(kept)


@pytest.mark.parametrize(
    "content", [b"\n", b"\r\n", b"\n\n\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n", b"\xff\xfe"]
)
def test_files_without_text_are_empty(tmp_path, content):
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    with pytest.raises(EmptyInputError, match="is empty"):
        read(path)


def test_zero_bytes_in_utf_16_are_refused(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("id,na\0me\n1,Ann\n".encode("utf-16"))
    with pytest.raises(InputError, match="holds zero bytes"):
        read(path)


def test_a_header_beyond_the_limit_of_a_field_is_refused(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("id,name," + "x" * 200_000 + "\n1,Ann,2\n")
    with pytest.raises(InputError, match=r"first row of .* cannot be read as 3 fields"):
        read(path)


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("filler", [0, 1 << 22])
def test_line_ends_inside_cells_stay(tmp_path, mark, filler):
    cells = ["a\r\nb", "c\rd", "e\nf", 'g"\r\n"h', "x" * filler + "\r\ny"]
    lines = [f'{k},"{cell.replace(chr(34), chr(34) * 2)}"' for k, cell in enumerate(cells)]
    ends = ["\r\n", "\n", "\r", "\r\n", "\n"]
    path = tmp_path / "mixed.csv"
    text = mark + "id,text\n" + "".join(map("".join, zip(lines, ends, strict=True)))
    path.write_bytes(text.encode())
    records = read(path)
    assert records.table.column("text").to_pylist() == cells
    write(records, {"new": [1] * records.n}, tmp_path / "out.csv")
    assert read(tmp_path / "out.csv").table.column("text").to_pylist() == cells


def make_sqlite(path, *statements):
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()
    return path


def test_sqlite_cells_stay(tmp_path):
    path = make_sqlite(
        tmp_path / "a.db",
        "CREATE TABLE t (id INTEGER, x, y, z, full TEXT AS (z || '!') VIRTUAL, "
        "kept TEXT AS (z || '?') STORED)",
        f"INSERT INTO t (id, x, y, z) VALUES (1, {2**60 + 1}, 0.1234567890123456, 'a')",
        "INSERT INTO t (id, x, y, z) VALUES (2, 1.5, 'text', 'b')",
        "INSERT INTO t (id, x, y, z) VALUES (3, 2, x'00ff', NULL)",
    )
    records = read(path)
    table = records.table.to_pydict()
    assert table["x"] == [str(2**60 + 1), "1.5", "2"]
    assert table["y"] == ["0.1234567890123456", "text", "00FF"]
    assert table["full"] == ["a!", "b!", None] and table["kept"] == ["a?", "b?", None]
    assert any("column 'y' holds binary values" in note for note in records.notes)


def test_json_numbers_stay_or_are_named(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(
        '{"id": 1, "big": 12345678901234567890123, "beside": 9007199254740993, "x": NaN, '
        '"far": 1e400, "long": 0.1234567890123456789, "huge": 18446744073709551615, '
        '"in": [1e999], "inside": [0.1234567890123456789], "mixed": 0.12345678901234567890}\n'
        '{"id": 2, "big": 1, "beside": 1.5, "x": 1.5, "far": 2, "long": 1.50, '
        '"huge": 3, "in": [], "inside": [], "mixed": "a\\n1"}\n'
        '{"id": 3, "big": 1, "beside": 2, "x": null, "far": 2, "huge": 3}\n'
    )
    records = read(path)
    table = records.table.to_pydict()
    assert table["big"] == ["12345678901234567890123", "1", "1"]
    assert table["beside"] == ["9007199254740993", "1.5", "2"]
    assert table["huge"] == ["18446744073709551615", "3", "3"]
    assert table["x"] == ["NaN", "1.5", None] and table["far"] == ["1e400", "2", "2"]
    assert table["in"][0] == "[1e999]"
    assert table["long"] == ["0.1234567890123456789", "1.50", None]
    assert table["mixed"] == ["0.12345678901234567890", "a\n1", None]
    assert [note for note in records.notes if "rounded" in note] == [
        f"{path}: column 'inside' holds 0.1234567890123456789, which has more digits than 64 bits "
        "hold; its numbers are rounded, so write them in quotes to keep them"
    ]


def test_json_decimals_stay_in_an_array_and_in_the_output(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('[{"a": 0.10000000000000000001, "b": 1}, {"b": 2}, {"a": 2e-5, "b": 3}]')
    records = read(path)
    assert records.table.column("a").to_pylist() == ["0.10000000000000000001", None, "2e-5"]
    assert not records.notes
    out = write(records, {"new": [1, 2, 3]}, tmp_path / "out.csv")
    assert out.read_text().splitlines()[1:] == ["0.10000000000000000001,1,1", ",2,2", "2e-5,3,3"]


def test_numbers_that_json_lacks_are_written_as_text(tmp_path):
    values = [1.5, float("nan"), float("inf"), None, -float("inf"), 0.1]
    pq.write_table(pa.table({"id": list(range(6)), "x": values}), tmp_path / "a.parquet")
    records = read(tmp_path / "a.parquet")
    out = write(records, {"new": [1] * 6}, tmp_path / "out.jsonl")
    lines = [json.loads(line, parse_constant=pytest.fail) for line in out.read_text().splitlines()]
    assert [line["x"] for line in lines] == ["1.5", "NaN", "Infinity", None, "-Infinity", "0.1"]


def test_a_view_reads_no_other_file(tmp_path):
    secret, path = tmp_path / "secret.csv", tmp_path / "a.duckdb"
    secret.write_text("id,word\n1,secret\n")
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE fine AS SELECT 1 AS id, 'Ann' AS name")
        connection.execute("CREATE VIEW own AS SELECT * FROM fine")
        connection.execute(f"CREATE VIEW other AS SELECT * FROM read_csv('{secret}')")
    assert read(f"{path}::own").n == read(f"{path}::fine").n == 1
    with pytest.raises(InputError, match="disabled by configuration"):
        read(f"{path}::other")
