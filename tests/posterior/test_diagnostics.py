import math
import sys

import numpy as np
import pytest

from partita.posterior.diagnostics import diagnose, to_datatree

RNG = np.random.default_rng(0)


def test_independent_draws_have_converged():
    found = diagnose({"x": RNG.normal(2.0, 3.0, (4, 1000))})["x"]
    assert found["mean"] == pytest.approx(2.0, abs=0.2)
    assert found["sd"] == pytest.approx(3.0, abs=0.2)
    assert found["r_hat"] == pytest.approx(1.0, abs=0.01)
    assert 3000 < found["ess_bulk"] < 5000
    assert found["ess_tail"] > 2500


def test_chains_apart_have_not():
    values = RNG.normal(size=(4, 500)) + np.arange(4)[:, None] * 5
    found = diagnose({"x": values})["x"]
    assert found["r_hat"] > 2
    assert found["ess_bulk"] < 20


def test_sticky_chains_have_fewer_effective_draws():
    steps = RNG.normal(size=(2, 2000)).cumsum(1)
    assert diagnose({"x": steps})["x"]["ess_bulk"] < 100


@pytest.mark.parametrize("values", [np.ones((2, 50)), RNG.normal(size=(2, 3))])
def test_constant_and_short_traces_have_no_diagnostics(values):
    found = diagnose({"x": values})["x"]
    assert all(math.isnan(found[name]) for name in ("r_hat", "ess_bulk", "ess_tail"))
    assert found["mean"] == values.mean()


def test_groups_of_the_tree():
    pytest.importorskip("arviz_base")
    tree = to_datatree({"entities": np.ones((2, 5))}, {"log_score": np.zeros((2, 5))})
    assert set(tree.children) == {"posterior", "sample_stats"}
    assert tree["posterior"]["entities"].shape == (2, 5)
    assert tree["sample_stats"]["log_score"].dims == ("chain", "draw")


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "arviz_base", None)
    with pytest.raises(ImportError, match=r"install it with: pip install partita\[arviz\]"):
        to_datatree({}, {})
