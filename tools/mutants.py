"""Seeded faults: each patch of tests/mutants makes the package wrong, and the tests it names fail.

    python -m tools.mutants [NAME ...] [--check]

Every patch is applied to a copy of the checkout, and pytest runs the tests named in its head. A
fault is caught if these tests fail with it and pass without it. With `--check` no test runs; the
patches are only applied. The exit status is 1 if a fault survives or a patch no longer applies.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

__all__ = ["Mutant", "load_mutants", "main", "run_mutants"]

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "tests" / "mutants"
COPIED = ("src", "tests", "tools", "examples", "docs", "papers", "benchmarks")
FAILED, PASSED = 1, 0
"""Exit statuses of pytest; any other means that the tests did not run."""
CAUGHT, SURVIVED, INVALID = "caught", "SURVIVED", "INVALID"


class Mutant(NamedTuple):
    """One fault: what it changes, the tests that catch it, and how they run."""

    name: str
    patch: Path
    fault: str
    tests: str
    """Arguments of pytest."""
    interpreted: bool
    """Whether the tests run as plain Python, which compiles nothing."""


def load_mutants(folder: Path = FOLDER) -> list[Mutant]:
    """Read the heads of all patches, by name."""
    return [_read_mutant(path) for path in sorted(folder.glob("*.patch"))]


def _read_mutant(path: Path) -> Mutant:
    head = path.read_text("utf-8").partition("\n\n")[0]
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    interpreted = fields.get("Interpreted") == "yes"
    return Mutant(path.stem, path, fields["Fault"], fields["Tests"], interpreted)


def copy_checkout(target: Path) -> None:
    """Copy the checkout without its environment; both share the cache of machine code."""
    for name in COPIED:
        ignored = shutil.ignore_patterns("__pycache__", "mutants")
        shutil.copytree(ROOT / name, target / name, ignore=ignored)
    for path in ROOT.iterdir():
        if path.is_file():
            shutil.copy2(path, target / path.name)
    cache = ROOT / ".pytest_cache"
    cache.mkdir(exist_ok=True)
    (target / ".pytest_cache").symlink_to(cache.resolve())


def apply_patch(mutant: Mutant, place: Path, *options: str) -> bool:
    """Apply a patch, or with `-R` undo it; return whether that is possible."""
    command = ["git", "apply", "--unidiff-zero", *options, str(mutant.patch)]
    return subprocess.run(command, cwd=place, capture_output=True, check=False).returncode == 0


def run_tests(mutant: Mutant, place: Path) -> int:
    """Run the tests of a mutant in a copy and return the exit status of pytest."""
    # the same selection as in `make test`
    chosen = "not long and not compiled" if mutant.interpreted else "not long"
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", chosen]
    # a copied module must not be taken from the bytecode of another one of the same second
    settings = {"PYTHONPATH": str(place / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    if mutant.interpreted:
        settings["NUMBA_DISABLE_JIT"] = "1"
    return subprocess.run(
        [*command, *shlex.split(mutant.tests)],
        cwd=place,
        env={**os.environ, "HYPOTHESIS_SEED": "1", **settings},
        capture_output=True,
        check=False,
    ).returncode


def try_mutant(mutant: Mutant, place: Path, passing: dict[tuple[str, bool], bool]) -> str:
    """Apply a fault, run its tests and undo it; `passing` keeps which tests pass without one."""
    key = (mutant.tests, mutant.interpreted)
    if key not in passing:
        passing[key] = run_tests(mutant, place) == PASSED
    if not passing[key]:
        return f"{INVALID}: its tests fail without it"
    if not apply_patch(mutant, place):
        return f"{INVALID}: the patch does not apply; write it anew"
    status = run_tests(mutant, place)
    apply_patch(mutant, place, "-R")
    if status not in (PASSED, FAILED):
        return f"{INVALID}: pytest ended with {status}"
    return CAUGHT if status == FAILED else SURVIVED


def run_mutants(mutants: list[Mutant]) -> Counter[str]:
    """Try all faults in one copy of the checkout; print and count the outcomes."""
    counts: Counter[str] = Counter()
    passing: dict[tuple[str, bool], bool] = {}
    with tempfile.TemporaryDirectory() as folder:
        copy_checkout(Path(folder))
        for mutant in mutants:
            outcome = try_mutant(mutant, Path(folder), passing)
            counts[outcome.partition(":")[0]] += 1
            print(f"{outcome:10} {mutant.name}: {mutant.fault}", flush=True)
    return counts


def check_patches(mutants: list[Mutant]) -> list[str]:
    """Return the names of the patches that do not apply to this checkout."""
    return [mutant.name for mutant in mutants if not apply_patch(mutant, ROOT, "--check")]


def main(arguments: list[str] | None = None) -> int:
    """Run the faults that the command line names, or all."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="faults; default: all")
    parser.add_argument("--check", action="store_true", help="apply the patches, run no test")
    chosen = parser.parse_args(arguments)
    mutants = load_mutants()
    unknown = set(chosen.names) - {mutant.name for mutant in mutants}
    if unknown:
        parser.error(f"there is no fault {min(unknown)!r} in {FOLDER}")
    mutants = [mutant for mutant in mutants if not chosen.names or mutant.name in chosen.names]
    if chosen.check:
        stale = check_patches(mutants)
        print(f"{len(mutants) - len(stale)} of {len(mutants)} patches apply", *stale, sep="\n")
        return 1 if stale else 0
    counts = run_mutants(mutants)
    print(f"{counts[CAUGHT]} of {len(mutants)} faults caught, {counts[SURVIVED]} survived")
    return 0 if counts[CAUGHT] == len(mutants) else 1


if __name__ == "__main__":
    sys.exit(main())
