"""Values of members and numbers of distinct values: both stores agree after every move."""

import numpy as np
import pytest

from partita.factors import aggregates, average, distinct, every, over_values
from partita.factors.predicates import values as aggregates_values
from partita.factors.stores import DENSE, SPARSE
from partita.states import Partition
from tests.factors.probe import Probe, follows, groups_of

N = 14


def kinds(sets, cuts):
    def phi(labels):
        found = np.zeros(len(cuts) + 1)
        for members in groups_of(labels):
            many = len(set().union(*(sets[i] for i in members)))
            if any(sets[i] for i in members):
                found[sum(cut <= many for cut in cuts)] += 1
        return found

    return phi


@pytest.mark.parametrize("store", ["dense", "sparse"])
def test_numbers_of_kinds_follow_the_twin(monkeypatch, store):
    monkeypatch.setattr(aggregates_values, "DENSE_CELLS", 1 << 20 if store == "dense" else 0)
    assert aggregates_values.store_for(N, 9) is (DENSE if store == "dense" else SPARSE)
    rng = np.random.default_rng(4)
    sets = [[f"w{k}" for k in rng.integers(0, 9, rng.integers(0, 4))] for _ in range(N)]
    asked = distinct(over_values("words", sets), cuts=(2, 4), weight=(0.5, 0.0, -1.0))
    probe = Probe(*aggregates(asked))
    start = Partition.of(rng.integers(0, 4, N))
    assert follows(probe, kinds(sets, (2, 4)), start, 2, moves=80) > 0


def test_numbers_of_members_are_averaged():
    years = np.array([1.0, 2.0, np.nan, 4.0])
    over = over_values("year", years)
    probe = Probe(*aggregates(average(over), every(over, below=3.0)))

    def phi(labels):
        found = np.zeros(2)
        for members in groups_of(labels):
            known = years[members][~np.isnan(years[members])]
            if known.size:
                found += [known.mean(), float((known < 3).all())]
        return found

    assert follows(probe, phi, Partition.singletons(4), 1, moves=40) > 0
