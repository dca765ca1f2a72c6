"""Each command of papers/ and benchmarks/ ends well on tiny data, in a process of its own.

A command whose data set has no tiny form says in one sentence that the data is absent.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from partita.synthetic import people
from tests.smoke.data import write_all

pytestmark = [pytest.mark.compiled, pytest.mark.smoke]

ROOT = Path(__file__).parents[2]
ABSENT = re.compile(r"PARTITA_DATA|is skipped|: skipped|is not there")

COMMANDS = (
    "papers.cdrank --quick --labels 0",
    "papers.hcoref --quick --sizes 1000 --methods lazy --out {out}",
    "papers.logic --only toy --quick",
    "papers.mcmcmc figure2 --quick --out {out}",
    "papers.mcmcmc table1 --quick",
    "papers.mcmcmc table2 --quick --mentions 1500",
    "papers.samplerank table3 --quick",
    "papers.sdds dpmm --quick --out {out}",
    "benchmarks.bayes --sets people --n 120 --posterior quick",
    "benchmarks.equality --sets fake_1000 --digests",
    "benchmarks.extract_resolve",
    "benchmarks.facts --quick",
    "benchmarks.guard.child {people}",
    "benchmarks.kinds --list",
    "benchmarks.kinds.check --kinds wines --naive",
    "benchmarks.labels --sets fake_1000 --tools partita --labels 4 --seeds 0",
    "benchmarks.laws --quick --sets few_duplicates_0 --laws seed",
    "benchmarks.link --sets= --people 300",
    "benchmarks.link_texts --sets games",
    "benchmarks.mixing --sets people --n 120 --draws 20",
    "benchmarks.mixture --quick",
    "benchmarks.panel --sets fake_1000 --seeds 1 --no-splink",
    "benchmarks.peers --sets fake_1000 --tools partita",
    "benchmarks.ray --simulate --mentions 4000 --chunk 512",
    "benchmarks.readers --records 300",
    "benchmarks.sensitivity --sets fake_1000 --records 100 --workers 1"
    " --constants linkage.inference.sampling.MAX_CHAIN_DRAWS",
    "benchmarks.startup labels 200",
    "benchmarks.store replay --changes 2 --seeds 5",
    "benchmarks.threads --mentions 1500 --repeats 1",
)
"""Commands that run on tiny data. Of a command with several parts the longest parts are left to
`make experiments`."""
WITHOUT_DATA = (
    "papers.ads --quick",
    "papers.kbalign --only gum",
    "papers.mlnagg --quick --only cora",
    "papers.xdoc --quick",
    "benchmarks.authors",
    "benchmarks.extract --tools=",
    "benchmarks.store batches --sets febrl3",
)
"""Commands that report that their data is absent."""
HELP_ONLY = {
    "benchmarks.extract.peers": "a child that needs another tool",
    "benchmarks.guard": "runs in .ci/run itself",
    "benchmarks.laws.worker": "a child that needs requests",
    "benchmarks.panel.interval": "reads the output of a whole panel",
    "benchmarks.peers.child": "a child that needs a request",
    "benchmarks.prior": "has no small form: it reads all sets, for minutes",
    "benchmarks.unseen": "downloads packages",
    "benchmarks.walk": "has no small form: it measures speed for minutes",
    "papers.kbalign.ship": "writes the models of the package",
}
"""Modules that are only imported here, and the reason."""


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    place = tmp_path_factory.mktemp("data")
    write_all(place)
    return place


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    [path] = people(300, seed=1, truth=None).write(tmp_path_factory.mktemp("people") / "people.csv")
    return path


def run(command, place, data):
    return subprocess.run(
        [sys.executable, "-m", *command],
        cwd=ROOT,
        env={
            **os.environ,
            "PARTITA_DATA": str(data),
            "TMPDIR": str(place),
            "PARTITA_PEERS_PYTHON": sys.executable,
        },
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_the_command_ends_well(command, data, records, tmp_path):
    words = command.format(out=tmp_path / "out", people=records).split()
    done = run(words, tmp_path, data)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert done.stdout.strip()
    # a library that is not installed may be skipped, but no data
    assert not re.search("PARTITA_DATA|no data|is not there", done.stderr), done.stderr


@pytest.mark.parametrize("command", WITHOUT_DATA)
def test_absent_data_is_one_sentence(command, tmp_path):
    done = run(command.split(), tmp_path, tmp_path / "no data")
    assert ABSENT.search(done.stdout + done.stderr), done.stdout + done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("module", HELP_ONLY)
def test_the_module_can_be_imported(module, data, tmp_path):
    code = f"import importlib; importlib.import_module({find_module(module)!r})"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    missing = re.search(r"No module named '(?!partita|benchmarks|papers)", done.stderr)
    assert done.returncode == 0 or missing, done.stderr


def find_module(command):
    """The module that `python -m` runs."""
    path = ROOT / command.replace(".", "/")
    return f"{command}.__main__" if path.is_dir() else command


def list_modules():
    """All modules of papers/ and benchmarks/ that are commands."""
    for folder in ("papers", "benchmarks"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if '__name__ == "__main__"' in path.read_text("utf-8"):
                name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
                yield name.removesuffix(".__main__")


def test_every_command_is_listed():
    listed = {command.split()[0] for command in (*COMMANDS, *WITHOUT_DATA)} | set(HELP_ONLY)
    assert listed == set(list_modules())
