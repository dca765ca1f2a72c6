import numpy as np
import pytest

from partita.estimators import exact
from partita.factors import Model, affinity, repulsion
from partita.kernel import EXAMINED
from partita.proposals import move_to_entity
from partita.states import Partition, Regroup
from partita.walks import compile_chain, total_score, total_statistics
from tests.factors.probe import Probe, follows, random_pairs
from tests.states.moves import block_move

N = 8
RNG = np.random.default_rng(5)
PAIRS = random_pairs(RNG, N)
ONE = RNG.normal(size=len(PAIRS))
TWO = RNG.normal(size=(len(PAIRS), 2))


def together(pairs, values, sign=1.0):
    rows = np.asarray(values, float).reshape(len(pairs), -1)

    def phi(entity):
        joined = entity[pairs[:, 0]] == entity[pairs[:, 1]]
        # repulsion counts split pairs, up to a constant that no move changes
        return rows[joined].sum(0) if sign > 0 else rows[~joined].sum(0)

    return phi


@pytest.fixture(scope="module")
def single():
    return Probe(affinity(PAIRS, ONE, N, weights=0.7))


@pytest.mark.parametrize("seed", range(6))
def test_affinity_sums_pairs_of_one_entity(single, seed):
    start = Partition.of(np.random.default_rng(seed).integers(0, 3, N))
    assert follows(single, together(PAIRS, ONE), start, seed) > 3


@pytest.fixture(scope="module")
def both():
    names = {"features": ("a", "b"), "weights": [0.5, -2.0]}
    return Probe(affinity(PAIRS, TWO, N, **names), repulsion(PAIRS, ONE, N))


@pytest.mark.parametrize("seed", range(6))
def test_two_kinds_with_two_features(both, seed):
    phi, psi = together(PAIRS, TWO), together(PAIRS, ONE, -1.0)
    start = Partition.of(np.random.default_rng(seed).integers(0, 3, N))
    assert follows(both, lambda e: np.r_[phi(e), psi(e)], start, seed) > 3


def test_hand_worked():
    model = Model(affinity([[0, 1], [2, 1]], [1.0, 10.0], 3, weights=2.0))
    compiled = compile_chain(model, move_to_entity(), exact())
    for labels, value in (([0, 0, 0], 11.0), ([0, 0, 1], 1.0), ([0, 1, 1], 10.0), ([0, 1, 0], 0)):
        goal = Partition.of(labels)
        assert total_score(model, exact(), compiled, goal) == 2 * value
        assert total_statistics(model, exact(), compiled, goal).tolist() == [value]


def test_only_listed_pairs_are_examined(single):
    degree = np.bincount(PAIRS.reshape(-1), minlength=N)
    single.start(Partition.singletons(N))
    single.advance(Regroup(3, 3, 0, 1))
    assert single.context.status[EXAMINED] == degree[3]
    single.start(Partition.one_entity(N))
    single.advance(block_move(single.state, [2, 5, 7], 1))
    assert single.context.status[EXAMINED] == degree[[2, 5, 7]].sum()


def test_the_bound_is_the_largest_pair():
    bounds = Model(affinity(PAIRS, TWO, N, features=("a", "b"), weights=[1.0, -3.0])).bounds()
    assert bounds.tolist() == [np.abs(TWO @ [1.0, -3.0]).max()]
    assert Model(affinity([], [], 3)).bounds().tolist() == [0.0]
