"""Chances against counting the draws one by one."""

from types import SimpleNamespace

import numpy as np
import pytest

from partita.linkage.inference.marginals import Marginals
from partita.linkage.numbering import Numbering

N = 9
OPEN = np.array([0, 1, 3, 4, 6, 8])
LABELS = np.array([0, 0, 1, 0, 2, 3, 2, 4, 5])


@pytest.fixture(scope="module")
def draws():
    rng = np.random.default_rng(3)
    return rng.integers(0, 3, (2, 40, OPEN.size)).astype(np.int32)


class Counted(SimpleNamespace):
    """As much of a posterior as is asked, counted in the plainest way."""

    def p_same(self, pairs):
        flat = self.draws.reshape(-1, self.draws.shape[2])
        return np.array([(flat[:, a] == flat[:, b]).mean() for a, b in pairs])

    def entities(self):
        flat = self.draws.reshape(-1, self.draws.shape[2])
        many = [np.unique(draw).size for draw in flat]
        return {"mean": float(np.mean(many)), "low": float(min(many)), "high": float(max(many))}


@pytest.fixture(scope="module")
def marginals(draws):
    return Marginals(Numbering.of_subset(np.isin(np.arange(N), OPEN)), Counted(draws=draws))


def whole(draws):
    """Every draw as a partition of all records: those that are not open are alone."""
    for draw in draws.reshape(-1, draws.shape[2]):
        labels = 100 + np.arange(N)
        labels[OPEN] = draw
        yield labels


@pytest.mark.parametrize("copies", [np.ones(N, int), np.array([2, 1, 1, 3, 1, 2, 1, 1, 2])])
def test_members_and_clusters_are_those_of_the_draws(marginals, draws, copies):
    p_member, p_cluster = marginals.of(LABELS, copies)
    drawn = list(whole(draws))
    for i in range(N):
        own = set(np.flatnonzero(LABELS[i] == LABELS).tolist())
        others = [j for j in sorted(own) for _ in range(copies[j] - (j == i))]
        exact = np.mean([set(np.flatnonzero(d == d[i]).tolist()) == own for d in drawn])
        shares = [np.mean([d[j] == d[i] for j in others]) if others else exact for d in drawn]
        assert p_cluster[i] == pytest.approx(exact)
        assert p_member[i] == pytest.approx(exact if not others else np.mean(shares))
    assert 0 < p_cluster[0] < 1


def test_pairs_with_a_settled_record_are_apart(marginals, draws):
    pairs = np.array([[0, 1], [0, 2], [2, 5], [4, 8]])
    drawn = np.array(list(whole(draws)))
    expected = [(drawn[:, a] == drawn[:, b]).mean() for a, b in pairs]
    np.testing.assert_allclose(marginals.p_same(pairs), expected)
    assert marginals.p_same(np.zeros((0, 2), np.int64)).shape == (0,)


def test_settled_records_are_entities_of_their_own(marginals, draws):
    many = [np.unique(labels).size for labels in whole(draws)]
    assert marginals.entity_count() == pytest.approx((np.mean(many), min(many), max(many)))


def test_where_nothing_is_open():
    found = Marginals(Numbering.of_subset(np.zeros(4, bool)), None)
    assert found.entity_count() == (4.0, 4.0, 4.0)
    assert found.p_same(np.array([[0, 1]])).tolist() == [0.0]
    assert [one.tolist() for one in found.of(np.arange(4), np.ones(4, int))] == [[1.0] * 4] * 2
