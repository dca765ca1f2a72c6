import numpy as np
import pytest

from partita.linkage.pairwise.patterns import OFFSET_STEP, group_patterns, merge_patterns


def test_pairs_with_the_same_levels_share_a_pattern():
    levels = np.array([[0, 1], [0, 1], [-1, 2], [0, 1], [-1, 2]], np.int8)
    found = group_patterns(levels, [3, 3], np.zeros(5))
    assert found.pairs.sum() == 5
    assert sorted(found.pairs.tolist()) == [2, 3]
    assert np.array_equal(found.levels[found.place], levels)


@pytest.mark.parametrize("many", [3, 40])
def test_nothing_is_mixed_up_however_many_columns(many):
    rng = np.random.default_rng(0)
    levels = rng.integers(-1, 9, (500, many)).astype(np.int8)
    levels = np.asfortranarray(levels[rng.integers(0, 500, 2000)])
    found = group_patterns(levels, [9] * many, np.zeros(2000))
    assert np.array_equal(found.levels[found.place], levels)
    assert len(found.pairs) == len(np.unique(levels, axis=0))


def test_offsets_are_kept_to_the_grain_and_in_the_mean():
    rng = np.random.default_rng(1)
    offset = rng.normal(0, 3, 1000)
    found = group_patterns(np.zeros((1000, 1), np.int8), [2], offset)
    assert np.abs(found.offset[found.place] - offset).max() <= OFFSET_STEP
    assert (found.offset * found.pairs).sum() == pytest.approx(offset.sum())
    assert 1 < len(found.pairs) < 200


def test_no_pairs():
    assert len(group_patterns(np.zeros((0, 2), np.int8), [2, 2], np.zeros(0)).pairs) == 0


def test_patterns_are_joined_whose_offsets_alone_differ():
    rng = np.random.default_rng(1)
    levels = rng.integers(-1, 3, (400, 3)).astype(np.int8)
    found = group_patterns(levels, [3, 3, 3], rng.normal(size=400))
    joined = merge_patterns(found, [3, 3, 3])
    assert len(found.pairs) > len(joined.pairs) == len(np.unique(levels, axis=0))
    for row, many in zip(joined.levels, joined.pairs, strict=True):
        assert many == (levels == row).all(1).sum()
    assert not joined.offset.any()
    assert (
        len(merge_patterns(group_patterns(levels[:0], [3, 3, 3], np.zeros(0)), [3, 3, 3]).pairs)
        == 0
    )
