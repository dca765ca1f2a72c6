"""A store from a table of PostgreSQL, and back to three tables."""

import json

import pytest

import partita
from partita.data.postgres import read_postgres, write_postgres
from partita.errors import InputError
from partita.report import write_report
from partita.store.store import Store
from tests.cli.running import run
from tests.data.test_postgres import server

__all__ = ["server"]

# no kernels of its own: those it calls are tested as plain Python where they stand
pytestmark = pytest.mark.compiled


def test_from_a_table_to_three(server, table, tmp_path):
    people, monday = f"{server}::people", f"{server}::monday"
    write_postgres(people, {"people": table[0].slice(0, 300), "monday": table[0].slice(300)})
    path = str(tmp_path / "p.partita")
    made = run("resolve", people, "--store", path, "--quiet", "--seed", "1")
    assert made.exit_code == 0, made.stderr
    assert json.loads(run("add", path, monday, "--json").stdout)["new"] == 100
    assert "s3cret" not in run("log", path).stdout and "***" in run("log", path).stdout
    target = f"{server}::out"
    done = run("export", path, "--to", target, "--json")
    assert json.loads(done.stdout)["tables"] == ["out", "out_entities", "out_log"]
    with Store(path) as store:
        exported = store.export()
        assert read_postgres(target).equals(exported)
        entities = read_postgres(f"{target}_entities").to_pylist()
        sizes = {row["cluster_id"]: row["size"] for row in entities if row["size"]}
        assert sum(sizes.values()) == 400 and set(sizes) == set(exported["cluster_id"].to_pylist())
        log = read_postgres(f"{target}_log").to_pylist()
        assert {row["run"] for row in log} == {1, 2}
        assert [row["event"] for row in log if row["run"] == 2] == [
            event["event"] for event in store.events(2)
        ]
        with pytest.raises(InputError, match="there is a table out already"):
            store.write_database(target)
        assert store.write_database(target, 1, replace=True)[0] == "out"
        assert read_postgres(target).equals(store.export(run=1))
    again = run("export", path, "--to", target)
    assert again.exit_code == 2 and "s3cret" not in again.stderr
    refused = run("resolve", people, "--out", target)
    assert refused.exit_code == 2 and "this output is a file" in refused.stderr
    assert "s3cret" not in refused.stderr


def test_a_report_names_the_table_without_the_password(server, table, tmp_path):
    write_postgres(f"{server}::few", {"few": table[0].slice(0, 60)})
    result = partita.resolve(f"{server}::few", seed=1, reading="em")
    page = write_report(result, tmp_path / "r.html").read_text()
    assert "::few" in page and "s3cret" not in page


def test_a_result_is_written_to_a_table(server, table):
    people = table[0].slice(0, 60)
    result = partita.resolve(people, seed=1, reading="em")
    result.write(f"{server}::resolved")
    assert read_postgres(f"{server}::resolved").num_rows == 60
