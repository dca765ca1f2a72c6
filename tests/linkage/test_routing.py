"""The engine by size: only many records that are surely authors leave the posterior."""

from pathlib import Path

import pytest

from partita.data import read
from partita.errors import InputError
from partita.linkage import routing as engines
from partita.linkage.routing import are_authors, choose_by_size, why_draws

AUTHOR = {"name": "Ann Lee", "title": "Sums", "venue": "Sets"}


def written(path, rows):
    path.write_text("\n".join([",".join(rows[0])] + [",".join(row.values()) for row in rows]))
    return str(path)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (AUTHOR, True),
        ({"last": "Lee", "coauthors": "Bob Orr", "journal": "Sets"}, True),
        ({"name": "Ann Lee", "title": "Dr", "town": "Ely"}, False),
        ({"title": "Sums", "venue": "Sets", "year": "2001"}, False),
    ],
)
def test_authors_have_a_name_and_two_of_their_contents(row, expected):
    assert are_authors(read([row])) is expected


def test_only_many_authors_get_the_recipe(tmp_path, monkeypatch):
    monkeypatch.setattr(engines, "MANY", 3)
    few = written(tmp_path / "few.csv", [AUTHOR] * 3)
    many = written(tmp_path / "many.csv", [AUTHOR] * 4)
    others = written(tmp_path / "others.csv", [{"name": "Ann Lee", "town": "a long way off"}] * 9)
    recipes = [choose_by_size([one], {})[0] for one in (few, many, others)]
    assert recipes == [None, "authors", None]
    assert choose_by_size([many], {"ignore": ("venue", "title")})[0] is None
    name, records = choose_by_size([few, many], {})
    assert (name, records.n) == ("authors", 7)


def test_small_files_are_not_read_for_it(tmp_path, monkeypatch):
    monkeypatch.setattr(engines, "read", lambda *given, **more: pytest.fail("was read"))
    path = written(tmp_path / "a.csv", [AUTHOR])
    assert choose_by_size([path], {}) == (None, [Path(path)])


def test_a_file_that_is_not_there_is_named():
    with pytest.raises(InputError, match="nowhere"):
        choose_by_size(["nowhere.csv"], {})


def test_the_reason_is_a_sentence(monkeypatch):
    assert why_draws(read([AUTHOR])) == "the file has at most 500,000 records"
    monkeypatch.setattr(engines, "MANY", 1)
    assert "a faster recipe exists" in why_draws(read([AUTHOR] * 2))
    assert "not author mentions" in why_draws(read([{"a": "x", "b": "y"}] * 2))
