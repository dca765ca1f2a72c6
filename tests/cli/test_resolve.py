"""`partita resolve` and `partita explain`, from a file to files."""

import pytest

from partita.data import read
from partita.linkage.config import load_settings
from partita.linkage.resolve import resolve
from partita.synthetic import authors, people
from tests.cli.running import refused, run, told

pytestmark = pytest.mark.compiled


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("resolving")
    people(150, seed=1, truth="file").write(place / "people.csv")
    return place


@pytest.fixture(scope="module")
def found(folder):
    """Output of a run that wrote everything."""
    return told(
        *("resolve", folder / "people.csv", "--out", folder / "result.parquet", "--seed", 3),
        *("--pairs", folder / "pairs.csv", "--golden", folder / "golden.jsonl"),
        *("--report", folder / "report.html"),
    )


def test_the_result_is_what_the_call_gives(folder, found):
    same = resolve(folder / "people.csv", seed=3)
    table = read(folder / "result.parquet").table
    assert table.column_names[-3:] == ["cluster_id", "p_member", "p_cluster"]
    assert table.equals(same.table())
    assert found["entities"] == same.summary()["entities"]
    assert found["seed"] == 3


def test_every_file_is_there_and_named(folder, found):
    names = {"result": "result.parquet", "pairs": "pairs.csv"}
    names |= {"golden": "golden.jsonl", "report": "report.html"}
    assert found["files"] == {one: str(folder / name) for one, name in names.items()}
    pairs = read(folder / "pairs.csv", id=False).table
    assert pairs.num_rows == found["pairs_scored"] <= found["pairs_compared"]
    assert read(folder / "golden.jsonl", id=False).n == found["entities"]
    assert (folder / "report.html").read_text().startswith("<!")


def test_the_summary_answers_the_usual_questions(folder, tmp_path):
    out = tmp_path / "r.csv"
    shown = run("resolve", folder / "people.csv", "--out", out).stdout
    for part in ("records", "150", "entities", "duplicates", "uncertain", "model", "convergence"):
        assert part in shown
    assert "CPU s" in shown
    assert str(out) in shown.replace("\n", "")


def test_quiet_prints_nothing_and_the_same_seed_writes_the_same_bytes(folder, tmp_path):
    contents = []
    for threads in (1, 2):
        out = tmp_path / f"{threads}.csv"
        words = ("resolve", folder / "people.csv", "--out", out, "--threads", threads)
        result = run(*words, "--quiet")
        assert (result.exit_code, result.stdout) == (0, "")
        # a warning that the result may be wrong remains
        assert all(line.startswith("warning: ") for line in result.stderr.splitlines())
        contents.append(out.read_bytes())
    assert contents[0] == contents[1]


def test_options_go_before_the_configuration(folder, tmp_path):
    config = tmp_path / "c.toml"
    run("init", folder / "people.csv", "--out", config)
    config.write_text(
        config.read_text().replace("seed = 0", "seed = 5").replace("chains = 2", "chains = 1")
    )
    assert load_settings(config).seed == 5
    words = ("resolve", folder / "people.csv", "--config", config, "--out", tmp_path / "r.csv")
    assert told(*words)["seed"] == 5
    assert told(*words, "--force", "--seed", 6, "--model", "pairs")["seed"] == 6
    assert told(*words, "--force", "--model", "pairs")["model"] == "pairs"


def test_several_files_are_sources(folder, tmp_path):
    table = (folder / "people.csv").read_text().splitlines(keepends=True)
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    one.write_text("".join(table[:80]))
    two.write_text("".join([table[0], *table[80:]]))
    out = tmp_path / "r.jsonl"
    words = ("resolve", one, two, "--out", out)
    assert told(*words)["mode"] == "both"
    found = told(*words, "--force", "--mode", "link", "--one-to-one")
    assert found["mode"] == "link"
    assert found["largest"] <= 2
    assert set(read(out).table.column("source_dataset").to_pylist()) == {"one", "two"}


def test_explain_lists_the_evidence(folder):
    result = read(folder / "people.csv")
    one, other = result.ids[0].as_py(), result.ids[1].as_py()
    found = told("explain", folder / "people.csv", one, other)
    assert found["p_same"] == resolve(folder / "people.csv").p_same(one, other)
    shown = run("explain", folder / "people.csv", one, other).stdout
    assert "surname" in shown
    assert "no record '9999'" in refused("explain", folder / "people.csv", one, 9999)


def test_mentions_are_read_as_such_unless_turned_off(tmp_path):
    path = tmp_path / "mentions.csv"
    authors(600, seed=3, truth="file").write(path)
    command = ("resolve", path, "--id", "mention_id", "--draws", 5, "--out")
    assert "author mentions" in told(*command, tmp_path / "a.csv")["why_reading"]
    off = told(*command, tmp_path / "b.csv", "--mentions", "off")
    assert "author mentions" not in off["why_reading"]
