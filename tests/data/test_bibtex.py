"""BibTeX: a record for each author, whatever the braces; broken entries are counted."""

import gzip

import pytest

from partita.data import read
from partita.data.bibtex import COLUMNS, read_bibtex
from partita.errors import InputError

WHOLE = r"""
@string{jmlr = "Journal of ML" # { Research}}
@comment{nothing to see}
@article{Knuth84,
  author = "Donald E. Knuth and {\'E}variste Galois and van der Berg, J.R. and others",
  title = {The {\TeX}book: {DNA} \& co},
  journal = jmlr, year = 1984
}
@misc(two, AUTHOR = {{NASA, Inc.} and Paul Erd\H{o}s}, title = "A {"}q{"} z", year = "c. 1999",)
"""


def put(folder, text, name="a.bib"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_every_author_is_a_record(tmp_path):
    table = read_bibtex(put(tmp_path, WHOLE))
    assert table.table.column_names == list(COLUMNS)
    rows = table.table.to_pylist()
    assert [(row["key"], row["position"]) for row in rows] == [
        *(("Knuth84", place) for place in (1, 2, 3)),
        *(("two", place) for place in (1, 2)),
    ]
    assert [(row["first"], row["middle"], row["last"]) for row in rows] == [
        ("Donald", "E.", "Knuth"),
        ("Évariste", None, "Galois"),
        ("J.", "R.", "van der Berg"),
        (None, None, "NASA, Inc."),
        ("Paul", None, "Erdős"),
    ]
    assert rows[1]["coauthors"] == "Donald E. Knuth; J. R. van der Berg"
    assert rows[0]["title"] == "The TeXbook: DNA & co"
    assert (rows[0]["venue"], rows[0]["year"]) == ("Journal of ML Research", 1984)
    assert (rows[3]["title"], rows[3]["venue"], rows[3]["year"]) == ('A "q" z', None, 1999)
    assert (table.entries, table.broken, table.authorless) == (2, (), 0)
    assert table.notes("a.bib") == ()


BROKEN = r"""@article{fine, author = {Ann Lee}, title = {x}}
@article{open,
  author = {Bob Orr and Carl,
  title = {x}
@article{after, author = {Dora Ray}}
@book{ = }
@article{bare, author = }
@book{anonymous, title = {a}}
"""


def test_broken_entries_are_counted_and_the_others_read(tmp_path):
    table = read_bibtex(put(tmp_path, BROKEN))
    assert table.table["last"].to_pylist() == ["Lee", "Ray"]
    assert (table.broken, table.authorless) == ((2, 6, 7), 1)
    broken, authorless = table.notes("a.bib")
    assert broken == "a.bib: 3 broken entries left out, the first at line 2"
    assert authorless == "a.bib: 1 entry without an author left out"


def test_read_keeps_the_notes_about_entries(tmp_path):
    first, second = put(tmp_path, BROKEN), put(tmp_path, WHOLE, "b.BIB")
    records = read([first, second])
    assert records.n == 2 + 5
    assert records.source_names == ("a", "b")
    assert len(records.notes) == 2
    assert "line 2" in records.notes[0]
    assert records.table.schema.metadata is None
    assert read(first).table.schema.metadata is None
    assert read(second).notes == ()


def test_latin_1_and_gzip(tmp_path):
    text = "@misc{a, author = {José Ñu}}"
    old, packed = tmp_path / "old.bib", tmp_path / "a.bib.gz"
    old.write_bytes(text.encode("latin-1"))
    packed.write_bytes(gzip.compress(text.encode()))
    for path in (old, packed):
        assert read(path).table["first"].to_pylist() == ["José"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("nothing here", "no entry"),
        ("@book{a, title = {b}}", "1 entry but no author"),
        ("\n@book{a, title = {b}", "the first at line 2"),
    ],
)
def test_a_file_without_a_record_is_refused(tmp_path, text, told):
    with pytest.raises(InputError, match=told):
        read_bibtex(put(tmp_path, text))
