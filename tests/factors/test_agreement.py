import sys

import numpy as np
import pytest
from scipy import sparse

from partita.factors import Model, agreement
from partita.kernel import EXAMINED
from partita.states import Partition, Regroup
from tests.factors.probe import Probe, follows, pairs_of
from tests.states.moves import block_move

N = 9
RNG = np.random.default_rng(11)
CITY = np.array(["x", "y", None, "x", "", "y", "x", "z", "x"], object)
YEAR = np.array([3, 3, -1, 4, 4, 3, -1, 3, 4])
HEIGHT = np.array([1.5, np.nan, 1.5, 2.0, 1.5, np.nan, 2.0, 2.0, 1.5])
WORDS = RNG.normal(size=(N, 6)) * (RNG.random((N, 6)) < 0.5)
COLUMNS = {"city": CITY, "year": YEAR, "height": HEIGHT}
HAVE = {
    "city": np.array([v not in (None, "") for v in CITY]),
    "year": YEAR >= 0,
    "height": ~np.isnan(HEIGHT),
}
SETTINGS = {"match": 2.0, "mismatch": -1.5, "missing": 0.25, "dot": 0.5}


def phi(entity):
    found = []
    pairs = pairs_of(entity)
    for name, values in COLUMNS.items():
        have = HAVE[name]
        known = [(i, j) for i, j in pairs if have[i] and have[j]]
        match = sum(values[i] == values[j] for i, j in known)
        found += [match, len(known) - match, len(pairs) - len(known)]
    return np.array([*found, sum(WORDS[i] @ WORDS[j] for i, j in pairs)])


@pytest.fixture(scope="module", params=["dense", "sparse"])
def probe(request):
    bags = {"words": WORDS if request.param == "dense" else sparse.coo_array(WORDS)}
    return Probe(agreement(COLUMNS, bags, storage=request.param, **SETTINGS))


@pytest.mark.parametrize("seed", range(8))
def test_sums_give_the_score_of_all_pairs(probe, seed):
    # values of bags are rounded to a grid of 2**-24 of the largest
    start = Partition.of(np.random.default_rng(seed).integers(0, 3, N))
    assert follows(probe, phi, start, seed, moves=40, tolerance=1e-5) > 5


def test_features_and_weights(probe):
    named = probe.model.named()
    assert list(named)[:3] == [
        *("agreement.city:match", "agreement.city:mismatch", "agreement.city:missing"),
    ]
    assert [named[f"agreement.{c}:match"] for c in COLUMNS] == [2.0] * 3
    assert [named[f"agreement.{c}:mismatch"] for c in COLUMNS] == [-1.5] * 3
    assert [named[f"agreement.{c}:missing"] for c in COLUMNS] == [0.25] * 3
    assert named["agreement.words:dot"] == 0.5


def test_cost_does_not_grow_with_entities(probe):
    probe.start(Partition.one_entity(N))
    probe.advance(block_move(probe.state, [1, 4, 6], 1))
    probe.advance(Regroup(0, 0, 1, 1))
    assert probe.context.status[EXAMINED] == 4


def test_sums_come_back_bit_for_bit(probe):
    probe.start(Partition.singletons(N))
    store = probe.context.tables[0].bags
    before = [array.copy() for array in (store.mass, store.acc)]
    for mention in (3, 5, 8, 2):
        probe.advance(Regroup(mention, mention, 0, 1))
    for mention in (5, 2, 8, 3):
        probe.advance(Regroup(mention, 0, int(probe.state.ids[probe.state.live[0]]), 1))
    after = probe.context.tables[0].bags
    # ids are recycled, so entities are compared by their only member
    assert after.mass[probe.state.entity].tolist() == before[0][np.arange(N)].tolist()
    assert follows(probe, phi, Partition.singletons(N), 1, tolerance=1e-5) > 0


def test_storage_is_chosen_by_size(monkeypatch):
    small = agreement({"a": [0, 1, 1]})
    assert Model(small).tables(Partition.singletons(3))[0].bags.store._fields == ("sums",)
    monkeypatch.setattr(sys.modules["partita.factors.agreement"], "DENSE_CELLS", 5)
    large = agreement({"a": [0, 1, 1]})
    assert "pool" in Model(large).tables(Partition.singletons(3))[0].bags.store._fields


def test_a_column_without_any_value_is_all_missing():
    probe = Probe(agreement({"empty": [-1, -1, -1]}, missing=-0.5)).start(Partition.singletons(3))
    score, change = probe.advance(Regroup(1, 1, 0, 1))
    assert score == -0.5
    assert change.tolist() == [0.0, 0.0, 1.0]
