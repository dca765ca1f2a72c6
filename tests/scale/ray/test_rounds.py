"""Between rounds: entities stay whole, similar ones meet, pieces keep their measure."""

import numpy as np
import pyarrow as pa
import pytest

from partita.scale.mentions import vocabulary
from partita.scale.ray.rounds import (
    RANDOM,
    SUPER,
    merge_parts,
    partition_entities,
    split_by_piece,
    summarise_canopy,
)
from partita.scale.ray.shards import shard_of


def words_of(rows):
    """A vocabulary of two groups with keys 0-3 and 4-7."""
    key = np.array([k for row in rows for k in row], np.int32)
    family, count = np.repeat([0, 1], 4).astype(np.int32), np.ones(key.size, np.uint16)
    return vocabulary(("name", "word"), 1, np.array([0, 4, 8]), family, key, count, len(rows))


def table_of(rows, canopy):
    n = len(rows)
    return pa.table(
        {
            "mention": np.arange(n) + 10,
            "canopy": np.array(canopy),
            "piece": np.array(canopy),
            "key": pa.array(rows, pa.list_(pa.int32())),
            "count": pa.array([[1] * len(row) for row in rows], pa.list_(pa.uint16())),
        }
    )


ROWS = [[0, 4, 5], [0, 5], [1, 5], [6], [], [2, 7]]
CANOPY = [3, 3, 3, 3, 3, 4]


def test_an_entity_is_known_by_its_weightiest_key():
    shard = shard_of(table_of(ROWS, CANOPY), words_of(ROWS))
    entity = np.array([10, 10, 12, 12, 14, 15])
    result, sizes, name = summarise_canopy(shard, entity, 3, 0)
    assert result.tolist() == [10, 12, 14]
    assert sizes.tolist() == [2, 2, 1]
    assert name.tolist() == [0, 1, -1]
    # once log(7 / 1) is more than twice log(7 / 3)
    assert summarise_canopy(shard, entity, 3, 1)[2].tolist() == [4, 6, -1]


@pytest.mark.parametrize("by", [RANDOM, SUPER])
def test_pieces_keep_their_measure(by):
    rng = np.random.default_rng(3)
    entity, size = np.arange(0, 400, 2), rng.integers(1, 9, 200)
    key = rng.integers(-1, 40, 200)
    parts = [(entity[k::3], size[k::3], key[k::3].copy()) for k in range(3)]
    result, piece, pieces = partition_entities(parts, by, 50, [0, 1, 2])
    assert np.array_equal(result, entity)
    held = np.bincount(piece, size)
    assert held.size == pieces
    assert 0 < held.min() <= held.max() <= 50
    together = [np.unique(piece[key == k]).size == 1 for k in range(40)]
    assert all(together) if by == SUPER else not all(together)
    # the order in which shards answer does not matter, the seed does
    again = partition_entities([(e, s, k.copy()) for e, s, k in parts[::-1]], by, 50, [0, 1, 2])
    assert np.array_equal(again[1], piece)
    assert not np.array_equal(partition_entities(parts, by, 50, [0, 2, 2])[1], piece)


def test_what_is_too_large_for_a_piece_is_one():
    parts = [(np.array([1, 5, 9]), np.array([70, 1, 1]), np.array([0, 0, 0]))]
    _, piece, pieces = partition_entities(parts, SUPER, 50, [0])
    assert pieces == 2
    assert piece[0] != piece[1] == piece[2]


def test_scattered_and_gathered_again():
    table, entity = table_of(ROWS, [3] * 6), np.array([10, 10, 12, 12, 14, 15])
    dealt = (np.array([10, 12, 14, 15]), np.array([1, 0, 1, 1]), 2)
    words = words_of(ROWS)
    halves = [
        split_by_piece(table.slice(first, 3), entity[first : first + 3], dealt) for first in (3, 0)
    ]
    _, zero = merge_parts([half[0] for half in halves], words)
    _, merged = merge_parts([half[1] for half in halves], words)
    assert zero.mention.tolist() == [12, 13]
    assert merged.mention.tolist() == [10, 11, 14, 15]
    assert merged.entity.tolist() == [10, 10, 14, 15]
    assert merged.rows.key.tolist() == [0, 4, 5, 0, 5, 2, 7]
    assert merged.rows.start.tolist() == [0, 3, 5, 5, 7]
    assert merged.rows.canopy.tolist() == [0, 4]
