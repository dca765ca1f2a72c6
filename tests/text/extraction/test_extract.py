"""`partita.extract`: kind in, kind out; bad input loses nothing."""

import functools
import json

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import partita
from partita.errors import EmptyInputError, InputError, PartitaWarning
from partita.text.extraction.labels import parse_tags
from tests.text.extraction.making import FIELDS, SCHEMA, references

TAGGED = references(30)
LINES = [parse_tags(line, FIELDS).text for line in TAGGED]


@pytest.fixture(scope="module")
def result():
    return partita.extract(LINES, SCHEMA, n_best=2)


def test_fields_and_probabilities(result):
    rows = result.table().to_pylist()
    assert len(rows) == len(LINES)
    for row, tagged in zip(rows, TAGGED, strict=True):
        spans = parse_tags(tagged, FIELDS)
        true = {name: spans.text[a:b] for a, b, name in spans.spans}
        assert row["date"] == true["date"] and row["pages"] == true["pages"]
        assert all(0 <= row[f"p_{field}"] <= 1 for field in FIELDS)
        assert 0 < row["p_line"] <= 1
        for span in json.loads(row["spans"]):
            assert 0 <= span["begin"] < span["end"] <= len(row["value"])
        readings = json.loads(row["n_best"])
        assert len(readings) == 2 and readings[0]["p"] >= readings[1]["p"]


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"n": range(5), "line": LINES[:5]}),
        pl.DataFrame({"n": range(5), "line": LINES[:5]}),
        [{"n": k, "line": line} for k, line in enumerate(LINES[:5])],
        pa.table({"n": list(range(5)), "line": LINES[:5]}),
    ],
    ids=["pandas", "polars", "dicts", "arrow"],
)
def test_kind_in_kind_out(frame):
    found = partita.extract(frame, SCHEMA)
    assert found.column == "line"
    assert type(found.table()) is type(frame)
    assert len(found.table()) == 5


def test_rates_name_the_wrong_rule(result):
    rates = {rate.rule: rate for rate in result.rates}
    assert rates["letter"].rate < 0.5 and rates["letter"].doubtful
    assert any(note.startswith("rule 'letter' seems right in") for note in result.notes)
    assert rates["year"].rate > 0.9


def test_suggestions_are_distinct_lines_that_can_be_read_back(result):
    suggested = result.suggest(5)
    texts = [parse_tags(line, FIELDS).text for line in suggested]
    assert len(set(texts)) == 5 and set(texts) <= set(LINES)
    with pytest.raises(InputError, match="n is 0"):
        result.suggest(0)


def test_suggested_lines_differ_in_more_than_digits():
    lines = ["Lee, J. On trees 1999", "lee, J.  On trees 2004", "Orr, A. A graph 1999"]
    suggested = partita.extract(lines, SCHEMA).suggest(3)
    assert len(suggested) == 2


def test_a_list_of_one_text_is_a_line(tmp_path):
    assert partita.extract(["Lee, J. 1999"], SCHEMA).table()["date"].to_pylist() == ["1999"]
    odd = ["see base::people 1999", "Lee 2001"]
    assert partita.extract(odd, SCHEMA).table()["date"].to_pylist() == ["1999", "2001"]
    with pytest.warns(PartitaWarning, match="2 lines are empty"):
        assert partita.extract(["", " "], SCHEMA).table()["date"].to_pylist() == [None, None]
    path = tmp_path / "lines.csv"
    path.write_text(f'line\n"{LINES[0]}"\n"{LINES[1]}"\n')
    assert partita.extract([str(path)], SCHEMA).table().num_rows == 2


def test_files_of_lines_and_of_columns(tmp_path):
    (tmp_path / "lines.txt").write_text("\n".join([LINES[0], "", "a,b;c", LINES[1]]) + "\n")
    with pytest.warns(PartitaWarning, match="1 line is empty"):
        found = partita.extract(tmp_path / "lines.txt", SCHEMA)
    assert found.table().column("text").to_pylist()[1:3] == ["", "a,b;c"]
    assert found.table().column("date").to_pylist()[1] is None
    found.write(tmp_path / "out.parquet")
    pd.DataFrame({"id": [1, 1], "short": "x", "line": LINES[:2]}).to_csv(tmp_path / "t.csv")
    assert partita.extract(tmp_path / "t.csv", SCHEMA, column="line").column == "line"
    with pytest.raises(InputError, match="no column 'lines'"):
        partita.extract(tmp_path / "t.csv", SCHEMA, column="lines")
    (tmp_path / "empty.txt").write_text("\n \n")
    with pytest.raises(EmptyInputError, match="has no text; give at least one line"):
        partita.extract(tmp_path / "empty.txt", SCHEMA)
    (tmp_path / "clash.jsonl").write_text('{"line": "Lee 1999", "date": "x"}\n')
    with pytest.raises(InputError, match="has a column 'date' already"):
        partita.extract(tmp_path / "clash.jsonl", SCHEMA)


@pytest.mark.filterwarnings("ignore::partita.errors.PartitaWarning")
def test_long_lines_and_other_alphabets_are_kept():
    lines = ["x " * 5_000_000, "Пётр Иванов. 1999", "李明，東京 2001", "محمد 1998", None]
    found = partita.extract(pa.table({"line": lines}), SCHEMA)
    rows = found.table().to_pylist()
    assert [row["line"] for row in rows] == lines
    assert [row["date"] for row in rows[1:4]] == ["1999", "2001", "1998"]
    assert any("more than 5,000 tokens: line 1" in note for note in found.notes)


def test_fields_that_nothing_states_have_a_note():
    rules = [{"field": "date", "pattern": r"\d+"}]
    schema = {"fields": ["author", "date"], "rules": rules}
    with pytest.warns(PartitaWarning, match="states the field 'author'; add a rule"):
        partita.extract(["Lee 1999"], schema)
    assert not partita.extract(["Lee 1999"], schema, labels=["<author>Orr</author> 1"]).notes
    with pytest.warns(PartitaWarning, match="no labelled line states a field"):
        partita.extract(["Lee 1999"], {"fields": ["author", "date"]})


def test_wrong_arguments():
    with pytest.raises(InputError, match="n_best is -1"):
        partita.extract(LINES, SCHEMA, n_best=-1)
    with pytest.raises(InputError, match=r"cannot be read .* or one of citation, person_name"):
        partita.extract(LINES, "citations")


READY = [
    ("citation", "L. Breiman. Random forests. Machine Learning, 2001.", "date", "2001"),
    ("us_address", "123 Main St, Springfield, MA 01101", "zip", "01101"),
    ("person_name", "Smith, John", "family", "Smith"),
    ("product_title", "Sony DSC-W120 Camera Black", "model", "DSC-W120"),
    ("product_title", "Apple iPhone 128GB Black", "capacity", "128GB"),
    ("person_name", "van der Berg, Peter", "given", "Peter"),
    ("us_address", "RR 2 Box 152, Salem, KS 67301", "group_type", "RR"),
]


@pytest.fixture(scope="module")
def ready():
    """The lines of a schema, extracted once: learning takes seconds."""

    @functools.cache
    def extract(name):
        lines = [{"text": line} for schema, line, *_ in READY if schema == name]
        return partita.extract(lines, name)

    return extract


@pytest.mark.parametrize(("name", "line", "field", "value"), READY)
def test_ready_schemas(name, line, field, value, ready):
    found = ready(name)
    [row] = [row for row in found.table() if row["text"] == line]
    assert row[field].strip(".") == value
    assert not any("never fires" in note for note in found.notes)
