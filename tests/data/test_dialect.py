"""The automaton against the standard library's reader, and the lines that it names."""

import csv
import io
import random

import pytest

from partita.data.chunks import read_chunks
from partita.data.dialect import Dialect, scan_text
from partita.data.encoding import detect_encoding
from partita.errors import InputError


def put(tmp_path, data, name="a.csv"):
    path = tmp_path / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_it_counts_as_the_standard_library_does(tmp_path, delimiter, end):
    rng = random.Random(0)
    cells = ["x", "", 'a "quoted" word', f"one{delimiter}two", f"two{end}lines", "plain text", "5"]
    rows = [[rng.choice(cells) for _ in range(4)] for _ in range(200)]
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator=end)
    writer.writerow(["a", "b", "c", "d"])
    writer.writerows(rows)
    scan = scan_text(put(tmp_path, out.getvalue()))
    assert scan.dialect == Dialect(delimiter, '"', '"')
    assert (scan.rows, scan.width, scan.mixed) == (201, 4, False)


def test_the_state_survives_the_border_of_a_chunk(tmp_path, monkeypatch):
    path = put(tmp_path, 'a,b\r\n1,"x\r\ny ""z"""\r\n2,"q"\r\n')
    whole = scan_text(path)
    for size in range(1, 8):
        monkeypatch.setattr(
            "partita.data.dialect.read_chunks",
            lambda path, given=size, size=size: read_chunks(path, given if given > 100 else size),
        )
        assert scan_text(path) == whole
    assert whole.rows == 3


def test_rarer_dialects_are_found(tmp_path):
    backslash = scan_text(put(tmp_path, 'a,b\n1,"x \\"q\\", y"\n2,z\n'))
    assert (backslash.dialect.escape, backslash.rows) == ("\\", 3)
    single = scan_text(put(tmp_path, "'a','b'\n'1','x, y'\n'2','it''s'\n"))
    assert (single.dialect.quote, single.rows) == ("'", 3)
    assert scan_text(put(tmp_path, "name,x\n't Hooft,1\n'k,2\n")).dialect.quote == '"'
    text = scan_text(put(tmp_path, "text\nHello, world\nno; not you\n"))
    assert (text.width, text.rows) == (1, 3)
    decimal = scan_text(put(tmp_path, "a;b\n1,5;2,5\n3,5;4\n"))
    assert decimal.dialect.delimiter == ";"


def test_blank_lines_are_records_of_one_column_only(tmp_path):
    assert scan_text(put(tmp_path, "a,b\n1,2\n\n3,4\n\n")).rows == 3
    assert scan_text(put(tmp_path, "a\n1\n\n2\n")).rows == 4
    assert scan_text(put(tmp_path, "\n\na,b\n1,2")).leading == 2
    assert scan_text(put(tmp_path, "a,b\n1,2\r\n3,4\n")).mixed


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('a,b\n1,x\n2,"y\n3,z\n', "opened on line 3 .* never closed"),
        ('a,b\n1,x\n2,"y"z\n', "line 3 .* text after a closing"),
        ("a,b\n1,x\n2\n3,z\n", "line 3 .* has 1 fields and the first row has 2"),
        ('a,b\n"1\n2",x\n3,4,5\n', "line 4 .* has 3 fields"),
    ],
)
def test_a_broken_line_is_named(tmp_path, text, message):
    with pytest.raises(InputError, match=message):
        scan_text(put(tmp_path, text))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_encodings(tmp_path, encoding):
    path = put(tmp_path, "id,name\n1,Zoë Müller\n2,Ann\n".encode(encoding))
    result = detect_encoding(path).encoding
    assert result == {"utf-8-sig": "utf-8"}.get(encoding, encoding)


def test_a_scan_refuses_text_that_is_not_utf_8(tmp_path):
    for encoding in ("utf-16", "utf-16-le", "utf-16-be", "cp1252"):
        with pytest.raises(UnicodeDecodeError):
            scan_text(put(tmp_path, "id,name\n1,Zoë Müller\n2,Ann\n".encode(encoding)))
    with pytest.raises(UnicodeDecodeError):
        scan_text(put(tmp_path, b"a\nx\xc3"))


def test_a_late_byte_decides_the_encoding(tmp_path):
    path = put(tmp_path, b"id,name\n" + b"1,plain\n" * 600_000 + b"2,M\xfcller\n")
    assert detect_encoding(path).encoding == "cp1252"
    assert detect_encoding(put(tmp_path, b"a\nx\xfc")).encoding == "cp1252"


def test_broken_encodings_are_errors(tmp_path):
    mixed = "id,name\n" + "1,Müller\n" * 3
    with pytest.raises(InputError, match=r"line 5 .* is not valid UTF-8, but other lines are"):
        detect_encoding(put(tmp_path, mixed.encode() + b"2,M\xfcller\n"))
    with pytest.raises(InputError, match="no text file"):
        detect_encoding(put(tmp_path, b"\x01\x00\x00\x00\x02\x03\x04"))
