import json
import math
import time

import numpy as np
import pytest

from partita import cooling
from partita.errors import InputError
from partita.estimators import exact, scheduled, uniform
from partita.factors import Model, agreement, ewens
from partita.learning import mira, pair_accuracy
from partita.proposals import canopies_of, move_to_entity, pair_move, split_merge
from partita.states import Partition
from partita.states.partition import growth_strings
from partita.walks import Settings, driver, run_chains
from partita.walks import chain as chains
from tests.walks.small import PAIRS, VALUES, N, clusters, run, same
from tests.walks.test_parameters import unknown_model

CANOPIES = canopies_of([0, 0, 0, 1, 1])


# ---- how long


def test_draws_are_thinned_by_the_number_of_variables():
    found = run(draws=7, tune=3)
    assert [chain.steps for chain in found.run.chains] == [10 * N, 10 * N]
    assert found.draws.shape == (2, 7, N)
    assert [chain.stopped for chain in found.run.chains] == ["", ""]
    assert run(draws=7, tune=3, thin=2).steps == 2 * 10 * 2


def test_a_budget_of_steps_is_shared_out():
    found = run(draws=9, tune=1, steps=55)
    # ten draws of six steps, the last one of a single step
    assert [chain.steps for chain in found.run.chains] == [55, 55]
    assert found.draws.shape[1] == 9
    short = run(draws=30, tune=0, steps=20, thin=3)
    assert short.draws.shape[1] == 7
    assert short.run.chains[0].steps == 20
    assert short.run.chains[0].stopped == "steps"


def test_a_budget_of_factors():
    found = run(draws=1000, tune=0, factors=200)
    for chain in found.run.chains:
        assert 200 <= chain.examined < 200 + N + 1
        assert chain.stopped == "factors"
    assert found.n_draws < 30


def test_a_budget_of_seconds_also_ends_a_long_draw(monkeypatch):
    monkeypatch.setattr(chains, "SLICE", 1000)
    run(draws=1, tune=0)
    began = time.monotonic()
    found = run(draws=10, thin=10**12, seconds=0.3)
    assert time.monotonic() - began < 20
    assert found.run.chains[0].stopped == "seconds"
    assert found.n_draws == 0


def test_tuning_is_not_kept():
    whole, tail = run(draws=20, tune=0), run(draws=12, tune=8)
    assert np.array_equal(whole.draws[:, 8:], tail.draws)


# ---- what is kept


def test_scores_of_guessing_chains_are_computed_anew():
    found = run(estimator=uniform(0.5), draws=20)
    assert not found.run.exact
    gaps = [
        value - score(row)
        for chain in found.run.chains
        for row, value in zip(chain.draws, chain.traces["log_score"], strict=True)
    ]
    assert np.allclose(gaps, 0.0)
    assert len({tuple(row) for row in found.draws[0].tolist()}) > 3


def test_a_schedule_of_the_estimator_runs_along():
    found = run(estimator=scheduled(0.2, 1.0, until=0.9), draws=6, tune=54, chains=1)
    full = run(draws=6, tune=54, chains=1)
    assert found.examined < 0.9 * full.examined


def test_a_schedule_must_end_before_the_draws_begin():
    with pytest.raises(InputError, match=r"still changes at the first of 60 draws"):
        run(estimator=scheduled(0.2, 1.0, until=0.9), draws=60, tune=0, chains=1)


def test_each_chain_has_seconds_of_its_own():
    found = run(draws=100_000, tune=1, chains=3, cores=1, seconds=0.2)
    assert all(chain.steps > 0 for chain in found.run.chains)
    assert found.n_draws > 0


def test_the_best_state_is_the_best_of_all_draws():
    found = run(draws=40)
    for chain in found.run.chains:
        assert chain.best_score >= max(chain.traces["log_score"])
    assert found.best_score == max(chain.best_score for chain in found.run.chains)


# ---- interrupted and resumed


@pytest.fixture
def impatient(monkeypatch):
    """Chains are stopped between two slices, after they have asked some forty times."""

    def halted(self):
        self.asked = getattr(self, "asked", 0) + 1
        return self.asked > 40

    def stopped_and_resumed(folder, slice_length, **settings):
        monkeypatch.setattr(chains, "SLICE", slice_length)
        monkeypatch.setattr(driver.Driver, "_halted", halted)
        for rounds in range(1, 100):
            found = run(checkpoint=folder, **settings)
            if not any(chain.stopped for chain in found.run.chains):
                return found, rounds
        raise AssertionError("it never comes to an end")

    return stopped_and_resumed


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"estimator": uniform(0.5)},
        {"learner": mira(), "objective": pair_accuracy([0, 0, 1, 1, 1])},
        {"proposal": pair_move(CANOPIES), "sweep": "canopies"},
    ],
    ids=["plain", "sampled", "learning", "canopies"],
)
def test_a_resumed_run_is_the_run_that_was_never_stopped(tmp_path, impatient, settings):
    settings |= {"draws": 12, "tune": 4, "thin": 500}
    whole = run(**settings)
    resumed, rounds = impatient(tmp_path, 60, **settings)
    assert same(whole, resumed)
    assert rounds > 2


def test_aggregates_are_resumed_too(tmp_path, impatient):
    columns = {"a": [0, 0, 1, 1, -1]}
    model = Model(agreement(columns, mismatch=-0.5, storage="sparse"), ewens(1.0))
    settings = {"model": model, "proposal": split_merge(CANOPIES), "draws": 15, "thin": 40}
    whole = run(**settings)
    resumed, rounds = impatient(tmp_path, 13, **settings)
    assert same(whole, resumed)
    assert rounds > 1


@pytest.mark.interpreted
def test_parameters_are_resumed_too(tmp_path, impatient):
    settings = {"model": unknown_model(), "draws": 15, "thin": 40}
    whole = run(**settings)
    resumed, rounds = impatient(tmp_path, 13, **settings)
    assert same(whole, resumed)
    assert len(whole.run.chains[0].parameters) == 4
    assert rounds > 1


def test_a_chain_stopped_in_the_middle_of_a_draw_knows_how_far_it_was(tmp_path, monkeypatch):
    monkeypatch.setattr(chains, "SLICE", 10)
    run(draws=1, tune=0, thin=1)
    run(draws=3, tune=0, thin=10**9, chains=1, seconds=0.05, checkpoint=tmp_path)
    with np.load(tmp_path / "chain-0.npz") as saved:
        header = json.loads(str(saved["header"]))
    assert header["done"] == 0
    assert header["pending"] == 10**9 - header["steps"]


def test_a_finished_run_is_read_and_not_run_again(tmp_path):
    first = run(checkpoint=tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.glob("*.draws")}
    assert same(first, run(checkpoint=tmp_path))
    assert {path.name: path.read_bytes() for path in tmp_path.glob("*.draws")} == before


def test_checkpoints_are_written_on_the_way(tmp_path, monkeypatch):
    seen = []
    save = driver.Driver._save

    def noted(self):
        seen.append((self.number, self.done))
        save(self)

    monkeypatch.setattr(driver.Driver, "_save", noted)
    run(checkpoint=tmp_path, checkpoint_every=1e-9, draws=4, tune=2, chains=1)
    assert seen == [(0, k) for k in (1, 2, 3, 4, 5, 6, 6)]


# ---- searches


def search(**settings):
    given = {"mode": "map", "temperature": cooling(1.0, 0.02), "draws": 60}
    return run(**given | settings)


def test_a_search_finds_the_best_state():
    found = search()
    scores = {tuple(state): score(state) for state in growth_strings(N)}
    assert found.best_score == pytest.approx(max(scores.values()))
    assert scores[tuple(found.map().entity.tolist())] == pytest.approx(found.best_score)


def score(labels):
    entity = np.array(labels)
    pairs = sum(v for (i, j), v in zip(PAIRS, VALUES, strict=True) if entity[i] == entity[j])
    return pairs + sum(math.lgamma(size) for size in np.bincount(entity))


def test_a_search_needs_no_tuning():
    assert search(tune=500, draws=5).steps == 2 * 5 * N


@pytest.mark.interpreted
def test_a_search_by_canopies_settles_and_is_as_good_as_random_order():
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(20), 4)
    names = np.where(rng.random(80) < 0.9, truth, rng.integers(0, 20, 80))
    model = Model(agreement({"a": names, "b": truth}, match=2.0, mismatch=-1.0), ewens(1.0))
    canopies = canopies_of(truth // 2)
    settings = {
        "model": model,
        "start": Partition.singletons(80),
        "proposal": pair_move(canopies),
    }
    swept = search(sweep="canopies", chains=3, **settings)
    random = search(draws=100, steps=20000, chains=1, **settings)
    for chain in swept.run.chains:
        assert chain.settled == canopies.count
        assert chain.steps < 5000
    assert swept.best_score >= random.best_score - 1e-6
    canopies.respected(swept.map())


def test_a_search_by_canopies_keeps_its_budgets():
    settings = {"sweep": "canopies", "proposal": pair_move(CANOPIES), "temperature": 5.0}
    whole = search(**settings)
    steps = whole.run.chains[0].steps
    cut = search(steps=steps // 2, **settings).run.chains[0]
    assert (cut.steps, cut.stopped) == (steps // 2, "steps")
    few = search(factors=50, **settings).run.chains[0]
    assert (few.examined >= 50, few.examined < 60, few.stopped) == (True, True, "factors")


def test_a_search_by_canopies_is_resumed_and_not_begun_again(tmp_path, impatient):
    settings = {"sweep": "canopies", "proposal": pair_move(CANOPIES), "mode": "map"}
    settings |= {"temperature": 2.0, "draws": 1}
    whole = run(**settings)
    resumed, rounds = impatient(tmp_path, 5, **settings)
    assert rounds > 1
    for x, y in zip(whole.run.chains, resumed.run.chains, strict=True):
        assert (x.steps, x.examined, x.settled) == (y.steps, y.examined, y.settled)
        assert x.state.entity.tolist() == y.state.entity.tolist()
    # what is finished stays as it is
    assert same(resumed, run(checkpoint=tmp_path, **settings))


def test_a_start_that_is_not_scored_changes_scores_by_a_constant():
    model, start = clusters(), Partition.of([0, 0, 1, 1, 1])
    settings = {"mode": "map", "draws": 20, "chains": 1, "seed": 3, "progressbar": False}
    told, counted = (
        run_chains(
            model, start, move_to_entity(), exact(), Settings(**settings, measured=measured)
        ).chains[0]
        for measured in (True, False)
    )
    assert np.array_equal(told.best, counted.best)
    gap = np.array(told.traces["log_score"]) - counted.traces["log_score"]
    assert gap == pytest.approx(np.full(20, gap[0]))
    assert told.best_score - counted.best_score == pytest.approx(gap[0])


@pytest.mark.interpreted
def test_a_start_is_scored_where_the_chain_does_not_keep_its_score():
    start = Partition.one_entity(N)
    model = Model(agreement({"a": np.arange(N)}, mismatch=-1.0), ewens(1.0))
    settings = {"mode": "map", "draws": 200, "chains": 1, "seed": 0, "progressbar": False}
    found = run_chains(
        model, start, move_to_entity(), uniform(0.5), Settings(**settings, measured=False)
    )
    # by sampled factors the walk does not know how far it has come: each score is found afresh
    assert found.chains[0].best.max() > 0
