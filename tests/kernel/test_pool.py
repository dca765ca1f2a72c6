import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from partita.kernel import enlarge, entry, new_pool, order_for, release, take


@entry
def order(count):
    return order_for(count)


@entry
def cut(pool, cells, size):
    return take(pool, cells, size)


@entry
def give_back(pool, cells, start, size):
    release(pool, cells, start, size)


def test_orders_hold_the_requested_size():
    assert [order(count) for count in (0, 1, 2, 3, 4, 5, 1023, 1024)] == [0, 0, 1, 2, 2, 3, 10, 10]


@given(st.integers(0, 10**6))
def test_live_blocks_never_overlap(seed):
    rng = np.random.default_rng(seed)
    pool, cells = new_pool(), np.zeros(4096, np.int64)
    alive, most = [], np.zeros(4, int)
    for _ in range(60):
        if alive and rng.random() < 0.45:
            start, size = alive.pop(int(rng.integers(len(alive))))
            give_back(pool, cells, start, size)
        else:
            size = int(rng.integers(4))
            alive.append((int(cut(pool, cells, size)), size))
        most = np.maximum(most, [sum(s == k for _, s in alive) for k in range(4)])
        used = np.zeros(4096, int)
        for start, size in alive:
            used[start : start + (1 << size)] += 1
        assert used.max() <= 1
    # freed blocks are used again: no more is cut than was alive at once
    assert int(pool.top[0]) == (most * [1, 2, 4, 8]).sum()


def test_longer_arrays_keep_their_cells():
    longer = enlarge(np.arange(5), 12)
    assert longer.size == 12
    assert longer[:5].tolist() == [0, 1, 2, 3, 4]
    assert enlarge(np.arange(5), 2).size == 5
