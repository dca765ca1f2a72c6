"""CPU time by suite (top folder below tests/), against a budget for each suite."""

import os
import resource
import time
from pathlib import Path

import pytest

HERE = Path(__file__).parent
CPU = "cpu_seconds"
STRICT = "SUITE_BUDGETS"
"""Environment variable: `strict` fails a run in which a suite exceeds its budget."""

BUDGETS = {
    "linkage": 400,
    "laws": 260,
    "cli": 160,
    "knowledge": 120,
    "kernel": 90,
    "walks": 80,
    "store": 80,
    "factors": 70,
    "learning": 60,
    "report": 60,
    "text": 60,
    "mixtures": 50,
    "test_invariance.py": 50,
}
"""CPU seconds of `make test`, compilation included; together about 26 CPU minutes."""
OTHER = 30
"""CPU seconds of each suite that is not listed."""


def suite_name(path):
    """The first folder or file below tests/."""
    inside = path.relative_to(HERE) if path.is_relative_to(HERE) else path
    return inside.parts[0] if inside.parts else ""


def cpu_seconds():
    """CPU time of this process and of the processes that it waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Note the CPU time at the start of a test."""
    item.stash[_START] = cpu_seconds()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Add the CPU time so far to the report of each phase; the last phase has the total."""
    report = yield
    report.user_properties.append((CPU, cpu_seconds() - item.stash[_START]))
    return report


_START = pytest.StashKey()


def cpu_by_suite(reporter):
    """CPU seconds of each suite, from the reports of all workers."""
    totals = {}
    for reports in reporter.stats.values():
        for report in reports:
            if getattr(report, "when", None) == "teardown" or getattr(report, "skipped", False):
                continue
            spent = max((value for key, value in _properties(report) if key == CPU), default=0.0)
            name = suite_name(HERE.parent / report.fspath) if spent else ""
            if name:
                totals[name] = totals.get(name, 0.0) + spent
    return totals


def _properties(report):
    return getattr(report, "user_properties", [])


def write_suite_table(reporter):
    """Print CPU seconds and budget of the costliest suites, and of all that exceed theirs."""
    totals = cpu_by_suite(reporter)
    for name, spent in sorted(totals.items(), key=lambda item: -item[1]):
        budget = BUDGETS.get(name, OTHER)
        over = "  OVER BUDGET" if spent > budget else ""
        if over or spent > 10:
            reporter.write_line(f"{name:24} {spent:7.1f} of {budget} CPU s{over}")


def pytest_sessionfinish(session):
    """Fail the run if a suite exceeds its budget and SUITE_BUDGETS=strict."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or os.environ.get(STRICT) != "strict":
        return
    totals = cpu_by_suite(reporter)
    if any(spent > BUDGETS.get(name, OTHER) for name, spent in totals.items()):
        session.exitstatus = session.exitstatus or 1
