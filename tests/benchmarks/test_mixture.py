import numpy as np
import pytest

from benchmarks import mixture

pytestmark = pytest.mark.compiled
TINY = mixture.Plan(300, 200, 2, 2, 1.0)


def test_held_out_rows_have_the_likelihood_of_the_truth():
    train, test, truth = mixture.draw(TINY, 0)
    assert train.shape == (300, 2)
    assert test.shape == (200, 2)
    assert -12 < truth < 0


def test_both_run_on_the_same_rows():
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    found = mixture.compare(TINY, 0)
    for name in ("partita", "scikit_learn"):
        assert found[name]["held_out"] > found["truth"] - 1.0
        assert found[name]["components"] >= 2
    assert found["scikit_learn"]["to_theirs"] is not None


def test_when_a_score_is_reached():
    course = mixture.Course([1.0, 2.0], [1.5, 2.5], [-3.0, -2.0], 4)
    assert course.reached(-2.0) == {"cpu_seconds": 2.0, "wall_seconds": 2.5}
    assert course.reached(-1.0) is None
    assert np.isclose(mixture.CLOSE, 1e-3)
