import numpy as np
import pytest

from partita.posterior.convergence import bulk_ess, rank_r_hat, tail_ess

RNG = np.random.default_rng(3)
AXES = {"chain_axis": 0, "draw_axis": 1}
TRACES = {
    "independent": lambda values: values,
    "rounded": np.round,
    "random walk": lambda values: values.cumsum(1),
    "rounded walk": lambda values: np.round(values.cumsum(1) / 3),
    "rare event": lambda values: (values > 1.5).astype(float),
    "drifting": lambda values: values + np.linspace(0, 5, values.shape[1]),
    "apart": lambda values: values + 4 * np.arange(len(values))[:, None],
}


@pytest.mark.parametrize("kind", TRACES)
@pytest.mark.parametrize("shape", [(2, 7), (2, 60), (3, 101), (4, 250)])
def test_the_figures_are_those_of_arviz(kind, shape):
    array_stats = pytest.importorskip("arviz_stats.base").array_stats
    values = TRACES[kind](RNG.normal(size=shape))
    values[0, 0] += 3  # no trace is constant
    assert rank_r_hat(values) == pytest.approx(float(array_stats.rhat(values, **AXES)))
    bulk = array_stats.ess(values, method="bulk", **AXES)
    assert bulk_ess(values) == pytest.approx(float(bulk))
    tail = array_stats.ess(values, method="tail", prob=(0.05, 0.95), **AXES)
    assert tail_ess(values) == pytest.approx(float(tail))


def test_the_halves_of_a_single_chain_are_compared():
    assert rank_r_hat(RNG.normal(size=(1, 500))) == pytest.approx(1.0, abs=0.02)
    assert rank_r_hat(RNG.normal(size=(1, 500)) + np.arange(500) / 50) > 1.5


def test_chains_that_differ_without_moving_have_an_infinite_r_hat():
    assert rank_r_hat(np.repeat([[0.0], [1.0]], 10, axis=1)) == np.inf
