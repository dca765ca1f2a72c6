"""`partita link` and `partita explain --to`."""

import csv

from tests.cli.running import refused, run, told

NAMES = ["Germany", "France", "Italy", "Spain", "Poland", "Norway", "Greece", "Hungary"]


def write(path, header, rows):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return path


def files(folder):
    master = write(folder / "master.csv", ["id", "name"], enumerate(NAMES))
    rows = [[f"r{k}", name] for k, name in enumerate([*NAMES[::-1], "Atlantis"])]
    return write(folder / "delivery.csv", ["key", "country"], rows), master


def test_rows_are_linked_and_explained(tmp_path):
    delivery, master = files(tmp_path)
    out = tmp_path / "links.csv"
    options = ("--id", "key", "--map", "country=name")
    summary = told("link", delivery, "--to", master, "--out", out, *options)
    assert (summary["rows"], summary["reference"], summary["linked"]) == (9, 8, 8)
    with out.open() as file:
        links = {row["key"]: row["link"] for row in csv.DictReader(file)}
    assert links == {f"r{k}": str(7 - k) for k in range(8)} | {"r8": ""}
    found = run("explain", delivery, "r0", "7", "--to", master, *options)
    assert "r0 and 7: one entity" in found.stdout
    assert "P(no link)" in found.stdout


def test_nothing_is_overwritten_and_bad_input_is_one_sentence(tmp_path):
    delivery, master = files(tmp_path)
    out = tmp_path / "links.csv"
    out.write_text("mine")
    assert "--force" in refused("link", delivery, "--to", master, "--out", out)
    bare = write(tmp_path / "bare.csv", ["name"], [[name] for name in NAMES])
    other = tmp_path / "other.csv"
    said = refused("link", delivery, "--to", bare, "--out", other, "--map", "country=name")
    assert "no column unique_id or id" in said
    aliases = write(
        tmp_path / "aliases.csv", ["id", "alias_of", "name"], [["x", "y", "a"], ["y", "x", "b"]]
    )
    said = refused(
        "link",
        delivery,
        "--to",
        master,
        "--out",
        other,
        "--map",
        "country=name",
        "--aliases",
        aliases,
    )
    assert "form a cycle" in said
    assert out.read_text() == "mine"
    assert not other.exists()


def test_the_result_goes_to_a_pipe(tmp_path):
    delivery, master = files(tmp_path)
    found = run("link", delivery, "--to", master, "--out", "-", "--map", "country=name", "-q")
    assert found.exit_code == 0
    assert found.stdout.splitlines()[0].startswith("key,country,link,p_link,p_nil")
