import numpy as np

from partita.blocking.union import merge_pairs


def part(rng, n, k):
    right = rng.integers(-1, n, (n, k)).astype(np.int32)
    own = np.arange(n, dtype=np.int32)
    right[right == own[:, None]] = -1
    return own, right


def naive(parts):
    result = {}
    for bit, (left, right) in enumerate(parts):
        for i, row in zip(left.tolist(), right.tolist(), strict=True):
            for j in row:
                if j >= 0:
                    pair = (min(i, j), max(i, j))
                    result[pair] = result.get(pair, 0) | 1 << bit
    return result


def test_union_equals_a_dictionary():
    rng = np.random.default_rng(3)
    for n, k, lists in ((2, 1, 1), (30, 4, 2), (50, 3, 9), (12, 5, 17)):
        parts = [part(rng, n, k) for _ in range(lists)]
        expected = naive(parts)
        pairs, result, counts = merge_pairs(parts, n)
        assert [tuple(pair) for pair in pairs.tolist()] == sorted(expected)
        assert result.tolist() == [expected[pair] for pair in sorted(expected)]
        assert counts.tolist() == np.bincount(pairs.reshape(-1), minlength=n).tolist()
        assert result.dtype.itemsize * 8 >= lists


def test_empty_lists_merge_to_nothing():
    none = np.full((4, 2), -1, np.int32)
    pairs, result, counts = merge_pairs([(np.arange(4, dtype=np.int32), none)], 4)
    assert pairs.shape == (0, 2)
    assert result.size == 0
    assert counts.tolist() == [0, 0, 0, 0]
    assert merge_pairs([], 3)[2].tolist() == [0, 0, 0]
