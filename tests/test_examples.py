"""The examples run, are short, and find what they look for."""

from pathlib import Path

import numpy as np
import pytest

from examples import coreference, demo, potts, skip_chain

FOLDER = Path(__file__).parent.parent / "examples"


@pytest.mark.parametrize("name", ["potts", "skip_chain", "coreference"])
def test_examples_are_under_forty_lines(name):
    assert len((FOLDER / f"{name}.py").read_text().splitlines()) < 40


@pytest.mark.compiled
def test_potts_cleans_the_picture():
    assert potts.main() > 0.9


@pytest.mark.compiled
def test_skip_chain_beats_the_clue_alone():
    assert skip_chain.main() > 0.85


@pytest.mark.compiled
def test_coreference_finds_the_entities():
    posterior = coreference.main()
    assert abs(posterior.entities()["mean"] - 12) < 3
    assert posterior.p_same(np.array([[0, 0]]))[0] == 1.0


@pytest.mark.compiled
def test_the_demo_shows_a_summary(capsys, tmp_path):
    demo.main(people=150, folder=tmp_path)
    shown = capsys.readouterr().out
    assert (tmp_path / "report.html").stat().st_size > 0
    assert "pairwise" in shown
    assert "entities" in shown
    assert "uncertain" in shown
