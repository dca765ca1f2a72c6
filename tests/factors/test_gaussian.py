import numpy as np
import pytest

from partita.errors import InputError
from partita.factors import conjugate, gaussian
from partita.states import Partition
from tests.factors.probe import Probe, follows
from tests.laws import naive

N, D = 9, 3
RNG = np.random.default_rng(6)
X = np.round(RNG.normal(size=(N, D)) * 32) / 32
PRIOR = {
    "kappa": 0.2,
    "nu": 5.5,
    "scale": 0.4 * np.eye(D) + 0.1,
    "mean": np.array([0.5, 0.0, -1.0]),
}


@pytest.mark.parametrize("covariance", ["full", "diag"])
def test_scores_follow_a_chain_of_student_predictives(covariance):
    probe = Probe(conjugate(gaussian(X, covariance=covariance, **PRIOR)))
    start = Partition.of(RNG.integers(0, 3, N))
    assert follows(probe, naive.normal(X, covariance, **PRIOR), start, 2, moves=40) > 5


def test_many_columns_are_multiplied_in_batches():
    x = np.round(RNG.normal(size=(6, 10)) * 32) / 32
    prior = {"kappa": 0.3, "nu": 13.0, "scale": np.eye(10), "mean": np.zeros(10)}
    for covariance in ("full", "diag"):
        probe = Probe(conjugate(gaussian(x, covariance=covariance, **prior)))
        score = naive.normal(x, covariance, **prior)
        assert follows(probe, score, Partition.singletons(6), 1) > 0


def test_sums_are_exact_whatever_came_before():
    x = RNG.normal(size=(50, 2)) * 1e3 + 1e6
    probe = Probe(conjugate(gaussian(x))).start(Partition.of(np.arange(50) % 3))
    rows = probe.context.tables[0].rows
    rng = np.random.default_rng(0)
    from tests.factors.probe import any_move

    for _ in range(300):
        move = any_move(rng, probe.state)
        probe.advance(move)
    fresh = Probe(conjugate(gaussian(x))).start(probe.state).context.tables[0].rows
    np.testing.assert_array_equal(rows.sums[:50], fresh.sums[:50])
    np.testing.assert_array_equal(rows.total[:50], fresh.total[:50])


def test_identical_rows_and_a_single_one():
    for x in (np.ones((4, 2)), np.ones((1, 2))):
        probe = Probe(conjugate(gaussian(x))).start(Partition.singletons(len(x)))
        assert np.isfinite(probe.context.tables[0].rows.total).all()


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"kappa": 0.0}, "kappa is 0.0; give a positive number"),
        ({"nu": 1.5}, "nu is 1.5 for 3 columns; give more than 2"),
        ({"covariance": "round"}, "covariance is 'round'; give 'full' or 'diag'"),
        ({"scale": -1.0}, "the scale is -1.0; give a positive number"),
        ({"scale": [1.0, 2.0]}, "the scale has shape"),
        ({"scale": -np.eye(3)}, "is not a covariance; give a positive definite matrix"),
        ({"mean": [0.0]}, "the mean has shape"),
    ],
)
def test_bad_priors(given, sentence):
    with pytest.raises(InputError, match=sentence):
        gaussian(X, **given)
