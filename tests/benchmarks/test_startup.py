"""The start-up costs of commands are measured in processes of their own."""

import pytest

from benchmarks.startup import measure_commands

pytestmark = [pytest.mark.compiled, pytest.mark.long]


def test_commands_are_measured():
    seconds = measure_commands(rows=60, repeats=1)
    assert list(seconds) == [
        "help_cpu_seconds",
        "first_resolve_cpu_seconds",
        "later_resolve_cpu_seconds",
    ]
    assert min(seconds.values()) > 0
