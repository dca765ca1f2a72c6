"""Twenty kills at random moments, each resumed, end with the draws of a run never killed."""

import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

pytestmark = [pytest.mark.long, pytest.mark.compiled]

KILLS = 20


def start(folder, out):
    command = [sys.executable, "-m", "tests.laws.killed", str(folder), str(out)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def finish(run):
    assert run.communicate(timeout=600) == ("running\n", None)
    assert run.returncode == 0


def test_a_killed_run_ends_like_one_that_was_not(tmp_path):
    finish(start(tmp_path / "whole", tmp_path / "whole.npz"))
    moments, kills, resumed = random.Random(11), 0, 0
    while kills < KILLS:
        run = start(tmp_path / "killed", tmp_path / "killed.npz")
        assert run.stdout.readline() == "running\n"
        time.sleep(moments.uniform(0.0, 0.8))
        assert run.poll() is None, "the run ended before it was killed often enough"
        os.kill(run.pid, signal.SIGKILL)
        assert run.wait() == -signal.SIGKILL
        run.stdout.close()
        kills += 1
        resumed += (tmp_path / "killed" / "chain-0.npz").exists()
    assert not (tmp_path / "killed.npz").exists()
    finish(start(tmp_path / "killed", tmp_path / "killed.npz"))
    with np.load(tmp_path / "whole.npz") as right, np.load(tmp_path / "killed.npz") as found:
        assert resumed > KILLS // 2
        assert len(np.unique(right["draws"][0], axis=0)) > 50
        for name in right.files:
            np.testing.assert_array_equal(found[name], right[name], err_msg=name)
