"""Settings of the whole suite: kernel cache, Hypothesis seed, selection by mark, budgets."""

import functools
import gc
import os
import random
import re
from pathlib import Path

# machine code is kept between runs, and apart from the user's own; set before partita is imported
os.environ["PARTITA_CACHE_DIR"] = str(Path(__file__).parents[1] / ".pytest_cache" / "kernels")

import hypothesis
import pytest

from partita.kernel import interpreted
from tests.budgets import (  # noqa: F401  hooks that pytest finds by name
    pytest_runtest_makereport,
    pytest_runtest_protocol,
    pytest_sessionfinish,
    suite_name,
    write_suite_table,
)

HYPOTHESIS_SEED = "HYPOTHESIS_SEED"
"""Environment variable: the seed of all Hypothesis tests; unset: a random one, printed."""

# the time a loaded machine takes is not a property of the code under test
hypothesis.settings.register_profile(
    "steady",
    deadline=None,
    max_examples=50,
    database=None,
    print_blob=True,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.register_profile("wide", deadline=None, max_examples=1000, print_blob=True)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))

SKIPPED = {
    "compiled": (interpreted(), "needs the compiler; NUMBA_DISABLE_JIT=1 switches it off"),
    "interpreted": (not interpreted(), "needs NUMBA_DISABLE_JIT=1"),
}

ENGINE = {
    *("kernel", "states", "factors", "proposals", "estimators", "walks", "learning", "posterior"),
    "laws",
}
"""Folders of the tests of kernels, which run twice: compiled, and as plain Python."""
KERNELS = re.compile(r"^from partita\.kernel import .*\b(entry|kernel)\b|^@(entry|kernel)\b", re.M)
"""The mark of a module that compiles kernels of its own."""
SOURCES = Path(__file__).parents[1] / "src" / "partita"

EXPERIMENTS = {"benchmarks", "papers", "scale", "smoke"}
"""Folders whose tests run small experiments: `make experiments`, not `make test`."""
SMALL = "test_small_"
"""File names of experiments that `make test` runs as well."""


NEW_OBJECTS = 100_000
"""New objects between two collections. Numba makes millions that live on, and the usual 700 cost a
seventh of the CPU time of a compilation."""


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    """Choose the Hypothesis seed once; the environment hands it to the xdist workers."""
    gc.set_threshold(NEW_OBJECTS, 20, 20)
    if config.getoption("--hypothesis-seed") is None:
        seed = os.environ.setdefault(HYPOTHESIS_SEED, str(random.SystemRandom().getrandbits(32)))
        config.option.hypothesis_seed = seed


def pytest_ignore_collect(collection_path, config):
    """Ignore files that the marks exclude as a whole: their import alone takes seconds."""
    if "not compiled" in config.option.markexpr and runs_once(collection_path):
        return True
    suite = suite_name(collection_path)
    return True if suite in excluded_suites(config) and not _may_be_small(collection_path) else None


@functools.cache
def runs_once(path):
    """Whether a test file has no kernels: a second run as plain Python would add nothing.

    Outside the engine a file has kernels if the module that it is named after has.
    """
    if suite_name(path) in ENGINE or not path.name.startswith("test_"):
        return False
    folder = path.parent.relative_to(Path(__file__).parent)
    module = SOURCES / folder / path.name.removeprefix("test_")
    return not (module.is_file() and KERNELS.search(module.read_text("utf-8")))


def excluded_suites(config):
    """Suites that the marks of this run exclude."""
    return EXPERIMENTS if "not long" in config.option.markexpr else set()


def _may_be_small(path):
    """Whether the path is a small experiment, or a folder or package file on the way to one."""
    return path.is_dir() or path.name == "__init__.py" or path.name.startswith(SMALL)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark tests by their suite, and skip those that the compiler setting excludes."""
    for item in items:
        if suite_name(item.path) in EXPERIMENTS and not item.path.name.startswith(SMALL):
            item.add_marker(pytest.mark.long)
        if runs_once(item.path):
            item.add_marker(pytest.mark.compiled)
        for name, (skipped, reason) in SKIPPED.items():
            if skipped and item.get_closest_marker(name):
                item.add_marker(pytest.mark.skip(reason=reason))


def pytest_terminal_summary(terminalreporter, config):
    """Print the seed, the suites that did not run, the reasons of skips, and CPU by suite."""
    write = terminalreporter.write_line
    terminalreporter.section("what ran, and what did not")
    seed = config.getoption("--hypothesis-seed")
    write(f"hypothesis seed {seed}; repeat with {HYPOTHESIS_SEED}={seed}")
    excluded = sorted(excluded_suites(config) & EXPERIMENTS)
    if excluded:
        write(
            f"not in this run, `make experiments` or `make smoke` runs them: {', '.join(excluded)}"
        )
    deselected = len(terminalreporter.stats.get("deselected", []))
    if deselected:
        write(f"{deselected} tests deselected by -m {config.option.markexpr!r}")
    reasons = {}
    for report in terminalreporter.stats.get("skipped", []):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        reasons[reason] = reasons.get(reason, 0) + 1
    for reason, count in sorted(reasons.items()):
        write(f"{count} skipped: {reason.removeprefix('Skipped: ')}")
    write_suite_table(terminalreporter)
