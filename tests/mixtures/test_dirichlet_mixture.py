import numpy as np
import pytest
from scipy.special import logsumexp

from partita.errors import InputError
from partita.mixtures import DirichletMixture

RNG = np.random.default_rng(8)
KIND = np.repeat([0, 1, 2], 40)
CENTRES = np.array([[0.0, 0.0], [8.0, 0.0], [0.0, 8.0]])
POINTS = CENTRES[KIND] + RNG.normal(size=(120, 2))
SHORT = {"draws": 20, "tune": 20, "chains": 2, "random_state": 3}


def purity(labels):
    """Whether clusters and kinds are the same partition, up to a few rows."""
    table = np.zeros((labels.max() + 1, 3))
    np.add.at(table, (labels, KIND), 1)
    return table.max(1).sum() / len(KIND)


@pytest.fixture(scope="module")
def fitted():
    return DirichletMixture(**SHORT).fit(POINTS)


def test_finds_the_clusters(fitted):
    assert purity(fitted.labels_) > 0.98
    assert 3 <= fitted.n_clusters_ <= 5
    shares = fitted.n_clusters_posterior_
    assert sum(shares.values()) == pytest.approx(1.0)
    assert sum(share for k, share in shares.items() if k >= 3) == pytest.approx(1.0)
    assert fitted.n_features_in_ == 2


def test_the_same_seed_gives_the_same_clusters(fitted):
    again = DirichletMixture(**SHORT).fit_predict(POINTS)
    np.testing.assert_array_equal(again, fitted.labels_)


def test_predicts_new_rows(fitted):
    found = fitted.predict(CENTRES)
    for k in range(3):
        assert found[k] == np.bincount(fitted.labels_[k == KIND]).argmax()
    np.testing.assert_allclose(fitted.predict_proba(CENTRES).sum(1), 1.0)


def test_densities_integrate_to_one():
    x = np.concatenate([RNG.normal(size=40) - 4, RNG.normal(size=40) + 4])[:, None]
    model = DirichletMixture(**SHORT).fit(x)
    grid = np.linspace(-60, 60, 6001)
    density = np.exp(model.score_samples(grid[:, None]))
    assert density.sum() * (grid[1] - grid[0]) == pytest.approx(1.0, abs=0.01)
    assert model.score(x) == pytest.approx(model.score_samples(x).mean())


def test_probabilities_of_all_rows_sum_to_one():
    bits = (RNG.random((30, 2)) < np.repeat([[0.1], [0.9]], 15, axis=0)).astype(int)
    model = DirichletMixture("bernoulli", **SHORT).fit(bits)
    every = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    assert logsumexp(model.score_samples(every)) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("component", ["bernoulli", "categorical", "multinomial"])
def test_other_kinds_of_columns(component):
    chance = np.array([[0.9, 0.1], [0.1, 0.9], [0.9, 0.9]])[KIND]
    trials = 1 if component != "multinomial" else 6
    x = np.concatenate([RNG.binomial(trials, np.repeat(chance, 4, axis=1)), KIND[:, None] * 0], 1)
    found = DirichletMixture(component, **SHORT).fit_predict(x)
    assert found.shape == (120,)
    assert found.max() > 0


def test_diagonal_covariances():
    assert purity(DirichletMixture(covariance_type="diag", **SHORT).fit_predict(POINTS)) > 0.98


def test_one_row_and_identical_rows():
    for x in ([[1.0, 2.0]], [[1.0, 2.0]] * 5):
        labels = DirichletMixture(draws=5, tune=5, chains=1, random_state=0).fit_predict(x)
        assert labels.shape == (len(x),)


def test_parameters():
    model = DirichletMixture("bernoulli", concentration=2.0)
    assert model.get_params()["concentration"] == 2.0
    assert model.set_params(draws=7).draws == 7
    assert repr(model) == "DirichletMixture(component='bernoulli', concentration=2.0, draws=7)"
    with pytest.raises(InputError, match="there is no parameter 'colour'"):
        model.set_params(colour=1)


def test_scikit_learn_accepts_it():
    base = pytest.importorskip("sklearn.base", reason="scikit-learn is not installed")
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    model = DirichletMixture(**SHORT)
    assert base.clone(model).get_params() == model.get_params()
    assert base.is_clusterer(model)
    labels = make_pipeline(StandardScaler(), model).fit_predict(POINTS)
    assert purity(labels) > 0.98


@pytest.mark.parametrize(
    ("given", "x", "sentence"),
    [
        ({"component": "poisson"}, POINTS, "component is 'poisson'; give one of"),
        ({"concentration": 0}, POINTS, "the concentration is 0; give a positive number"),
        ({"component": "bernoulli"}, POINTS, "give 0 and 1 only"),
        ({"covariance_type": "tied"}, POINTS, "covariance is 'tied'"),
        ({}, [1.0, 2.0], r"X has shape \(2,\); give a matrix"),
        ({}, [[np.nan, 1.0]], r"entry \(0, 0\) is nan"),
        ({}, np.zeros((0, 2)), "X has shape"),
    ],
)
def test_bad_input(given, x, sentence):
    with pytest.raises(InputError, match=sentence):
        DirichletMixture(**given).fit(x)


def test_bad_rows_after_fit(fitted):
    with pytest.raises(InputError, match="is not fitted; call fit first"):
        DirichletMixture().predict(POINTS)
    with pytest.raises(InputError, match="X has 3 columns but fit had 2"):
        fitted.predict(np.zeros((1, 3)))
