"""`partita profile`."""

import pytest

from partita.synthetic import people
from tests.cli.running import run, told


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("profile") / "people.csv"
    people(150, seed=1, truth=None).write(path)
    return path


def test_profile_shows_every_column(file):
    shown = run("profile", file).stdout
    assert "surname" in shown
    assert "150 records" in shown
    found = told("profile", file, "--ignore", "city")
    assert found["records"] == 150
    types = {one["name"]: one["type"] for one in found["columns"]}
    assert types["date_of_birth"] == "date"
    assert not {"unique_id", "city"} & set(types)


def test_profile_names_columns_that_resolve_cannot_use(tmp_path):
    path = tmp_path / "people.csv"
    names = [f"ann{k} lee{k}" for k in range(60)]
    rows = [f"k{k},{name},{name.replace(' ', ',')},same,\n" for k, name in enumerate(names)]
    path.write_text("key,full_name,first,last,fixed,empty\n" + "".join(rows))
    shown = run("profile", path).stdout
    for note in ("repeats", "always missing", "nearly unique", "one value"):
        assert note in shown
