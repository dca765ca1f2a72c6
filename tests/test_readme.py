"""The programs in the README run unchanged."""

import re
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"


def program(number):
    """Run one of the programs; returns its names."""
    names = {}
    exec(re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)[number], names)
    return names


@pytest.mark.compiled
def test_records_are_resolved(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = program(0)["result"]
    assert 0.4 * result.records.n < result.entity_count[0] < 0.8 * result.records.n


@pytest.mark.compiled
def test_a_model_is_sampled():
    same = program(1)["posterior"].p_same([[0, 1], [0, 2]])
    assert same[0] > 0.9 > 0.1 > same[1]
