"""A killed run continues from its checkpoint and ends with the same bytes."""

import os
import signal
import subprocess
import sys

import pytest

from partita.synthetic import people
from tests.cli.running import refused, run

pytestmark = pytest.mark.compiled

KILLED = """
import os, signal, sys
from partita.walks.checkpoint import Checkpoint
from partita.linkage.inference import chains
from partita.cli import main

# save after every batch: the number of checkpoints then depends on no clock
chains.MIN_CHECKPOINT_SECONDS = 1e-9

save, left = Checkpoint._save, [int(sys.argv.pop(1))]

def killed(self, *given):
    kept = save(self, *given)
    left[0] -= 1
    if left[0] <= 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return kept

Checkpoint._save = killed
main()
"""


def start(saves, *words):
    """Run a command that is killed after some checkpoints of chains."""
    return subprocess.run(
        [sys.executable, "-c", KILLED, str(saves), *map(str, words)],
        env={**os.environ, "PARTITA_CHECKPOINT_SECONDS": "0"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    [path] = people(200, seed=2, truth=None).write(tmp_path_factory.mktemp("in") / "people.csv")
    return path


def test_a_killed_run_resumes_with_the_same_bytes(source, tmp_path):
    expected, out = tmp_path / "expected.csv", tmp_path / "out.csv"
    assert run("resolve", source, "--out", expected, "--quiet").exit_code == 0
    folder = tmp_path / ".out.csv.checkpoint"
    assert sorted(tmp_path.iterdir()) == [expected]
    words = ("resolve", source, "--out", out, "--quiet", "--resume")
    for _ in range(2):
        assert start(3, *words).returncode == -signal.SIGKILL
        assert (folder / "candidates.npz").exists() and (folder / "chains" / "first").is_dir()
        assert not out.exists()
    # other settings or another input do not continue
    assert "belongs to another input, other settings" in refused(*words, "--seed", "9")
    ended = start(10**9, *words)
    assert (ended.returncode, ended.stdout) == (0, "")
    assert out.read_bytes() == expected.read_bytes()
    assert sorted(tmp_path.iterdir()) == [expected, out]


def test_without_resume_a_run_starts_anew(source, tmp_path):
    out = tmp_path / "out.csv"
    assert start(3, "resolve", source, "--out", out, "--quiet").returncode == -signal.SIGKILL
    assert (tmp_path / ".out.csv.checkpoint").is_dir()
    assert run("resolve", source, "--out", out, "--quiet", "--seed", "9").exit_code == 0
    assert list(tmp_path.iterdir()) == [out]


def test_a_damaged_checkpoint_is_refused(source, tmp_path):
    out = tmp_path / "out.csv"
    words = ("resolve", source, "--out", out, "--quiet", "--resume")
    start(3, *words)
    (tmp_path / ".out.csv.checkpoint" / "candidates.npz").write_bytes(b"PK")
    assert "is damaged; delete" in refused(*words)
    (tmp_path / ".out.csv.checkpoint" / "run.json").write_bytes(b"{")
    assert "cannot be read" in refused(*words)


def test_resume_needs_a_file(source):
    assert "give --out a file" in refused("resolve", source, "--out", "-", "--resume")
