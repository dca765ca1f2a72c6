import numpy as np
import pytest

from partita import sample
from partita.errors import InputError
from partita.walks.ramp import Ramp
from tests.walks.small import clusters, run, same


def names(model):
    return dict.fromkeys(model.features[:1], 2.0)


def test_weights_rise_over_half_of_tuning():
    ramp = Ramp(np.array([0.0, 1.0]), np.array([2.0, 1.0]))
    assert [ramp.at(t).tolist() for t in (0.0, 0.25, 0.5, 1.0)] == [
        [0.0, 1.0],
        [1.0, 1.0],
        [2.0, 1.0],
        [2.0, 1.0],
    ]


def test_kept_draws_are_the_models():
    model = clusters()
    weights = model.weights.copy()
    given = {"tune": 20, "draws": 400, "ramp": names(model)}
    ramped, plain = run(model, **given), run(model, **given | {"ramp": None})
    assert not same_draws(ramped, plain)
    np.testing.assert_array_equal(model.weights, weights)
    means = [p.traces["entities"].mean() for p in (ramped, plain)]
    assert means[0] == pytest.approx(means[1], abs=0.3)
    for chain in ramped.run.chains:
        np.testing.assert_array_equal(chain.weights, weights)


def same_draws(a, b):
    return np.array_equal(a.draws, b.draws)


def test_scores_of_kept_draws_are_the_models():
    model = clusters()
    posterior = run(model, tune=8, draws=12, chains=1, ramp=names(model))
    best = posterior.map()
    again = sample(model, best, draws=1, tune=0, thin=1, chains=1, random_seed=0, progressbar=False)
    assert again.best_score >= posterior.best_score - 1e-9
    assert posterior.traces["log_score"].max() <= posterior.best_score + 1e-9


def test_the_same_seed_gives_the_same_run():
    model = clusters()
    given = {"tune": 10, "ramp": names(model)}
    assert same(run(model, **given), run(model, **given))


def test_a_stopped_run_resumes_on_its_ramp(tmp_path):
    model = clusters()
    given = {"tune": 10, "draws": 10, "thin": 50, "ramp": names(model)}
    whole = run(model, **given)
    for _ in range(200):
        part = run(model, **given, checkpoint=tmp_path, seconds=0.002)
        if not any(chain.stopped for chain in part.run.chains):
            break
    assert same_draws(run(model, **given, checkpoint=tmp_path), whole)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"tune": 1}, "a ramp needs tuning in which to rise"),
        ({"mode": "map"}, "a ramp needs tuning in which to rise, but mode is 'map'"),
        ({"ramp": {"none.such": 0.0}}, "there is no feature 'none.such'"),
        ({"ramp": {"ewens.entities": np.nan}}, "the start of the ramp of 'ewens.entities'"),
    ],
)
def test_bad_ramps(given, sentence):
    with pytest.raises(InputError, match=sentence):
        run(**{"ramp": {"ewens.entities": 0.0}} | given)
