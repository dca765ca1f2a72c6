"""Piecewise training: pieces are the changes of merges, and known weights are recovered."""

import itertools

import numpy as np
import pytest

from partita.errors import InputError
from partita.factors import (
    Model,
    affinity,
    aggregates,
    average,
    count,
    entity_cost,
    lowest,
    over_pairs,
)
from partita.learning import Pieces, piecewise, sample_pieces
from partita.walks import greedy_merges
from tests.laws import naive
from tests.laws.aggregate_cases import pairs_known, twin


def all_pairs(n):
    return np.array(list(itertools.combinations(range(n), 2)))


def generated(seed, entities=8):
    """Generate mentions around the points of their entities, and their similarities."""
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(entities), rng.integers(1, 6, entities))
    place = 3.0 * truth + rng.normal(size=truth.size) * 0.4
    alike = np.round(64 / (1.0 + np.abs(place[:, None] - place))) / 64
    return truth, alike


def models(alike):
    n = len(alike)
    over = over_pairs("alike", alike)
    asked = [lowest(over, (0.3, 0.5)), count(over, below=0.5), average(over, each="member")]
    pairs = all_pairs(n)
    weak = Model(affinity(pairs, alike[pairs[:, 0], pairs[:, 1]] - 0.5, n))
    return Model(*aggregates(*asked), entity_cost(0.0)), weak, asked


def test_known_weights_come_back():
    rng = np.random.default_rng(5)
    weights = np.array([1.5, -2.0, 0.5])
    rows = rng.normal(size=(20_000, 3)) * [1.0, 0.5, 4.0]
    right = rng.random(20_000) < 1 / (1 + np.exp(-rows @ weights))
    found = piecewise(Pieces(["a", "b", "c"], rows, right), l2=1e-6)
    np.testing.assert_allclose(found.weights, weights, atol=0.1)
    assert found.named()["a"] == pytest.approx(found.weights[0])


def test_weights_are_pulled_to_what_is_known():
    rows, right = np.array([[1.0, 0.0], [-1.0, 0.0]]), np.array([True, False])
    pieces = Pieces(["a", "b"], rows, right)
    found = piecewise(pieces, l2=1e6, toward={"b": 3.0})
    np.testing.assert_allclose(found.weights, [0.0, 3.0], atol=1e-3)
    with pytest.raises(InputError, match="'c', which is not a feature"):
        piecewise(pieces, toward={"c": 1.0})


def phi_of(asked, alike):
    return naive.together(twin(asked, pairs_known(alike)), naive.entity_count)


def test_a_merge_asks_what_the_twin_says_it_changes():
    truth, alike = generated(2, 4)
    model, weak, asked = models(alike)
    n, phi = truth.size, phi_of(asked, alike)
    pieces = sample_pieces(model, weak, all_pairs(n), truth)
    for row, (a, b) in zip(pieces.change, all_pairs(n), strict=False):
        labels = np.arange(n)
        labels[b] = a
        np.testing.assert_allclose(row, phi(labels) - phi(np.arange(n)), atol=1e-9)
    singles = len(all_pairs(n))
    np.testing.assert_array_equal(
        pieces.right[:singles], truth[all_pairs(n)[:, 0]] == truth[all_pairs(n)[:, 1]]
    )
    assert len(pieces.right) > singles


def test_an_entity_asks_about_all_its_mentions():
    truth, alike = generated(2, 4)
    model, weak, asked = models(alike)
    phi, n = phi_of(asked, alike), truth.size
    pieces = sample_pieces(model, weak, all_pairs(n), truth, kind="entity")
    possible = set()
    for size in range(2, n + 1):
        for members in itertools.combinations(range(n), size):
            labels = np.arange(n)
            labels[list(members)] = members[0]
            pure = len(set(truth[list(members)])) == 1
            change = phi(labels) - phi(np.arange(n))
            possible.add((*np.round(change, 6).tolist(), pure))
    for row, right in zip(pieces.change, pieces.right, strict=True):
        assert (*np.round(row, 6).tolist(), bool(right)) in possible


def test_what_is_learned_finds_entities_of_other_data():
    pieces = []
    for seed in range(4):
        truth, alike = generated(seed)
        model, weak, _ = models(alike)
        pieces.append(sample_pieces(model, weak, all_pairs(truth.size), truth))
    trained = piecewise(pieces, l2=0.1)
    truth, alike = generated(11)
    model = models(alike)[0].set_weights(trained.weights)
    found = greedy_merges(model, all_pairs(truth.size), n=truth.size).state.entity
    same, true = found[:, None] == found, truth[:, None] == truth
    assert (same == true).mean() > 0.97


def test_alternatives_are_drawn_by_the_seed():
    truth, alike = generated(3)
    model, weak, _ = models(alike)
    options = {"alternatives": 2, "random_seed": 4}
    one, two = (
        sample_pieces(model, weak, all_pairs(truth.size), truth, **options) for _ in range(2)
    )
    np.testing.assert_array_equal(one.change, two.change)
    everything = sample_pieces(model, weak, all_pairs(truth.size), truth)
    assert len(one.right) < len(everything.right)


def test_bad_input_is_named():
    truth, alike = generated(3)
    model, weak, _ = models(alike)
    pairs = all_pairs(truth.size)
    with pytest.raises(InputError, match="kind is 'triple'"):
        sample_pieces(model, weak, pairs, truth, kind="triple")
    with pytest.raises(InputError, match="give pairs of mentions"):
        sample_pieces(model, weak, np.zeros((0, 2), int), truth)
    with pytest.raises(InputError, match="there are no pieces"):
        piecewise([])
    pieces = Pieces(["a"], np.ones((2, 1)), np.array([True, True]))
    with pytest.raises(InputError, match="all 2 sets of mentions are right"):
        piecewise(pieces)
    constant = Pieces(["a"], np.zeros((2, 1)), np.array([True, False]))
    with pytest.raises(InputError, match="every feature is constant"):
        piecewise(constant)
    with pytest.raises(InputError, match="l2 is -1"):
        piecewise(pieces, l2=-1)
    other = Pieces(["b"], np.ones((2, 1)), np.array([True, False]))
    with pytest.raises(InputError, match="different features"):
        piecewise([pieces, other])


def test_pairs_alone_can_be_asked():
    truth, alike = generated(3, 4)
    model, weak, _ = models(alike)
    pieces = sample_pieces(model, weak, all_pairs(truth.size), truth, kind="pair")
    assert len(pieces.right) == len(all_pairs(truth.size))
