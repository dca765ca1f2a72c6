"""A small run of the faults that `make faults` injects."""

import signal

import pytest

from tools.faults import Faults

pytestmark = [pytest.mark.compiled, pytest.mark.long]


def test_faults_lose_nothing(tmp_path):
    faults = Faults(tmp_path, seed=1)
    faults.send(signal.SIGKILL, -signal.SIGKILL)
    faults.send(signal.SIGTERM, 143)
    faults.recover()
    faults.fill_disk()
    faults.limit_memory()
    faults.refuse_places(tmp_path)
    faults.run_two()
    assert not faults.failures
