"""Settings of the whole suite: kernel cache, Hypothesis seed, selection by mark, budgets."""

import os
import random
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

ONCE = {
    *("benchmarks", "text", "cli", "metrics", "mixtures", "papers", "report", "scale", "store"),
    *("synthetic", "tools", "test_house.py", "test_imports.py", "test_docs.py", "test_prose.py"),
    *("test_architecture.py", "test_invariance.py", "test_io.py", "test_lazy.py", "test_readme.py"),
}
"""Folders and files without kernels of their own: a second run as plain Python adds nothing."""

EXPERIMENTS = {"benchmarks", "papers", "scale"}
"""Folders whose tests run small experiments: `make experiments`, not `make test`."""
SMALL = "test_small_"
"""File names of experiments that `make test` runs as well."""


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    """Choose the Hypothesis seed once; the environment hands it to the xdist workers."""
    if config.getoption("--hypothesis-seed") is None:
        seed = os.environ.setdefault(HYPOTHESIS_SEED, str(random.SystemRandom().getrandbits(32)))
        config.option.hypothesis_seed = seed


def pytest_ignore_collect(collection_path, config):
    """Ignore suites that the marks exclude as a whole: their import alone takes seconds."""
    suite = suite_name(collection_path)
    return True if suite in excluded_suites(config) and not _may_be_small(collection_path) else None


def excluded_suites(config):
    """Suites that the marks of this run exclude."""
    marks = config.option.markexpr
    return (ONCE if "not compiled" in marks else set()) | (
        EXPERIMENTS if "not long" in marks else set()
    )


def _may_be_small(path):
    """Whether the path is a small experiment, or a folder or package file on the way to one."""
    return path.is_dir() or path.name == "__init__.py" or path.name.startswith(SMALL)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark tests by their suite, and skip those that the compiler setting excludes."""
    for item in items:
        if suite_name(item.path) in EXPERIMENTS and not item.path.name.startswith(SMALL):
            item.add_marker(pytest.mark.long)
        if suite_name(item.path) in ONCE:
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
        write(f"not in this run, `make experiments` runs them: {', '.join(excluded)}")
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
