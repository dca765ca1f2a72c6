"""Which records are unsettled, and that the draws are of the model's posterior."""

import numpy as np
import pytest

from partita.linkage.inference.chains import CONTINUATION, ChainPlan
from partita.linkage.inference.sampling import sample_uncertain
from partita.linkage.inference.search import Problem
from partita.linkage.inference.uncertain import find_uncertain
from partita.linkage.settings import Settings
from partita.posterior import sample
from partita.states import Partition
from tests.walks.chains import chain_of, exact_posterior

# no kernels of its own: those it calls are tested as plain Python where they stand
pytestmark = pytest.mark.compiled

# two records that are surely one, and a third that may be with them; a fourth with the fifth
PROBLEM = Problem(np.array([[0, 1], [0, 2], [1, 2], [3, 4]]), np.array([60.0, 0.5, -0.2, 0.3]), 5)


def test_records_in_no_doubt_are_settled():
    sure = Problem(np.array([[0, 1], [2, 3]]), np.array([60.0, 60.0]), 4)
    best = Partition.of([0, 0, 1, 1])
    assert find_uncertain(sure, sure.pair_model(), best, 0).size == 0
    assert find_uncertain(PROBLEM, PROBLEM.pair_model(), Partition.of([0, 0, 1, 2, 3]), 0).size > 0


def test_unsettled_records_come_by_whole_entities():
    best = Partition.of([0, 0, 0, 1, 1])
    rows = find_uncertain(PROBLEM, PROBLEM.pair_model(), best, 0)
    for row in rows:
        assert np.isin(np.flatnonzero(best.entity == best.entity[row]), rows).all()


@pytest.mark.parametrize("chains", [1, 3])
def test_draws_are_of_the_posterior(chains):
    model, best = PROBLEM.pair_model(), Partition.of([0, 0, 0, 1, 1])
    settings = Settings(chains=chains, draws=3000 // chains, tune=20, seed=3, threads=1)
    rows = find_uncertain(PROBLEM, model, best, settings.seed)
    found = sample_uncertain(model, ChainPlan(PROBLEM, best, rows, Partition.of, settings, False))
    assert found.draws.shape == (chains, 3000 // chains, 5)
    states, p = exact_posterior(chain_of(model, best, PROBLEM.proposal()))
    # records without a path of candidates never meet
    met = np.array([bool(set(state[:3]) & set(state[3:])) for state in states])
    p = np.where(met, 0.0, p) / p[~met].sum()
    for pair in ([0, 1], [0, 2], [1, 2], [3, 4], [2, 3]):
        same = np.array([state[pair[0]] == state[pair[1]] for state in states])
        assert found.p_same([pair])[0] == pytest.approx(float(p[same].sum()), abs=0.03)


def test_chains_start_from_the_best_state_and_from_single_records():
    seen = []

    def feasible(labels):
        seen.append(np.array(labels))
        return Partition.of(labels)

    best = Partition.of([0, 0, 0, 1, 1])
    settings = Settings(chains=2, draws=4, tune=0, threads=1)
    rows = find_uncertain(PROBLEM, PROBLEM.pair_model(), best, settings.seed)
    plan = ChainPlan(PROBLEM, best, rows, feasible, settings, False)
    sample_uncertain(PROBLEM.pair_model(), plan)
    (alone,) = seen
    assert np.unique(alone[rows]).size == rows.size > 0
    settled = np.setdiff1d(np.arange(5), rows)
    np.testing.assert_array_equal(alone[settled], best.entity[settled])


def test_chains_that_nearly_agree_are_continued_unless_the_draws_are_given(monkeypatch):
    best, model = Partition.of([0, 0, 0, 1, 1]), PROBLEM.pair_model()
    rows = find_uncertain(PROBLEM, model, best, 0)

    def sampled(**given):
        settings = Settings(chains=2, threads=1, seed=1, **given)
        plan = ChainPlan(PROBLEM, best, rows, Partition.of, settings, False)
        return sample_uncertain(model, plan)

    agreeing = sampled()
    monkeypatch.setattr("partita.linkage.inference.chains.MAX_R_HAT", 0.0)
    monkeypatch.setattr("partita.linkage.inference.chains.MAX_CONTINUED_R_HAT", 9.0)
    continued = sampled()
    assert continued.n_draws == CONTINUATION * agreeing.n_draws
    assert continued.p_same([[3, 4]])[0] == pytest.approx(agreeing.p_same([[3, 4]])[0], abs=0.1)
    assert sampled(draws=10).n_draws == 10
    monkeypatch.setattr("partita.linkage.inference.chains.MAX_CONTINUED_R_HAT", 0.0)
    assert sampled().n_draws == agreeing.n_draws


def test_a_record_that_its_candidates_have_left_leaves_by_a_move_to_any_entity():
    start, model = Partition.of([0, 1, 2, 0, 3]), PROBLEM.pair_model()
    for anywhere, stays in ((0.0, True), (0.5, False)):
        found = sample(
            model,
            start,
            proposal=PROBLEM.proposal(splits=1e-9, anywhere=anywhere, among=np.array([0])),
            draws=20,
            tune=0,
            chains=1,
            random_seed=1,
            progressbar=False,
        )
        together = found.draws[0, :, 0] == found.draws[0, :, 3]
        assert bool(together.all()) == stays
