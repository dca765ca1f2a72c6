"""Tagged lines: tags become spans and back, and mistakes have one sentence."""

import pytest

from partita.errors import InputError
from partita.text.extraction.labels import encode_labels, parse_tags, read_labels, tag_line
from partita.text.extraction.schema import read_schema

SCHEMA = read_schema({"fields": ["author", "date"]})


def test_tags_and_back():
    line = "<author>Lee, A.</author> in <date>1999</date>, 3 < 4 and <b> too"
    parsed = parse_tags(line, SCHEMA.labels)
    assert parsed.text == "Lee, A. in 1999, 3 < 4 and <b> too"
    assert parsed.spans == ((0, 7, "author"), (11, 15, "date"))
    assert tag_line(parsed.text, parsed.spans) == line


def test_labels_as_tokens(tmp_path):
    path = tmp_path / "labels.txt"
    path.write_text("<author>Lee A</author> in <date>1999</date>\nno tags\n\n")
    lines = read_labels(path, SCHEMA)
    assert lines == [("Lee A in 1999", ("author", "author", "other", "date"))]
    encoded = encode_labels([parse_tags("<author>Lee A</author> in", SCHEMA.labels)], SCHEMA)
    assert encoded.first.tolist() == [0, 0, 2] and encoded.label.tolist() == [0, 0, 2]


def test_examples_of_a_schema():
    schema = read_schema({"fields": ["author", "date"], "examples": ["<date>1999</date>"]})
    assert read_labels(None, schema) == [("1999", ("date",))]
    bad = read_schema({"fields": ["author", "date"], "examples": ["<date>1999"]})
    with pytest.raises(InputError, match="example 1: <date> is not closed"):
        read_labels(None, bad)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("<auhtor>Lee</auhtor>", "no field 'auhtor'; do you mean 'author'"),
        ("<author>Lee", "<author> is not closed"),
        ("Lee</author>", "closes no <author>"),
        ("<author><date>1</date></author>", "<date> begins inside <author>"),
        ("Lee", "no line of the labels has a tag"),
    ],
)
def test_mistakes(line, message):
    with pytest.raises(InputError, match=message):
        read_labels([line], SCHEMA)


def test_every_token_needs_a_field_without_other():
    schema = read_schema({"fields": ["author", "date"], "other": False})
    with pytest.raises(InputError, match="'in' of labelled line 1 is in no field"):
        encode_labels([parse_tags("<author>Lee</author> in", schema.labels)], schema)
