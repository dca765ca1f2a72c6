"""A small Ray run in which a worker is killed: no label is lost or doubled."""

import os
import signal

import numpy as np
import pytest

from partita.errors import CheckpointError
from partita.scale import Settings, search
from partita.scale.ray import connect
from partita.scale.ray.distribute import distribute
from partita.scale.ray.labels import all_labels
from partita.scale.ray.shards import write_shards
from tests.scale.cases import authors
from tests.scale.ray.cases import plain

SETTINGS = Settings(temperatures=(0.3, 0.3), chunk=200)


def test_a_killed_worker_loses_and_doubles_no_label(tmp_path):
    pytest.importorskip("ray", reason="Ray is not installed: pip install partita[ray]")
    mentions, _ = authors(1000)
    expected = search(mentions, plain(mentions.vocabulary), SETTINGS).labels
    write_shards(mentions, tmp_path, SETTINGS)
    killed = []

    def kill_once(outcome):
        if not killed:
            killed.append(outcome.pid)
            os.kill(outcome.pid, signal.SIGKILL)

    with connect.connect(None, 2):
        finished = distribute(tmp_path, plain, SETTINGS, watch=kill_once)
        again = distribute(tmp_path, plain, SETTINGS)
        with pytest.raises(CheckpointError, match="has a run with seed"):
            distribute(tmp_path, plain, Settings(temperatures=(0.3, 0.3), chunk=200, seed=5))
    assert finished.lost >= 1 and finished.mentions == mentions.size
    assert np.array_equal(all_labels(tmp_path), expected)
    assert finished.entities == np.unique(expected).size
    assert again.resumed == again.shards == finished.shards
