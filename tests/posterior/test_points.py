import itertools

import numpy as np
import pytest

from partita.errors import InputError
from partita.posterior import points
from partita.posterior.points import (
    binder_partition,
    count_pairs,
    find_varying,
    remove_unsupported,
    signatures,
)
from partita.states.partition import canonical, growth_strings

N = 5


def random_draws(seed, draws=40):
    rng = np.random.default_rng(seed)
    base = rng.integers(0, 3, N)
    rows = [np.where(rng.random(N) < 0.6, base, rng.integers(0, 4, N)) for _ in range(draws)]
    return np.array([canonical(row) for row in rows], np.int32)


def loss(draws, labels, join):
    """Expected Binder loss: wrongly together costs join, wrongly apart 1 - join."""
    total = 0.0
    for i, j in itertools.combinations(range(N), 2):
        p = (draws[:, i] == draws[:, j]).mean()
        total += (1 - p) * join if labels[i] == labels[j] else p * (1 - join)
    return total


@pytest.mark.parametrize("join", [0.2, 0.5, 0.8])
@pytest.mark.parametrize("seed", range(4))
def test_the_point_is_the_best_of_all_partitions(seed, join):
    draws = random_draws(seed)
    least = min(loss(draws, labels, join) for labels in growth_strings(N))
    found = binder_partition(draws, join)
    assert loss(draws, found.entity, join) == pytest.approx(least)


def test_pairs_are_counted_once_per_draw():
    draws = np.array([[0, 0, 0, 1], [0, 1, 0, 1], [0, 1, 2, 3]], np.int32)
    pairs, p = count_pairs(draws)
    found = dict(zip(map(tuple, pairs.tolist()), p.tolist(), strict=True))
    third = pytest.approx(1 / 3)
    assert found == {(0, 1): third, (0, 2): pytest.approx(2 / 3), (1, 2): third, (1, 3): third}


def test_draws_without_any_pair():
    draws = np.arange(4, dtype=np.int32)[None]
    assert count_pairs(draws)[0].shape == (0, 2)
    assert binder_partition(draws).entity.tolist() == [0, 1, 2, 3]


def test_the_same_draws_give_the_same_point():
    draws = random_draws(9)
    first, again = binder_partition(draws), binder_partition(draws)
    assert first.entity.tolist() == again.entity.tolist()


def test_too_many_pairs(monkeypatch):
    monkeypatch.setattr(points, "MAX_PAIRS", 3)
    assert len(count_pairs(np.zeros((2, 3), np.int32))[0]) == 3
    with pytest.raises(InputError, match=r"join 6 pairs, more than 3; take the MAP state"):
        count_pairs(np.zeros((2, 4), np.int32))


def test_counting_in_pieces_changes_nothing(monkeypatch):
    draws = random_draws(3)
    whole = count_pairs(draws)
    monkeypatch.setattr(points, "PAIRS_PER_BUFFER", 1)
    for one, other in zip(whole, count_pairs(draws), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("join", [0.0, 1.0, -1.0, float("nan")])
def test_what_is_no_cost(join):
    with pytest.raises(InputError, match=r"the cost of joining is .*between 0 and 1"):
        binder_partition(random_draws(0), join)


def test_signatures_are_equal_for_equal_sets():
    one, other = np.array([0, 0, 1, 2, 2, 2]), np.array([5, 5, 3, 1, 1, 0])
    same = signatures(one) == signatures(other)
    assert same.tolist() == [True, True, True, False, False, False]


def test_only_mentions_whose_entity_changes_vary():
    draws = np.array([[0, 0, 1, 2, 3], [4, 4, 0, 0, 3], [1, 1, 0, 2, 5]], np.int32)
    assert find_varying(draws).tolist() == [2, 3]
    found = binder_partition(draws).entity
    assert found[0] == found[1]
    assert len(set(found[[0, 2, 3, 4]].tolist())) == 4


def test_records_without_support_leave_their_entity():
    """A record whose mean probability with the others is below the cost becomes a singleton."""
    pairs = np.array([[0, 1], [0, 2], [1, 2], [2, 3]])
    p = np.array([0.9, 0.4, 0.3, 0.8])
    labels = remove_unsupported(np.zeros(4, np.int64), pairs, p, 0.5)
    # 3 leaves first (mean .27), then 2 (mean .35); 0 and 1 stay
    assert labels[0] == labels[1]
    assert len(np.unique(labels)) == 3


def test_supported_entities_stay_whole():
    pairs = np.array([[0, 1], [0, 2], [1, 2]])
    labels = remove_unsupported(np.zeros(3, np.int64), pairs, np.array([0.9, 0.6, 0.45]), 0.5)
    assert len(np.unique(labels)) == 1
