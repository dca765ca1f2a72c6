"""The seeded faults: their patches apply, and the tool tells caught faults from others."""

import shlex
import subprocess
from pathlib import Path

import pytest

from tools import mutants

ROOT = Path(__file__).parents[2]
MUTANTS = mutants.load_mutants()


def test_fifty_faults_apply_to_the_checkout():
    assert len(MUTANTS) >= 50
    assert mutants.check_patches(MUTANTS) == []


def test_every_fault_names_tests_that_make_test_runs():
    for mutant in MUTANTS:
        files = [word for word in shlex.split(mutant.tests) if word.startswith("tests/")]
        assert files, mutant.name
        for file in files:
            assert (ROOT / file).is_file(), f"{mutant.name}: {file}"


def test_faults_spread_over_the_packages():
    changed = {mutant.patch.read_text().partition("+++ b/src/partita/")[2] for mutant in MUTANTS}
    packages = {path.partition("\n")[0].partition("/")[0] for path in changed}
    assert len(packages) >= 18, sorted(packages)


@pytest.fixture
def checkout(tmp_path):
    (tmp_path / "one.py").write_text("def sign(x):\n    return 1 if x > 0 else -1\n")
    (tmp_path / "test_one.py").write_text(
        "from one import sign\n\n\ndef test_sign():\n    assert sign(2) == 1\n"
    )
    return tmp_path


def make_patch(folder, line, tests="test_one.py"):
    patch = folder / "fault.patch"
    patch.write_text(
        f"Fault: a wrong sign.\nTests: {tests}\nInterpreted: yes\n\n"
        "--- a/one.py\n+++ b/one.py\n@@ -2 +2 @@\n"
        f"-    return 1 if x > 0 else -1\n+    {line}\n"
    )
    return mutants.load_mutants(folder)[0]


@pytest.mark.parametrize(
    ("line", "tests", "outcome"),
    [
        ("return 1 if x < 0 else -1", "test_one.py", mutants.CAUGHT),
        ("return 1 if x >= 0 else -1", "test_one.py", mutants.SURVIVED),
        ("return (", "test_one.py", mutants.INVALID),
        ("return 1 if x < 0 else -1", "test_absent.py", mutants.INVALID),
    ],
)
def test_outcomes(checkout, line, tests, outcome):
    mutant = make_patch(checkout, line, tests)
    before = (checkout / "one.py").read_text()
    assert mutants.try_mutant(mutant, checkout, {}).startswith(outcome)
    assert (checkout / "one.py").read_text() == before


def test_a_stale_patch_is_reported(checkout):
    mutant = make_patch(checkout, "return 0")
    (checkout / "one.py").write_text("def sign(x):\n    return 2\n")
    outcome = mutants.try_mutant(mutant, checkout, {(mutant.tests, True): True})
    assert outcome.startswith(mutants.INVALID) and "does not apply" in outcome


def test_unknown_names_are_refused():
    with pytest.raises(SystemExit):
        mutants.main(["no-such-fault"])


def test_the_makefile_runs_them():
    text = subprocess.run(
        ["make", "-n", "mutants"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert "tools.mutants" in text
