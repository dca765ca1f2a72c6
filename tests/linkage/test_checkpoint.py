"""Checkpoints of stages: the fingerprint of a run, and candidate pairs on disk."""

import numpy as np
import pytest

from partita.blocking.candidates import Candidates
from partita.blocking.rules import Block
from partita.data import read
from partita.errors import CheckpointError, InputError
from partita.linkage.checkpoint import StageCheckpoint, open_checkpoint
from partita.linkage.checkpoint_interval import checkpoint_seconds
from partita.linkage.settings import Settings
from partita.linkage.supervision.constraints import read_constraints

ROWS = [{"id": 1, "name": "Ann", "town": None}, {"id": 2, "name": "Bob", "town": "Ely"}]


def opened(folder, rows=ROWS, settings=None, pairs=None):
    records = read(rows)
    constraints = read_constraints(pairs, records)
    return open_checkpoint(folder, records, settings or Settings(), constraints, None)


def test_only_the_same_input_and_settings_continue(tmp_path):
    assert opened(tmp_path).chains == tmp_path / "chains"
    opened(tmp_path)
    changed = [
        {"rows": [ROWS[0], {**ROWS[1], "name": "Bo"}]},
        {"rows": [ROWS[0], {**ROWS[1], "id": 3}]},
        {"rows": [{**ROWS[0], "town": "Ely"}, {**ROWS[1], "town": None}]},
        {"rows": ROWS[::-1]},
        {"settings": Settings(seed=9)},
        {"pairs": [{"id_l": 1, "id_r": 2, "constraint": "must"}]},
    ]
    for change in changed:
        with pytest.raises(CheckpointError, match="belongs to another input"):
            opened(tmp_path, **change)


def test_candidates_come_back_as_they_were(tmp_path, monkeypatch):
    monkeypatch.setenv("PARTITA_CHECKPOINT_SECONDS", "0")
    found = Candidates(
        pairs=np.array([[0, 1], [0, 2]], np.int32),
        flags=np.array([1, 3], np.uint8),
        counts=np.array([2, 1, 1], np.int32),
        names=("exact values", "rule"),
        ngram_length=3,
        largest=((), (Block("town = Ely", 7),)),
        messages=("", "large"),
    )
    assert StageCheckpoint(tmp_path, "a").candidates(lambda: found) is found
    loaded = StageCheckpoint(tmp_path, "a").candidates(pytest.fail)
    for name in ("pairs", "flags", "counts"):
        own, other = getattr(found, name), getattr(loaded, name)
        assert own.dtype == other.dtype and np.array_equal(own, other)
    for name in ("names", "ngram_length", "largest", "messages", "sampled"):
        assert getattr(found, name) == getattr(loaded, name)
    assert StageCheckpoint(None, "").candidates(lambda: found) is found


def test_the_interval_is_a_number(monkeypatch):
    monkeypatch.setenv("PARTITA_CHECKPOINT_SECONDS", "often")
    with pytest.raises(InputError, match="no number"):
        checkpoint_seconds()
