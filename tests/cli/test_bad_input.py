"""Bad input through the command line: one sentence, exit code 2, an old output left as it was."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import refused, run, told

GOOD = "id,name,town\n1,Ann Lee,Ely\n2,Anne Lee,Ely\n3,Bob Orr,Bath\n4,Robert Orr,Bath\n"


@pytest.fixture
def old(tmp_path):
    """An older output, which must stay as it is."""
    path = tmp_path / "old.csv"
    path.write_text("precious\n")
    yield path
    assert path.read_text() == "precious\n"
    assert not list(tmp_path.glob(".*.tmp"))


def file(folder, content, name="in.csv"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "in.csv is empty"),
        ("id,name\n", "no records"),
        ("id,name\n1,Ann\n1,Bob\n", "records 1 and 2 have the same id '1'"),
        ('id,name\n1,"Ann\n2,Bob\n3,Cid\n', "quotation mark opened on line 2"),
        (b"id,name\n1,\xff\x00\n2,x\n", "no text file"),
        ("id,name,town\n1,,\n2,,\n", "no column can be compared"),
        ("id\n1\n2\n", "no column is left"),
        ("id,name,cluster_id\n1,a,3\n2,b,4\n", "column 'cluster_id' already"),
        (b"PK\x03\x04 a spreadsheet", "cannot be unpacked"),
    ],
)
def test_files_that_cannot_be_resolved(tmp_path, old, content, said):
    assert said in refused("resolve", file(tmp_path, content), "--force", "--out", old)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--id", "key"), "no column 'key'"),
        (("--source", "nowhere"), "no column 'nowhere'"),
        (("--ignore", "nam"), "did you mean 'name'"),
        (("--ignore", "name", "--ignore", "town"), "no column is left"),
        (("--seed", "-1"), "seed is -1"),
        (("--chains", "0"), "chains is 0"),
        (("--draws", "1"), "draws is 1"),
        (("--threads", "0"), "threads is 0"),
        (("--memory", "lots"), "memory is 'lots'"),
        (("--mode", "merge"), "mode is 'merge'"),
        (("--mode", "link"), "one source"),
        (("--model", "guess"), "model is 'guess'"),
        (("--config", "none.toml"), "none.toml"),
        (("--constraints", "none.csv"), "none.csv"),
    ],
)
def test_options_that_cannot_be(tmp_path, old, words, said):
    assert said in refused("resolve", file(tmp_path, GOOD), "--force", "--out", old, *words)


def test_no_such_file(tmp_path, old):
    assert "there is no file" in refused("resolve", tmp_path / "none.csv", "--force", "--out", old)
    assert "is a folder" in refused("resolve", tmp_path, "--force", "--out", old)


@pytest.mark.parametrize("line", ["1,99,must", "1,2,must\n1,2,cannot"])
def test_constraints_that_cannot_be(tmp_path, old, line):
    content = f"unique_id_l,unique_id_r,type\n{line}\n"
    rules = file(tmp_path, content, "rules.csv")
    assert "constraint" in refused(
        "resolve", file(tmp_path, GOOD), "--force", "--out", old, "--constraints", rules
    )


def test_outputs_are_checked_before_any_work(tmp_path, old):
    # the input is not there, but the output is what is wrong first
    none = tmp_path / "none.csv"
    assert "no folder" in refused("resolve", none, "--out", tmp_path / "a" / "o.csv")
    assert "must end in" in refused("resolve", none, "--out", tmp_path / "o.xlsx")
    assert "is a folder" in refused("resolve", none, "--out", _folder(tmp_path / "x.csv"))
    assert "an input" in refused("resolve", old, "--force", "--out", old)
    for option, name in (("--pairs", "p.txt"), ("--golden", "g.txt"), ("--report", "r.pdf")):
        assert "must end in" in refused(
            "resolve", none, "--force", "--out", old, option, tmp_path / name
        )
    assert "another output" in refused("resolve", none, "--force", "--out", old, "--pairs", old)


def _folder(path):
    path.mkdir()
    return path


def test_a_folder_that_cannot_be_written(tmp_path, monkeypatch):
    # root may write anywhere, so the rights are asked for in vain
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    said = refused("resolve", file(tmp_path, GOOD), "--out", tmp_path / "o.csv")
    assert "nothing can be written" in said


@pytest.mark.compiled
def test_a_full_disk(tmp_path, old, monkeypatch):
    replace = Path.replace

    def full(self, target):
        # the disk of the results: machine code is kept, or all tests to come would compile again
        if Path(target).is_relative_to(tmp_path):
            raise OSError(errno.ENOSPC, "No space left on device")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", full)
    said = refused("resolve", file(tmp_path, GOOD), "--force", "--out", old)
    assert "No space left on device" in said


@pytest.mark.compiled
@pytest.mark.parametrize(
    "content",
    [
        "name\nAnn Lee\nAnne Lee\nBob Orr\n",
        "id,name,town,empty\n1,Ann Lee,Ely,\n2,Anne Lee,Ely,\n3,Bob Orr,Bath,\n",
        b"id,name\n1,J\xfcrgen M\xfcller\n2,Jurgen Muller\n3,Ann Lee\n",
        f"id,name,town\n1,{'abc def ' * 375_000},Ely\n2,Ann Lee,Ely\n3,Anne,Bath\n",
        GOOD,
    ],
    ids=["one column", "empty column", "latin-1", "3 MB cell", "good"],
)
def test_odd_files_that_can_be_resolved(tmp_path, content):
    out = tmp_path / "o.parquet"
    found = told("resolve", file(tmp_path, content), "--out", out)
    assert found["records"] in (3, 4)
    assert out.exists()


@pytest.mark.compiled
def test_mixed_types_are_text(tmp_path):
    rows = '{"id": 1, "x": 3, "n": "Ann"}\n{"id": 2, "x": "a", "n": "Anne"}\n{"id": 3, "x": [1]}\n'
    out = tmp_path / "o.jsonl"
    assert told("resolve", file(tmp_path, rows, "in.jsonl"), "--out", out)["records"] == 3
    assert len(out.read_text().splitlines()) == 3


@pytest.mark.compiled
def test_one_record_is_no_reason_to_fail_with_a_traceback(tmp_path):
    found = run("resolve", file(tmp_path, "id,name\n1,Ann\n"), "--out", tmp_path / "o.csv")
    assert found.exit_code in (0, 2)


STOPPED = """
import os, signal, sys, tempfile
# a shell that runs the tests in the background ignores the signal
signal.signal(signal.SIGINT, signal.default_int_handler)
import partita.linkage.resolve
from partita.cli import main

resolve = sys.modules["partita.linkage.resolve"]
block = resolve.block_records

def stopped(*given, **more):
    os.kill(os.getpid(), getattr(signal, SIGNAL))
    return block(*given, **more)

resolve.block_records = stopped
main()
"""


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("name", "code", "verb"),
    [("SIGINT", 130, "stopped"), ("SIGTERM", 143, "terminated"), ("SIGHUP", 129, "terminated")],
)
def test_a_stop_in_the_middle(tmp_path, old, name, code, verb):
    if signal.getsignal(getattr(signal, name)) == signal.SIG_IGN:
        pytest.skip(f"{name} is ignored here, as under nohup")
    place = tmp_path / "tmp"
    place.mkdir()
    words = ["resolve", str(file(tmp_path, GOOD)), "--force", "--quiet", "--out", str(old)]
    before = sorted(tmp_path.iterdir())
    found = subprocess.run(
        [sys.executable, "-c", f"SIGNAL = {name!r}\n{STOPPED}", *words],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "TMPDIR": str(place)},
    )
    assert found.stderr == f"{verb}; nothing was written\n"
    assert (found.returncode, found.stdout) == (code, "")
    assert sorted(tmp_path.iterdir()) == before and not list(place.iterdir())


STOPPED_IMPORT = """
import os, signal, sys
from importlib.abc import MetaPathFinder
signal.signal(signal.SIGINT, signal.default_int_handler)

class Stop(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == MODULE:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Stop())
from partita.cli import main
main()
"""


@pytest.mark.parametrize("module", ["typer", "rich.console", "numba", "pyarrow", "duckdb"])
def test_a_stop_while_libraries_load(tmp_path, module):
    words = ["resolve", str(file(tmp_path, GOOD)), "--out", str(tmp_path / "o.csv")]
    program = f"MODULE = {module!r}\n{STOPPED_IMPORT}"
    found = subprocess.run(
        [sys.executable, "-c", program, *words],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (found.returncode, found.stdout) == (130, "")
    assert found.stderr == "stopped; nothing was written\n"
