import numpy as np
import pytest
from scipy import sparse

from partita.estimators import exact
from partita.factors import Model, pairwise, potential, unary
from partita.kernel import EXAMINED
from partita.proposals import flip
from partita.states import Labels, Relabel
from partita.walks import compile_chain, total_statistics
from tests.factors.probe import Probe, follows

N, L = 6, 3
RNG = np.random.default_rng(3)
SEEN = RNG.normal(size=(N, 4)) * (RNG.random((N, 4)) < 0.6)
EDGES = np.array([[0, 1], [2, 1], [3, 4], [0, 4], [4, 2], [1, 0]])
KIND = np.array([0, 1, 0, 1, 1, 0])
SCOPES = [[0, 1, 2], [3], [2, 5, 2]]
TABLE = RNG.normal(size=(3, 10))


def score(table, k, values):
    total = 0
    for v in values:
        total += v
    return table[k, total] * len(values)


def phi(label):
    by_label = np.zeros((L, 4))
    for v in range(N):
        by_label[label[v]] += SEEN[v]
    by_kind = np.zeros((2, L, L))
    for (a, b), kind in zip(EDGES, KIND, strict=True):
        by_kind[kind, label[a], label[b]] += 1
    own = sum(TABLE[k, label[s].sum()] * len(s) for k, s in enumerate(map(list, SCOPES)))
    return np.concatenate([by_label.ravel(), by_kind.ravel(), [own]])


@pytest.fixture(scope="module")
def probe():
    return Probe(
        unary(sparse.csr_array(SEEN), L, weights=RNG.normal(size=(L, 4))),
        pairwise(EDGES, L, kind=KIND, kinds=("near", "far"), weights=RNG.normal(size=(2, L, L))),
        potential(score, SCOPES, TABLE, weight=1.5),
    )


@pytest.mark.parametrize("seed", range(6))
def test_every_field_against_counts(probe, seed):
    start = Labels.of(np.random.default_rng(seed).integers(0, L, N), L)
    follows(probe, phi, start, seed, moves=40)


def test_only_what_touches_the_variable_is_examined(probe):
    probe.start(Labels.of([0] * N, L))
    probe.advance(Relabel(2, 0, 1))
    expected = np.count_nonzero(SEEN[2]) + (EDGES == 2).any(1).sum() + 2
    assert probe.context.status[EXAMINED] == expected


def test_names_and_weights():
    matrix = [[1.0, 2.0], [3.0, 4.0]]
    model = Model(
        unary(np.eye(2), ["off", "on"], features=["bias", "cue"], weights=matrix),
        pairwise([[0, 1]], ["off", "on"], weights=matrix),
    )
    assert model.weight("unary.on|bias") == 3.0
    assert model.weight("pairwise.edge:off|on") == 2.0
    # one matrix serves all kinds, or each kind has its own
    shared = pairwise([[0, 1]], 2, kind=[1], kinds=("a", "b"), weights=matrix)
    assert shared.weights.tolist() == [1.0, 2.0, 3.0, 4.0] * 2


def test_hand_worked():
    model = Model(pairwise([[0, 1], [1, 2]], 2, weights=[[5.0, 1.0], [2.0, 0.0]]))
    compiled = compile_chain(model, flip(), exact())
    # the origin has two edges 0|0; labels 1 0 1 have one edge 1|0 and one 0|1
    found = total_statistics(model, exact(), compiled, Labels.of([1, 0, 1], 2))
    assert found.tolist() == [-2.0, 1.0, 1.0, 0.0]


def test_variables_without_edges_or_scopes_may_follow():
    probe = Probe(pairwise([[0, 1]], 2, weights=1.0), potential(score, [[0]], TABLE))
    probe.start(Labels.of([0] * 5, 2))
    assert probe.advance(Relabel(4, 0, 1))[0] == 0.0


def test_bounds_hold_for_every_factor(probe):
    bounds = probe.model.bounds()
    weights = probe.model.weights
    grid, square = weights[:12].reshape(L, 4), weights[12:30].reshape(2, L, L)
    assert bounds[0] == pytest.approx((np.abs(SEEN) * np.ptp(grid, axis=0)).max())
    most = max(
        abs(square[k, a, b] - square[k, c, b]) for k in range(2) for a in range(L)
        for b in range(L) for c in range(L)
    )  # fmt: skip
    assert bounds[1] >= most
    assert bounds[2] == np.inf
    bounded = Model(potential(score, [[0]], TABLE, bound=2.0, weight=-3.0))
    assert bounded.bounds().tolist() == [6.0]
