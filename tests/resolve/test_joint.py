"""From generated people to entities: candidates, pair model, clustering, entity model."""

import numpy as np
import pytest

import partita
from partita.errors import InputError
from partita.metrics import evaluate
from partita.proposals import gibbs_neighbour, mixture, split_merge_neighbour
from partita.records import profile, read
from partita.records.blocking import candidates
from partita.records.compare import Comparisons
from partita.resolve import PairModel, correlation_clustering, entity_model, fit_pairs
from partita.states import Partition
from partita.synthetic import Population, people

pytestmark = pytest.mark.compiled

EMPTY = PairModel([], [], [], [], [], [], 0.1, [], True, 1, [])


@pytest.fixture(scope="module")
def scored():
    # members of a household share too much for independent columns; that is a problem of its own
    table = people(1500, seed=4, population=Population(household=0.0)).table()
    truth = table.column("entity").to_numpy()
    records = read(table.drop_columns(["entity"]))
    kept = [one for one in profile(records) if one.scored]
    columns = [records.column(one.name) for one in kept]
    pairs = candidates({column.name: column for column in columns}).pairs.astype(np.int64)
    compared = Comparisons(columns, [one.kind for one in kept])
    levels = compared.levels(pairs)
    model = fit_pairs(
        columns, [o.kind for o in kept], pairs, records.n, comparisons=compared, levels=levels
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
