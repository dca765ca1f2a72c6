import math
from typing import NamedTuple

import numpy as np
import pytest

from partita.errors import ModelError
from partita.factors import Model, cluster_score, similarity
from partita.factors.similarity import touched
from partita.kernel import EXAMINED, entry, kernel
from partita.states import Partition, Regroup
from tests.factors.probe import Probe, follows, groups_of, pairs_of
from tests.states.moves import block_move

N = 7
POINTS = np.random.default_rng(2).normal(size=(N, 2))


class Places(NamedTuple):
    x: np.ndarray
    y: np.ndarray


def near(points, i, j):
    return 1.0 - abs(points[i, 0] - points[j, 0])


def both_axes(places, i, j):
    return abs(places.x[i] - places.x[j]), places.y[i] * places.y[j]


def spread(points, members):
    low, high = points[members[0], 0], points[members[0], 0]
    for m in members:
        low = min(low, points[m, 0])
        high = max(high, points[m, 0])
    return low - high - 0.5


PLACES = Places(POINTS[:, 0].copy(), POINTS[:, 1].copy())


@pytest.fixture(scope="module")
def probe():
    return Probe(
        similarity(near, POINTS, N, weights=1.5),
        similarity(both_axes, PLACES, N, features=("gap", "product"), weights=[-1.0, 0.3]),
        cluster_score(spread, POINTS, N, weight=2.0),
    )


def phi(entity):
    pairs = pairs_of(entity)
    gaps = [abs(POINTS[i, 0] - POINTS[j, 0]) for i, j in pairs]
    return np.array(
        [
            sum(1.0 - gap for gap in gaps),
            sum(gaps),
            sum(POINTS[i, 1] * POINTS[j, 1] for i, j in pairs),
            sum(-np.ptp(POINTS[members, 0]) - 0.5 for members in groups_of(entity)),
        ]
    )


@pytest.mark.parametrize("seed", range(8))
def test_functions_are_summed_over_pairs_and_entities(probe, seed):
    start = Partition.of(np.random.default_rng(seed).integers(0, 3, N))
    assert follows(probe, phi, start, seed) > 3


@entry
def touched_pair(state, move, k):
    return touched(state, move, k)


def test_every_touched_pair_comes_once(probe):
    state = Partition.of([0, 0, 0, 0, 1, 1, 2])
    for move in (Regroup(1, 0, 1, 1), block_move(state, [3, 0], 1)):
        block = [1] if move.many == 1 else [3, 0]
        stay = [m for m in range(4) if m not in block]
        expected = {(b, s, -1.0) for b in block for s in stay}
        expected |= {(b, t, 1.0) for b in block for t in (4, 5)}
        found = [touched_pair(state, move, k) for k in range(len(expected))]
        assert set(found) == expected
    probe.start(Partition.of([0, 0, 0, 0, 1, 1, 2]))
    probe.advance(block_move(probe.state, [3, 0], 1))
    assert probe.context.status[EXAMINED] == 2 * 4 + 2 * 4 + 2


def test_a_function_that_cannot_be_compiled_becomes_a_table():
    names = ["anna", "ana", "bob", "rob"]
    calls = []

    def shared(data, i, j):
        calls.append((i, j))
        return float(len(set(data[i]) & set(data[j])))

    template = similarity(shared, names, 4, pairs=[[0, 1], [2, 3], [0, 2]], name="letters")
    assert calls == [(0, 1), (2, 3), (0, 2)]
    probe = Probe(template)
    probe.start(Partition.singletons(4))
    assert probe.advance(Regroup(1, 1, 0, 1))[0] == 2.0
    assert probe.advance(Regroup(3, 3, 0, 1))[0] == 0.0
    assert probe.advance(Regroup(2, 2, 0, 1))[0] == 2.0
    assert len(calls) == 3


def test_two_features_computed_once():
    template = similarity(
        lambda data, i, j: (float(i + j), 1.0),
        None,
        3,
        features=("sum", "one"),
        weights=[1.0, 5.0],
        pairs=[[0, 2], [1, 2]],
    )
    probe = Probe(template).start(Partition.singletons(3))
    assert probe.advance(Regroup(0, 0, 2, 1))[0] == 7.0


def test_a_kernel_may_be_given_as_the_function():
    template = similarity(kernel(near), POINTS, N)
    probe = Probe(template).start(Partition.singletons(N))
    assert probe.advance(Regroup(0, 0, 1, 1))[0] == pytest.approx(near(POINTS, 0, 1))


def test_a_bound_is_passed_on():
    assert Model(similarity(near, POINTS, N, bound=3.0)).bounds().tolist() == [3.0]
    assert Model(similarity(near, POINTS, N)).bounds().tolist() == [math.inf]


def test_one_mention_has_no_pair():
    def undefined(points, i, j):
        return points[i, 0] / (i - j)

    template = similarity(undefined, POINTS, 1)
    assert template.features == ("score",)


@pytest.mark.compiled
def test_the_line_that_does_not_compile_is_named():
    def words(data, i, j):
        found = {"a": 1}
        return float(len(found))

    with pytest.raises(ModelError, match=r"test_similarity.py line \d+.*pass pairs="):
        similarity(words, POINTS, N)
