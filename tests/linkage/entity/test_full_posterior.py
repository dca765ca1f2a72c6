"""`posterior="full"`: rates are sampled, uncertainty is reported, odd inputs work."""

import numpy as np
import pytest

from partita.errors import InputError
from partita.linkage.entity import full_posterior as full
from partita.linkage.resolve import resolve
from partita.metrics import pairwise
from tests.linkage.made import persons

STEPS = 60
"""Steps between two draws of the small run, which is fast enough in plain Python."""


# ---- a small run, in plain Python


@pytest.fixture(scope="module")
def small():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(full, "MIN_STEPS_PER_DRAW", STEPS)
        rows, truth = persons(14, seed=3)
        return resolve(rows, posterior="full", draws=30, seed=7, threads=1), truth


@pytest.mark.interpreted
def test_a_small_run_finds_entities_and_converges(small):
    found, truth = small
    assert pairwise(found.labels, truth).f1 > 0.6
    assert found.chosen_model == "entities"
    rates = [row["r_hat"] for name, row in found.diagnostics.items() if name.endswith(".equal")]
    assert len(rates) == len(found.pair_model.names)
    assert np.median(rates) < 1.1
    assert max(rates) < 1.4


@pytest.mark.interpreted
def test_a_small_run_records_every_parameter(small):
    found, _ = small
    names = {f"hit_miss.{name}" for name in found.pair_model.names}
    parameters = found.posterior.parameters
    assert set(parameters) >= names | {"sizes.law"}
    for name in names:
        values = parameters[name]
        assert values.shape[:2] == (2, 30)
        # a rate that an update never changes would be one value in all draws
        assert np.unique(values[:, :, 0]).size > 30
        assert np.unique(values[:, :, -1]).size > 5
        np.testing.assert_allclose(values[:, :, :-1].sum(2), 1.0)
    assert np.unique(parameters["sizes.law"][:, :, 1]).size > 3


# ---- larger runs, compiled


@pytest.fixture(scope="module")
def made():
    return persons(200, seed=3)


@pytest.fixture(scope="module")
def resolved(made):
    return resolve(made[0], posterior="full", draws=30, seed=7)


@pytest.mark.compiled
@pytest.mark.long
def test_entities_are_found_and_their_number_is_not_certain(made, resolved):
    assert pairwise(resolved.labels, made[1]).f1 > 0.9
    mean, low, high = resolved.entity_count
    assert low < mean < high
    assert low <= len(set(made[1])) <= high


@pytest.mark.compiled
@pytest.mark.long
def test_every_rate_is_traced_and_moves(resolved):
    names = resolved.pair_model.names
    for name in names:
        for what in ("equal", "log_theta"):
            trace = resolved.trace[f"{name}.{what}"]
            assert trace.shape == (2, 30)
            assert np.unique(trace).size > 10
    assert set(resolved.diagnostics) >= {"log_score", "entities", "sizes.alone"}


@pytest.mark.compiled
@pytest.mark.long
def test_chains_from_two_starts_agree(resolved):
    """The second chain starts from singletons; only tuning brings both to one distribution."""
    means = resolved.trace["entities"].mean(1)
    spread = resolved.trace["entities"].std(1).max()
    assert abs(means[0] - means[1]) < 3.0 * spread
    assert resolved.diagnostics["sizes.alone"]["r_hat"] < 1.2


@pytest.mark.compiled
@pytest.mark.long
@pytest.mark.parametrize("threads", [1, 2])
def test_one_seed_gives_one_result(made, resolved, threads):
    again = resolve(made[0], posterior="full", draws=30, seed=7, threads=threads)
    np.testing.assert_array_equal(again.posterior.draws, resolved.posterior.draws)
    for name, trace in again.trace.items():
        np.testing.assert_array_equal(trace, resolved.trace[name])


@pytest.mark.compiled
@pytest.mark.long
@pytest.mark.parametrize(
    "rows",
    [
        [{"name": "Ann Lee", "town": "Ely"}],
        [{"name": "Ann Lee", "town": "Ely"}] * 5 + [{"name": "Bob Orr", "town": "Bath"}],
        [{"name": f"n{k}", "town": "t"} for k in range(4)],
    ],
    ids=["one record", "identical records", "nothing in common"],
)
def test_small_inputs_end_as_they_do_without(rows):
    try:
        expected = resolve(rows, seed=1).labels.tolist()
    except InputError as error:
        with pytest.raises(InputError, match=str(error)[:20]):
            resolve(rows, posterior="full", seed=1)
    else:
        assert resolve(rows, posterior="full", seed=1).labels.tolist() == expected


@pytest.mark.compiled
@pytest.mark.long
def test_too_many_values_are_refused(made, monkeypatch):
    monkeypatch.setattr(full, "MAX_VALUES", 20)
    with pytest.raises(InputError, match="distinct values and posterior='full' holds 20"):
        resolve(made[0], posterior="full", seed=1)


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"posterior": "some"}, "give one of quick, full"),
        ({"posterior": "full", "model": "pairs"}, "leave one of the two out"),
    ],
)
def test_settings_that_cannot_be(made, given, words):
    with pytest.raises(InputError, match=words):
        resolve(made[0], **given)


def test_a_value_seen_once_is_rarer_than_that():
    phi = full.discount_counts(np.array([1, 1, 1, 1, 2, 10]))
    assert phi[0] < 1 / 16
    assert phi[5] == pytest.approx((10 - 4 / 6) / 16)
    assert (full.discount_counts(np.array([1, 1, 0])) > 0).all()
