import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.factors import agreement
from partita.factors.stores import DENSE, MIN_ORDER, SPARSE, Hashed, home, new_hashed
from partita.kernel import entry, new_pool
from partita.states import Partition
from tests.factors.probe import Probe, follows
from tests.factors.test_agreement import COLUMNS, SETTINGS, WORDS, N, phi


def entries(store):
    """The kernels of a store as functions that tests can call."""
    names = ("value", "bump", "length", "at", "empty", "room")
    kernels = {name: getattr(store, name) for name in names}
    return {name: entry(getattr(one, "py_func", one)) for name, one in kernels.items()}


KERNELS = {"dense": entries(DENSE), "sparse": entries(SPARSE)}
STORES = {"dense": DENSE, "sparse": SPARSE}
HOME = getattr(home, "py_func", home)


def tiny(n):
    """Hash tables in a pool with hardly any cells."""
    return Hashed(
        np.full(128 << MIN_ORDER, 77.0),
        new_pool(),
        np.zeros(n + 1, np.int64),
        np.full(n + 1, -1, np.int64),
        np.zeros(n + 1, np.int64),
        np.array([MIN_ORDER]),
    )


def listed(kernels, held, entity):
    """List keys and sums, skipping zeros as the users of a store do."""
    found = [kernels["at"](held, entity, k) for k in range(kernels["length"](held, entity))]
    return sorted((key, x) for key, x in found if x != 0.0)


def table_of(held, entity):
    """Return the keys and sums of one entity, with free cells."""
    first = held.base[entity]
    return held.cells[first : first + (2 << held.order[entity])].reshape(-1, 2)


def check_tables(held):
    """Check that every key is found by its probe sequence and at most half the cells are used."""
    for entity in np.flatnonzero(held.order >= 0):
        keys = table_of(held, entity)[:, 0]
        assert (keys >= 0).sum() == held.used[entity] > 0
        assert 2 * held.used[entity] <= keys.size
        assert len(set(keys[keys >= 0])) == held.used[entity]


@pytest.mark.parametrize("kind", STORES)
@given(st.integers(0, 10**6), st.integers(1, 40))
def test_a_store_behaves_like_a_dictionary(kind, seed, keys):
    rng = np.random.default_rng(seed)
    store, kernels = STORES[kind], KERNELS[kind]
    held = tiny(3) if kind == "sparse" else store.new(3, keys, np.array([1]))
    twin = [{}, {}, {}, {}]
    grown = 0
    for _ in range(120):
        while not kernels["room"](held):
            held = store.grow(held)
            grown += 1
        entity, key = int(rng.integers(4)), int(rng.integers(keys))
        if rng.random() < 0.02:
            kernels["empty"](held, entity)
            twin[entity] = {}
        else:
            old = twin[entity].get(key, 0.0)
            # half of the time the sum returns to zero and must be removed
            x = -old if old and rng.random() < 0.5 else float(rng.integers(1, 5))
            kernels["bump"](held, entity, key, x)
            twin[entity][key] = old + x
        assert kernels["value"](held, entity, key) == twin[entity].get(key, 0.0)
        assert kernels["value"](held, entity, keys) == 0.0 if kind == "sparse" else True
    for entity in range(4):
        expected = sorted((k, x) for k, x in twin[entity].items() if x != 0.0)
        assert listed(kernels, held, entity) == expected
    if kind == "sparse":
        check_tables(held)


def test_keys_that_collide_survive_removals():
    kernels, held = KERNELS["sparse"], tiny(1)
    # all of these keys hash to the same cell of a small table
    keys = [key for key in range(200) if HOME(key, 4) == 3][:6]
    assert len(keys) == 6
    for key in keys:
        kernels["bump"](held, 0, key, 1.0)
    for gone in range(len(keys)):
        kernels["bump"](held, 0, keys[gone], -1.0)
        found = [kernels["value"](held, 0, key) for key in keys]
        assert found == [0.0] * (gone + 1) + [1.0] * (len(keys) - gone - 1)
    assert held.order[0] == -1


def test_neighbouring_keys_do_not_stand_in_one_block():
    kernels, held = KERNELS["sparse"], new_hashed(1, 4000, np.array([800]))
    for key in range(800):
        kernels["bump"](held, 0, key, 1.0)
    keys = table_of(held, 0)[:, 0]
    order = int(held.order[0])
    free = np.flatnonzero(keys == -1)
    # length of the search for an absent key
    ways = [((free - HOME(key, order)) % keys.size).min() for key in range(2000, 3000)]
    assert np.mean(ways) < 3
    assert max(ways) < 40


def test_tables_shrink_and_blocks_are_used_again():
    kernels, held = KERNELS["sparse"], new_hashed(2, 100, np.array([1]))
    for cycle in range(50):
        for key in range(30):
            kernels["bump"](held, cycle % 2, key, 1.0)
        for key in range(30):
            kernels["bump"](held, cycle % 2, key, -1.0)
        if cycle == 1:
            top = int(held.pool.top[0])
    assert int(held.pool.top[0]) == top


def test_growth_keeps_the_sums():
    kernels, held = KERNELS["sparse"], tiny(2)
    for key in range(10):
        kernels["bump"](held, 1, key, key + 1.0)
    longer = SPARSE.grow(held)
    assert longer.cells.size > 2 * held.cells.size
    assert listed(kernels, longer, 1) == [(k, k + 1.0) for k in range(10)]
    assert DENSE.grow(DENSE.new(2, 3, np.array([1]))).sums.shape == (3, 3)


def test_a_template_goes_on_when_its_pool_is_full(monkeypatch):
    made = []

    def scarce(n, keys, lengths):
        made.append(n)
        return tiny(n)

    # the package's attribute of this name is the function
    module = sys.modules["partita.factors.agreement"]
    monkeypatch.setattr(module, "SPARSE", replace(SPARSE, new=scarce))
    probe = Probe(agreement(COLUMNS, {"words": WORDS}, storage="sparse", **SETTINGS))
    follows(probe, phi, Partition.singletons(N), 3, moves=60, tolerance=1e-5)
    assert made == [N]
    assert probe.context.tables[0].bags.store.cells.size > 128 << MIN_ORDER
