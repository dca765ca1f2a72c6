"""From generated people to entities: candidates, pair model, clustering, entity model."""

import numpy as np
import pytest

import partita
from partita.blocking.candidates import find_candidates
from partita.comparison.comparisons import Comparisons
from partita.data import profile, read
from partita.errors import InputError
from partita.linkage import PairModel, correlation_clustering, entity_model, fit_pairs
from partita.linkage.inference.active_set import find_active_set
from partita.linkage.inference.model_choice import (
    SURE_LOG_ODDS,
    find_best_entities,
    share_of_sure_pairs_split,
)
from partita.linkage.inference.search import Problem
from partita.linkage.resolve import resolve
from partita.linkage.settings import Settings
from partita.metrics import evaluate
from partita.proposals import gibbs_neighbour, mixture, split_merge_neighbour
from partita.states import Partition
from partita.synthetic import Population, people
from tests.linkage.made import persons, rules

pytestmark = pytest.mark.compiled

EMPTY = PairModel([], [], [], [], [], [], [], 0.1, [], None, True, 1, [])


@pytest.fixture(scope="module")
def scored():
    # members of a household share too much for independent columns; that is a problem of its own
    table = people(1500, seed=4, population=Population(household=0.0)).table()
    truth = table.column("entity").to_numpy()
    records = read(table.drop_columns(["entity"]))
    kept = [one for one in profile(records) if one.is_compared]
    columns = [records.column(one.name) for one in kept]
    pairs = find_candidates({column.name: column for column in columns}).pairs.astype(np.int64)
    compared = Comparisons(columns, [one.type for one in kept])
    levels = compared.levels(pairs)
    model = fit_pairs(
        columns, [o.type for o in kept], pairs, records.n, comparisons=compared, levels=levels
    )
    return columns, pairs, levels, model, model.score(compared, pairs, levels=levels), truth


@pytest.fixture(scope="module")
def start(scored):
    _, pairs, _, _, scores, truth = scored
    return correlation_clustering(pairs, scores.total, len(truth))


def test_clustering_finds_most_entities(scored, start):
    assert evaluate(start.entity, scored[-1]).pairwise.f1 > 0.85


def test_the_entity_model_is_at_least_as_good(scored, start):
    columns, pairs, levels, pair_model, scores, truth = scored
    model = entity_model(columns, pairs, levels, pair_model, start)
    near = pairs[scores.total > -3]
    found = partita.sample(
        model,
        start,
        mode="map",
        proposal=mixture([gibbs_neighbour(near, 1500), split_merge_neighbour(near, 1500)], [9, 1]),
        temperature=partita.cooling(1.0, 0.1),
        steps=30_000,
        draws=20,
        chains=1,
        random_seed=1,
    )
    before, after = evaluate(start.entity, truth), evaluate(found.map().entity, truth)
    assert after.pairwise.f1 > before.pairwise.f1 - 0.01
    assert after.pairwise.f1 > 0.85


def test_the_same_seed_clusters_alike(scored, start):
    _, pairs, _, _, scores, truth = scored
    again = correlation_clustering(pairs, scores.total, len(truth))
    np.testing.assert_array_equal(again.entity, start.entity)


def test_bad_scores_are_named():
    with pytest.raises(InputError, match="2 scores for 1 pairs"):
        correlation_clustering([[0, 1]], [1.0, 2.0], 3)
    assert correlation_clustering([[0, 1]], [-9.0], 3).live[0] == 3
    with pytest.raises(InputError, match="shape"):
        entity_model([], [[0, 1]], np.zeros((1, 2), np.int8), EMPTY, Partition.singletons(2))


def test_contradicted_counts_certain_pairs_that_are_split():
    pairs = np.array([[0, 1], [1, 2], [3, 4], [4, 5], [0, 5]])
    scores = SURE_LOG_ODDS + np.array([1, 2, 1, -1, 5])
    problem = Problem(pairs, scores, 6)
    start = Partition.of([0, 0, 0, 1, 1, 1])
    # of three sure pairs that the start joins, one is split; the last is apart in the start
    found = Partition.of([0, 0, 2, 1, 1, 3])
    assert share_of_sure_pairs_split(problem, start, found) == pytest.approx(1 / 3)
    assert share_of_sure_pairs_split(problem, start, start) == 0.0
    assert share_of_sure_pairs_split(problem, Partition.singletons(6), found) == 0.0


def test_whole_entities_become_one_and_only_doubtful_records_are_searched():
    ones = np.array([[a, b] for a in range(6) for b in range(a + 1, 6)] + [[6, 7]])
    problem = Problem(ones, np.append(np.full(15, 50.0), 0.2), 8)
    # no single record leaves its half, which a merge of both gains by
    start = Partition.of([0, 0, 0, 1, 1, 1, 2, 2])
    best, uncertain = find_best_entities(problem, problem.pair_model(), start, 0)
    assert np.unique(best.entity[:6]).size == 1
    assert uncertain.tolist() == [6, 7]


def test_a_search_moves_only_the_records_that_it_is_given():
    problem = Problem(np.array([[0, 1], [2, 3]]), np.array([9.0, 9.0]), 4)
    apart = Partition.singletons(4)
    found = problem.search(problem.pair_model(), apart, among=np.array([0]))
    assert found.entity[0] == found.entity[1]
    assert found.entity[2] != found.entity[3]


@pytest.fixture(scope="module")
def resolved():
    return resolve(persons(300)[0], seed=7)


def test_records_with_a_possible_partner_are_active(resolved):
    scored, prepared = resolved.scored, resolved.prepared
    active = find_active_set(scored, prepared, resolved.constraints, Settings())
    linked = {int(i) for pair in scored.pairs[scored.linked()] for i in pair}
    assert set(active.numbering.wide.tolist()) == linked
    assert (np.flatnonzero(active.numbering.narrow >= 0) == active.numbering.wide).all()
    assert (active.numbering.narrow[active.numbering.wide] == np.arange(active.n)).all()
    assert set(resolved.marginals.active.wide.tolist()) <= linked


def test_all_others_are_alone(resolved):
    active = find_active_set(resolved.scored, resolved.prepared, resolved.constraints, Settings())
    whole = active.extend(Partition.of(np.zeros(active.n, np.int64)))
    sizes = whole.size[whole.entity]
    assert (sizes[active.numbering.wide] == active.n).all()
    assert (np.delete(sizes, active.numbering.wide) == 1).all()
    settled = np.delete(np.arange(resolved.prepared.n), resolved.marginals.active.wide)
    labels = resolved.labels[resolved.first_rows]
    assert (np.bincount(labels)[labels[settled]] == 1).all()


def test_records_of_constraints_are_active(resolved):
    settled = np.setdiff1d(np.arange(resolved.prepared.n), resolved.marginals.active.wide)
    rows = resolved.first_rows[settled[:2]]
    one, other = resolved.records.ids.take(rows).to_pylist()
    found = resolve(persons(300)[0], constraints=rules((one, other, "must")), seed=7, draws=4)
    assert np.isin(found.distinct_ids[rows], found.marginals.active.wide).all()


def test_the_problem_has_the_pairs_of_active_records(resolved):
    active = find_active_set(resolved.scored, resolved.prepared, resolved.constraints, Settings())
    problem = active.make_problem(resolved.scored)
    pairs = resolved.scored.pairs
    kept = np.isin(pairs, active.numbering.wide).all(1)
    np.testing.assert_array_equal(active.numbering.wide[problem.pairs], pairs[kept])
    np.testing.assert_array_equal(problem.scores, resolved.scored.scores.total[kept])
    assert (
        problem.required is None and active.exclusive_sources is None and not active.has_pairs_only
    )
