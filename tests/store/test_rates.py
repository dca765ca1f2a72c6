"""Rates of a store: they follow added records, and undo and training take them back."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import partita
from partita.linkage.inference.model_choice import ModelChoice
from partita.linkage.pairwise.level_rates import estimate_rates
from partita.linkage.supervision.trained_model import name_weights
from partita.store import drift, local
from partita.store.model import apply_rates
from partita.store.store import Store

# no kernels of its own: those it calls are tested as plain Python where they stand
pytestmark = pytest.mark.compiled


def rates(store):
    return store._db.meta("rates")


def test_rates_follow_deliveries_and_undo(store, table):
    assert rates(store) is None
    first = store.add(table[0].slice(300, 50))["run"]
    after = rates(store)
    second = store.add(table[0].slice(350))["run"]
    later = rates(store)
    assert 0.2 < later["share"] < 5
    assert sum(later["levels"].values()) > sum(after["levels"].values())
    store.undo(second)
    assert rates(store) == after
    store.undo(first)
    assert rates(store) is None
    assert store.check() == []


def test_training_ends_the_sums(grown):
    assert rates(grown) is not None
    grown.train()
    assert rates(grown) is None


def test_a_delivery_without_candidates_lowers_the_share(store):
    empty = dict.fromkeys(store.export().column_names[1:-3])
    store.add([{**empty, "id": 9_000 + k, "given_name": f"Qx{k}vzw"} for k in range(3)])
    assert rates(store)["share"] < 1


def test_copies_of_a_record_are_no_matches(store, table):
    row = table[0].slice(0, 1).to_pylist()[0]
    store.add([{**row, "id": 9_000}])
    total = store._db.value("SELECT total FROM drift WHERE run = 2 AND measure = 'match'")
    assert total is None


def test_a_model_of_few_records_approaches_that_of_all(table, tmp_path, monkeypatch):
    order = np.random.default_rng(1).permutation(400)
    parts = [table[0].take(part) for part in np.array_split(order, 5)]
    whole = partita.resolve(table[0], seed=1, reading="em").pair_model
    first = partita.resolve(parts[0], seed=1, reading="em")
    monkeypatch.setattr(drift, "SETTLED_RECORDS", 0)
    with Store.create(first, tmp_path / "few.partita") as store:
        for part in parts[1:]:
            store.add(part)
        followed = apply_rates(first.pair_model, rates(store), first.pair_model.common)
    assert abs(np.log(followed.lam / whole.lam)) < 0.7
    distance = [
        np.mean([np.abs(m - w).sum() for m, w in zip(model.m, whole.m, strict=True)])
        for model in (followed, first.pair_model)
    ]
    assert distance[0] < distance[1]


def test_weights_of_labels_do_not_follow(store):
    model = store._read_model()[0].learned.pair_model
    kept = apply_rates(model, {"share": 0.5, "levels": {}, "split": [0, 0]}, [0.5] * len(model.m))
    assert kept.common == model.common
    assert kept.lam == pytest.approx(model.lam / 2)
    assert all(np.array_equal(a, b) for a, b in zip(kept.m, model.m, strict=True))


def test_exact_agreement_follows_the_values_of_the_store(store):
    """A column without equal values in the first run gives weight to those of later ones."""
    model = store._read_model()[0].learned.pair_model
    titles = model.level_names[0]
    levels = dict(zip(name_weights(model.names[0], titles), [90.0] * len(titles), strict=True))
    u = np.append(5e-11, model.u[0][1:] / model.u[0][1:].sum())
    unequal = replace(model, u=[u, *model.u[1:]], common=[1e-9, *model.common[1:]])
    counted = {"share": 1.0, "levels": levels, "split": [0, 0]}
    followed = apply_rates(unequal, counted, [0.02, *model.common[1:]])
    assert followed.common == [0.02, *model.common[1:]]
    # the term-frequency adjustment of a value is relative to the same share
    assert followed.u[0][0] == pytest.approx(0.02, rel=0.05)
    assert apply_rates(unequal, counted, unequal.common).u[0][0] < 1e-8


def test_a_level_without_random_pairs_leaves_others_alone():
    """Neighbours of a level that random pairs never show keep their rates, given few matches."""
    counts, random = np.array([10.0, 0.3, 0.0, 1.0]), np.array([0.083, 0.09, 0.0, 0.827])
    m, u = estimate_rates(counts, random, 1e-5)
    assert m.sum() == pytest.approx(1) and (np.diff(m / u) <= 1e-9).all()
    # three quarters of a pair of prior and counts, and the half pair of the unseen level
    assert m[1] == pytest.approx(1.3 / 13.3, abs=0.01)


def test_an_entity_model_that_splits_sure_pairs_is_replaced(store, table, monkeypatch):
    tried = []

    def choose(*given):
        choice, sure = choose_state(*given)
        tried.append(choice.name)
        assert isinstance(choice, ModelChoice)
        return choice, sure

    choose_state = local._choose_state
    monkeypatch.setattr(local, "_choose_state", choose)
    monkeypatch.setattr(local, "MIN_SURE_PAIRS", 1)
    monkeypatch.setattr(local, "count_sure_pairs_split", lambda *given: (9, 10))
    model = store._read_model()[0]
    store.add(table[0].slice(300, 50))
    store.add(table[0].slice(350))
    assert tried == ["pairs", "pairs"] and store.check() == []
    if model.chosen_model == "entities":
        assert rates(store)["split"] == [9, 10]


def test_sizes_reach_the_number_of_records_and_count_rows():
    """An entity of three records gains one; sizes beyond the end would cost nothing."""
    statistics = SimpleNamespace(sizes=np.array([0, 5, 0, 1]))
    present = np.array([7, 7, 7, -1])
    sizes = local._count_sizes(statistics, present, np.array([4]), 6)
    assert sizes.tolist() == [0, 5, 0, 0, 1, 0, 0]


def test_rates_of_links_stay(table, tmp_path):
    sources = {"a": table[0].slice(0, 150), "b": table[0].slice(150, 150)}
    result = partita.resolve(sources, seed=1, reading="em", one_to_one=True, id="id")
    assert result.mode == "link"
    with Store.create(result, tmp_path / "links.partita") as store:
        store.add(table[0].slice(300, 50), source="b")
        assert rates(store) is None and store.check() == []
