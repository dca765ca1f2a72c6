"""Greedy merging equals a twin that scores everything again; look-ahead leaves a trap."""

import itertools

import numpy as np
import pytest

from partita.errors import InputError, ModelError
from partita.factors import (
    Model,
    affinity,
    aggregates,
    entities_prior,
    entity_cost,
    lowest,
    over_pairs,
    size_prior,
    unary,
)
from partita.posterior import sample
from partita.walks import greedy_merges


def all_pairs(n):
    return np.array(list(itertools.combinations(range(n), 2)))


def scored(matrix, labels, cuts, weights, cost):
    """The score of a partition from scratch: pairs, the bucket of the lowest pair, and a cost."""
    total = 0.0
    for e in np.unique(labels):
        members = np.flatnonzero(labels == e)
        values = [matrix[i, j] for i, j in itertools.combinations(members, 2)]
        total += sum(values) - cost - 0.4 * len(values)
        if values:
            total += weights[sum(cut <= min(values) for cut in cuts)]
    return total


def naive_greedy(score, pairs, labels):
    """Score every merge of every round, from scratch."""
    merges = []
    while True:
        here, best = score(labels), (0.0, None)
        for a, b in pairs:
            if labels[a] != labels[b]:
                merged = np.where(labels == labels[b], labels[a], labels)
                best = max(best, (score(merged) - here, (int(a), int(b))), key=lambda one: one[0])
        if best[0] <= 1e-12:
            return labels, merges
        a, b = best[1]
        merges.append(best[0])
        labels = np.where(labels == labels[b], labels[a], labels)


def problem(seed, n=9):
    rng = np.random.default_rng(seed)
    matrix = np.round(rng.random((n, n)) * 64) / 64
    matrix = np.triu(matrix, 1) + np.triu(matrix, 1).T
    pairs, cuts = all_pairs(n), (0.2, 0.6)
    weights, cost = rng.normal(size=3), -0.15
    model = Model(
        affinity(pairs, matrix[pairs[:, 0], pairs[:, 1]] - 0.4, n),
        *aggregates(lowest(over_pairs("alike", matrix), cuts, weight=weights)),
        entity_cost(cost),
    )
    near = pairs[rng.random(len(pairs)) < 0.7]
    return model, near, lambda labels: scored(matrix, labels, cuts, weights, cost)


@pytest.mark.parametrize("seed", [0, 1, 2, 3, 5])
def test_it_equals_scoring_every_merge_of_every_round(seed):
    model, near, score = problem(seed)
    found = greedy_merges(model, near, n=9)
    labels, gains = naive_greedy(score, near, np.arange(9))
    together = labels[:, None] == labels[None]
    mine = found.state.entity
    np.testing.assert_array_equal(mine[:, None] == mine[None], together)
    assert found.gain == pytest.approx(sum(gains))
    assert found.gain == pytest.approx(score(mine) - score(np.arange(9)))
    assert len(found.merges) == len(gains) > 0


def test_only_merges_of_the_new_entity_are_scored_again():
    n = 40
    pairs = np.array([(i, i + 1) for i in range(0, n - 1)])
    values = np.where(np.arange(n - 1) % 2 == 0, 1.0, -1.0)
    found = greedy_merges(Model(affinity(pairs, values, n)), pairs, n=n)
    assert len(found.merges) == n // 2
    # the list once, and for each merge at most two neighbours, itself, and its gain
    assert found.scored <= len(pairs) + 4 * len(found.merges)


def test_entities_outside_a_canopy_stay_apart():
    model = Model(affinity(all_pairs(4), np.ones(6), 4))
    found = greedy_merges(model, [[0, 1], [2, 3]], n=4)
    assert len(set(found.state.entity.tolist())) == 2


@pytest.mark.interpreted
@pytest.mark.parametrize("deep", [1, 2])
def test_look_ahead_leaves_a_trap(deep):
    """Two or three together lose, all of them gain: no single merge looks worth it."""
    n = deep + 2
    sizes = np.array([0.0, 0.0, *[-2.0] * deep, 3.0])
    model = Model(size_prior(sizes), affinity(all_pairs(n + 1), np.zeros(n * (n + 1) // 2), n + 1))
    assert greedy_merges(model, all_pairs(n), n=n + 1, look_ahead=deep - 1).gain == 0.0
    found = greedy_merges(model, all_pairs(n), n=n + 1, look_ahead=deep)
    assert found.gain == pytest.approx(3.0)
    assert len(set(found.state.entity[:n].tolist())) == 1


def test_look_ahead_takes_the_better_of_two_ways():
    """Greedily 0 joins 1, which 2 and 3 then cannot join; together 0, 2 and 3 gain more."""
    pairs = all_pairs(4)
    values = np.array([1.0, 0.8, 0.8, -9.0, -9.0, 0.8])
    model = Model(affinity(pairs, values, 4))
    assert greedy_merges(model, pairs, n=4).gain == pytest.approx(1.8)
    assert greedy_merges(model, pairs, n=4, look_ahead=1).gain == pytest.approx(2.4)


@pytest.mark.parametrize("seed", range(3))
def test_look_ahead_follows_its_twin(seed):
    model, near, score = problem(seed, n=6)

    def value(labels, a, b, depth):
        merged = np.where(labels == labels[b], labels[a], labels)
        gain, rest = score(merged) - score(labels), [0.0]
        if depth:
            for c, d in near:
                mixed = (merged[c] == merged[a]) != (merged[d] == merged[a])
                rest += [value(merged, c, d, depth - 1)] if mixed else []
        return gain + max(rest)

    labels = np.arange(6)
    while True:
        open_pairs = [(a, b) for a, b in near if labels[a] != labels[b]]
        values = [value(labels, a, b, 2) for a, b in open_pairs]
        if not values or max(values) <= 1e-12:
            break
        a, b = open_pairs[int(np.argmax(values))]
        labels = np.where(labels == labels[b], labels[a], labels)
    found = greedy_merges(model, near, n=6, look_ahead=2)
    assert found.gain == pytest.approx(score(labels) - score(np.arange(6)))


def test_a_prior_on_the_number_of_entities_is_noticed():
    n = 5
    pairs = all_pairs(n)
    # every merge gains 0.5 by itself, but fewer than three entities cost more than that
    prior = np.array([-9.0, -9.0, -9.0, 0.0, 0.0, 0.0])
    model = Model(affinity(pairs, np.full(len(pairs), 0.5), n), entities_prior(prior))
    found = greedy_merges(model, pairs, n=n)
    assert len(set(found.state.entity.tolist())) == 3


@pytest.mark.interpreted
def test_the_result_is_a_start():
    model, near, _ = problem(1)
    found = greedy_merges(model, near, n=9)
    after = sample(model, found.state, draws=20, tune=0, chains=1, random_seed=0, progressbar=False)
    assert after is not None


def test_bad_input_is_named():
    model = Model(entity_cost(1.0))
    with pytest.raises(InputError, match="no start"):
        greedy_merges(model, [[0, 1]])
    with pytest.raises(InputError, match="look_ahead is -1"):
        greedy_merges(model, [[0, 1]], n=2, look_ahead=-1)
    with pytest.raises(InputError, match="outside"):
        greedy_merges(model, [[0, 5]], n=2)
    with pytest.raises(ModelError, match="Labels cannot be merged"):
        greedy_merges(Model(unary(np.ones((2, 1)), 2)), [[0, 1]], n=2)
