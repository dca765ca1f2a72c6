"""Several inputs: columns of only one of them, maps, and inputs without a common column."""

import pytest

from partita.data.read import read
from partita.errors import InputError

A = "id,name,town\n1,Ann,Ely\n2,Bob,Bath\n"
B = "id,title,town,year\n1,Anne,Ely,1990\n"


@pytest.fixture
def files(tmp_path):
    paths = [tmp_path / "A.csv", tmp_path / "B.csv"]
    for path, text in zip(paths, (A, B), strict=True):
        path.write_text(text)
    return paths


def test_columns_of_one_input_are_noted(files):
    records = read(files)
    assert records.notes == (
        "name exists only in A.csv; map names that mean the same, as in 'A.name=OTHER.COLUMN'",
        "title, year exist only in B.csv; map names that mean the same, as in "
        "'B.title=OTHER.COLUMN'",
    )
    assert read(files[0]).notes == ()
    assert read([files[0], files[0]]).notes == ()


@pytest.mark.parametrize(
    "map",
    [
        {"A.csv": {"name": "title"}},
        {"A": {"name": "title"}},
        "A.name=B.title",
        "A.csv.name = B.csv.title",
        ["A.name=title"],
        ("A.name=B.title",),
    ],
)
def test_a_map_renames(files, map):
    records = read(files, map=map)
    assert records.names == ("title", "town", "year")
    assert records.original()["title"].to_pylist() == ["Ann", "Bob", "Anne"]
    assert [note.partition(";")[0] for note in records.notes] == ["year exists only in B.csv"]


def test_a_map_of_tables_and_of_one_file(files):
    tables = {"left": [{"name": "Ann"}], "right": [{"who": "Ann"}]}
    assert read(tables, map="right.who=left.name").names == ("name",)
    assert read(files[0], map={"A": {"name": "title"}}).names == ("title", "town")
    # a map may make a column the one of ids
    assert read(files[0], map="A.town=unique_id").ids.to_pylist() == ["Ely", "Bath"]


@pytest.mark.parametrize(
    ("map", "message"),
    [
        ({"C.csv": {"name": "title"}}, "names 'C.csv', which is no input; give one of: A, B"),
        ({"A.csv": {"nam": "title"}}, "names 'nam', which is no column of A.csv; it has id, name"),
        ("A.nam=B.title", "names 'nam', which is no column of A.csv"),
        ("A.name=B.titel", "names 'titel', which is no column of B.csv; it has id, title"),
        ("name=B.title", "names no input; begin it with one of: A, B"),
        ("A.name", "is no rule; write it as 'A.name=B.title'"),
        ("A.name=", "is no rule"),
        ("A.name=B.town", "gives A.csv two columns 'town'"),
    ],
)
def test_wrong_maps(files, map, message):
    with pytest.raises(InputError, match=message):
        read(files, map=map)


def test_a_name_of_two_inputs(files, tmp_path):
    (tmp_path / "more").mkdir()
    other = tmp_path / "more" / "A.csv"
    other.write_text(A)
    with pytest.raises(InputError, match=r"'A.csv', which is two inputs; give one of: A, A_2"):
        read([files[0], other], map={"A.csv": {"name": "title"}})
    assert read([files[0], other], map={"A_2": {"name": "title"}}).names == (
        "name",
        "town",
        "title",
    )


def test_inputs_without_a_common_column(tmp_path):
    paths = [tmp_path / "A.csv", tmp_path / "B.csv"]
    paths[0].write_text("id,name,town\n1,Ann,Ely\n")
    paths[1].write_text("id,title,town\n1,Anne,Ely\n")
    assert read(paths).names == ("name", "town", "title")
    message = (
        r"A.csv \(id, name, town\) and B.csv \(id, title, town\) have no column in common to "
        r"compare; rename columns, or map them as in 'A.name=B.title'"
    )
    # the ids, the source and ignored columns are not compared
    with pytest.raises(InputError, match=message):
        read(paths, ignore="town")
    with pytest.raises(InputError, match="no column in common"):
        read(paths, id="town")
    assert read(paths, ignore="town", map="A.name=B.title").names == ("title",)
