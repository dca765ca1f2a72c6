"""The command line itself: help, version, usage, and what is loaded for it."""

import json
import subprocess
import sys

import pytest

import partita
from partita.cli import app
from partita.linkage.settings import Settings
from partita.synthetic import people
from tests.cli.running import run

COMMANDS = tuple(command.name or command.callback.__name__ for command in app.registered_commands)


def test_help_names_every_command_and_the_exit_codes():
    found = run("--help")
    assert found.exit_code == 0
    assert all(name in found.stdout for name in COMMANDS)
    assert "130" in found.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name):
    found = run(name, "--help")
    assert found.exit_code == 0
    assert "--json" in found.stdout
    assert f"partita {name}" in found.stdout.partition("Examples:")[2]
    assert run(name, "-h").stdout == found.stdout


def test_version():
    assert run("--version").stdout == f"partita {partita.__version__}\n"


@pytest.mark.parametrize(
    "words", [("resolv",), ("resolve",), ("profile", "--nope"), ("resolve", "x")]
)
def test_wrong_usage_is_refused(words):
    found = run(*words)
    assert found.exit_code == 2
    assert "Traceback" not in found.stderr


def test_resolve_has_the_options_that_were_promised():
    shown = run("resolve", "--help").stdout
    for option in (
        *("--out", "--id", "--source", "--ignore", "--config", "--constraints", "--seed"),
        *("--chains", "--draws", "--memory", "--threads", "--mode", "--one-to-one", "--model"),
        *("--pairs", "--report", "--golden", "--json", "--quiet", "--verbose", "--force", "--map"),
    ):
        assert option in shown


def test_defaults_of_the_help_page_are_those_of_the_settings():
    words = " ".join(run("resolve", "--help").stdout.split())
    defaults = Settings()
    for name in ("seed", "chains", "mode", "model", "posterior"):
        text = words.partition(f"--{name} ")[2]
        assert text.partition("[default: (")[2].startswith(f"{getattr(defaults, name)})"), name
    assert defaults.one_to_one is None and "[default: (inferred for each source)" in words


def test_the_shell_can_complete_commands():
    assert {"--install-completion", "--show-completion"} <= set(run("--help").stdout.split())


def list_loaded(*words):
    """The modules that a command loads."""
    program = (
        "import json, sys\nfrom partita.cli import app\n"
        "app(sys.argv[1:], standalone_mode=False)\n"
        "print('\\n' + json.dumps(sorted(sys.modules)))"
    )
    found = subprocess.run(
        [sys.executable, "-c", program, *words],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return set(json.loads(found.stdout.splitlines()[-1]))


@pytest.mark.compiled
def test_a_run_loads_no_library_that_it_does_not_use(tmp_path):
    [path] = people(60, seed=1, truth=None).write(tmp_path / "people.csv")
    words = ("resolve", str(path), "--out", str(tmp_path / "out.csv"), "--force", "-q")
    # a first run may compile, which loads more
    loaded = [list_loaded(*words) for _ in range(2)][1]
    assert "numba" in loaded
    assert not loaded & {"altair", "pandas", "ray", "scipy.linalg", "scipy.sparse", "sklearn"}


def test_help_loads_nothing_that_reads_files():
    loaded = {name.split(".")[0] for name in list_loaded("--help")}
    assert not loaded & {"numba", "numpy", "pyarrow", "duckdb", "pandas", "altair", "rich"}


def test_the_package_is_the_command():
    found = subprocess.run(
        [sys.executable, "-m", "partita", "--version"],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert found.stdout.startswith("partita ")
