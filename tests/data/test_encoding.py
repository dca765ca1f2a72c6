"""Encodings by content, stated encodings, and delimiters."""

import csv
import io
import json
from random import Random

import pytest

from partita.data import read
from partita.data.encoding import detect_encoding
from partita.data.layout import Layout
from partita.errors import InputError
from partita.text.extraction.extract import extract
from tests.cli.running import refused
from tests.data.languages import LANGUAGES, make_text

PAIRS = [
    *(("Japanese", "cp932"), ("Japanese", "euc_jp"), ("Simplified Chinese", "gb18030")),
    *(("Traditional Chinese", "big5"), ("Korean", "cp949"), ("Polish", "cp1250")),
    *(("Polish", "iso8859_2"), ("Polish", "cp852"), ("Russian", "cp1251"), ("Russian", "koi8_r")),
    ("Greek", "cp1253"),
    *((language, "cp1252") for language in ("French", "German", "Spanish", "Swedish")),
    *((language, "mac_roman") for language in ("French", "German", "Spanish", "Swedish")),
    *((language, "latin-1") for language in ("German", "Spanish", "Swedish")),
    *((language, "cp850") for language in ("German", "Spanish", "Swedish")),
    *((language, "utf-16") for language in LANGUAGES),
    *((language, "utf-16-le") for language in LANGUAGES),
    *((language, "utf-16-be") for language in ("Japanese", "Russian")),
]


def put(tmp_path, data, name="a.csv"):
    path = tmp_path / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def cells(text):
    header, *body = csv.reader(io.StringIO(text))
    return {name: [row[at] for row in body] for at, name in enumerate(header)}


@pytest.mark.parametrize(("language", "encoding"), PAIRS)
@pytest.mark.parametrize(("rows", "plain"), [(6, 0.0), (400, 0.9)])
def test_files_of_other_encodings_are_read(tmp_path, language, encoding, rows, plain):
    text = make_text(Random(rows), language, rows, plain)
    records = read(put(tmp_path, text.encode(encoding)))
    assert records.table.to_pydict() == cells(text)
    assert records.notes[0].startswith(f"{tmp_path / 'a.csv'} is read as ")
    assert "--encoding" in records.notes[0]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_utf_8_needs_no_note(tmp_path, language, encoding):
    text = make_text(Random(1), language, 20)
    records = read(put(tmp_path, text.encode(encoding)))
    assert records.table.to_pydict() == cells(text) and not records.notes


def test_one_accent_is_no_other_script(tmp_path):
    for word in ("José", "Müller", "Café de l’Été", "Åsa", "Peña", "É", "5 €", "Größe"):
        text = f"id,name\n1,{word}\n2,Ann\n"
        assert read(put(tmp_path, text.encode("cp1252"))).table.to_pydict() == cells(text)


def test_an_encoding_that_is_nearly_as_likely_is_named(tmp_path):
    found = detect_encoding(put(tmp_path, "name\né\n".encode("cp1252")))
    assert found.encoding == "cp1252"
    doubtful = [
        detect_encoding(put(tmp_path, f"name\n{letter}\n".encode("cp1252"))).second
        for letter in "ãõðþ€"
    ]
    assert any(doubtful)


def test_a_stated_encoding_is_taken(tmp_path):
    text = make_text(Random(1), "French", 8)
    path = put(tmp_path, text.encode("mac_roman"))
    assert read(path, encoding="macintosh").table.to_pydict() == cells(text)
    assert not read(path, encoding="mac_roman").notes
    assert read(path, encoding="latin-1").table.to_pydict() != cells(text)
    records = [{"name": "Zoë"}, {"name": "Ann"}]
    lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in records)
    path = put(tmp_path, lines.encode("cp1252"), "a.jsonl")
    assert read(path, encoding="cp1252").table.to_pylist() == records
    path = put(tmp_path, "Zoë 1999\nAnn 2001\n".encode("mac_roman"), "a.txt")
    schema = {"fields": ["who", "date"], "rules": [{"field": "date", "pattern": "[0-9]{4}"}]}
    assert extract(path, schema, encoding="mac_roman").table()["text"][0].as_py() == "Zoë 1999"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"encoding": "klingon"}, "encoding is 'klingon', which is unknown"),
        ({"encoding": "base64"}, "encoding is 'base64', which is unknown"),
        ({"encoding": "utf-7"}, "'utf-7', which is not read"),
        ({"encoding": "utf-8"}, "is not valid utf-8"),
        ({"encoding": "ascii"}, "is not valid ascii"),
        ({"delimiter": "ab"}, "delimiter is 'ab'; give one ASCII character"),
        ({"delimiter": "§"}, "give one ASCII character"),
        ({"delimiter": '"'}, "give one ASCII character"),
        ({"delimiter": ""}, "give one ASCII character"),
    ],
)
def test_statements_that_cannot_be(tmp_path, options, message):
    with pytest.raises(InputError, match=message):
        read(put(tmp_path, "id,name\n1,Zoë\n".encode("cp1252")), **options)


def test_utf_7_is_refused_and_plus_signs_are_text(tmp_path):
    text = make_text(Random(1), "German", 5)
    with pytest.raises(InputError, match=r"is UTF-7, which is not read"):
        read(put(tmp_path, text.encode("utf-7")))
    assert read(put(tmp_path, text.encode("utf-7")), encoding="utf-8").n == 5
    for cell in ("+49301234", "+4930 1234", "C++", "a+b-c", "+ABC-", "1+1"):
        assert read(put(tmp_path, f"id,x\n1,{cell}\n2,y\n")).n == 2


@pytest.mark.parametrize("delimiter", ["^", "~", "\x01", "\x1f"])
def test_rare_delimiters_are_detected(tmp_path, delimiter):
    text = make_text(Random(2), "German", 5, delimiter=delimiter)
    records = read(put(tmp_path, text))
    assert records.table.column_names == ["id", "name", "town", "firm"]
    assert repr(delimiter) in records.notes[0]
    assert not read(put(tmp_path, text), delimiter=delimiter).notes


def test_unclear_delimiters_are_refused(tmp_path):
    with pytest.raises(InputError, match="one column named 'id~name~town'; give --delimiter '~'"):
        read(put(tmp_path, "id~name~town\n1~Ann~Ely\n2~Bob\n"))
    blanks = "id name town\n1 Ann Ely\n2 Bob Bath\n3 Cid York\n"
    with pytest.raises(InputError, match="one column named 'id name town'; give --delimiter ' '"):
        read(put(tmp_path, blanks))
    assert read(put(tmp_path, blanks), delimiter="space").table.column_names[1:] == ["name", "town"]
    assert read(put(tmp_path, blanks), delimiter=",").table.num_columns == 1
    for words in ("name\nAnn Lee\nBob Orr\nCid Ray\n", "full name\nAnn Lee\nBob Orr\nCid Ray\n"):
        assert read(put(tmp_path, words)).table.num_columns == 1
    stated = put(tmp_path, "a;b%c;d\n1;2%3;4\n")
    assert read(stated, delimiter="%").table.column_names == ["a;b", "c;d"]
    assert Layout.of(delimiter="tab").delimiter == "\t"


def test_statements_without_effect_are_refused(tmp_path):
    rows = [{"id": 1, "name": "Ann"}, {"id": 2, "name": "Bob"}]
    lines = put(tmp_path, "\n".join(map(json.dumps, rows)), "a.jsonl")
    table = put(tmp_path, "id,name\n1,Ann\n2,Bob\n", "a.csv")
    for name, value in (("header", True), ("encoding", "utf-8"), ("delimiter", ",")):
        with pytest.raises(InputError, match=f"{name} has no effect"):
            read(rows, **{name: value})
        assert read(table, **{name: value}).n == 2
        assert read([table, lines], id=False, **{name: value}).n == 4
    assert "delimiter has no effect" in refused("profile", lines, "--delimiter", ";")
    text = put(tmp_path, "one line\n", "a.txt")
    sentence = refused(
        *("extract", text, "--schema", "citation", "--out", tmp_path / "o.csv"),
        *("--delimiter", ","),
    )
    assert "delimiter has no effect on the lines" in sentence
