"""Drafts of schemas: every draft can be read again, and its rules agree with the examples."""

import tomllib

import partita
from partita.text.extraction.draft import draft_schema
from partita.text.extraction.schema import read_schema
from tests.text.extraction.making import FIELDS, references


def read(text, folder=None):
    content = tomllib.loads(text)
    return read_schema(content, folder) if folder else read_schema(content)


def test_tagged_lines(tmp_path):
    path = tmp_path / "tagged.txt"
    path.write_text("\n".join(references(50)))
    schema = read(draft_schema(path))
    assert list(schema.fields) == FIELDS
    by_kind = {rule.kind: rule for rule in schema.rules}
    assert {"pattern", "words", "once", "order", "length", "place"} <= set(by_kind)
    assert by_kind["order"].fields == ("author", "title", "journal", "pages", "date")
    shapes = {rule.fields[0]: rule.pattern[0] for rule in schema.rules if rule.kind == "pattern"}
    assert r"\d{4}" in shapes["date"].split("|")
    assert list(schema.examples) == references(50)


def test_a_table_of_records(tmp_path):
    path = tmp_path / "hotels.csv"
    path.write_text("hotel,stars\nHoliday Inn,3.5\nCourtyard by Marriott,4.0\n")
    schema = read(draft_schema(path))
    rules = {rule.name: rule for rule in schema.rules}
    assert schema.fields == ("hotel", "stars")
    assert set(rules["hotel entry"].words) == {"Holiday Inn", "Courtyard by Marriott"}
    assert rules["stars"].pattern == (r"\d\.\d",)


def test_plain_lines(tmp_path):
    path = tmp_path / "posts.txt"
    path.write_text(
        "flat 2 rooms $900 a@b.org\nroom 1 bath $650 c@d.org\nflat 3 rooms $800 e@f.de\n"
    )
    schema = read(draft_schema(path))
    assert schema.fields == ("words", "email", "price", "number")
    assert partita.extract(path, schema).table()["price"].to_pylist() == ["$900", "$650", "$800"]


def test_shapes_of_plain_lines(tmp_path):
    path = tmp_path / "jobs.txt"
    path.write_text("".join(f"nurse in Leeds ({k}k), ref {k}.\n" for k in range(20, 40)))
    schema = read(draft_schema(path))
    assert schema.fields == ("words", "number", "code_1")
    row = partita.extract(path, schema).table().to_pylist()[0]
    assert (row["number"], row["code_1"]) == ("20", "20k")


def test_a_field_without_a_rule_is_learned_from_the_examples(tmp_path):
    path = tmp_path / "tagged.txt"
    path.write_text(
        "<who>Ann Lee</who> in <city>Rome</city>\n<who>Bo Orr</who> in <city>Oslo</city>\n"
    )
    schema = read(draft_schema(path))
    row = partita.extract(["Ann Orr in Oslo"], schema).table().to_pylist()[0]
    assert (row["who"], row["city"]) == ("Ann Orr", "Oslo")
