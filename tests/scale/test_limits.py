"""Canopies that are too large: pieces of the right size, no mention lost."""

import numpy as np

from partita.scale.limits import cut_pieces, restore_order, split_canopies
from tests.scale.cases import authors


def test_pieces_fit_and_keep_equal_keys_together():
    key = np.array([5, 5, 1, 1, 1, 9, 2, 2])
    place, cuts = cut_pieces(key, 4)
    assert sorted(place) == list(range(8))
    ranked = np.split(key[place], cuts)
    assert all(part.size <= 4 for part in ranked)
    assert sum(5 in part for part in ranked) == 1
    assert sum(1 in part for part in ranked) == 1


def test_a_signature_of_too_many_is_cut_straight():
    place, cuts = cut_pieces(np.full(10, -1), 4)
    assert [part.size for part in np.split(place, cuts)] == [4, 4, 2]


def test_small_canopies_stay_as_they_are():
    mentions, _ = authors(300)
    same, order, notes = split_canopies(mentions, 10_000)
    assert same is mentions
    assert notes == []
    assert np.array_equal(order, np.arange(300))


def test_no_mention_is_lost():
    mentions, _ = authors(300)
    whole = mentions._replace(canopy=np.array([0, 300]))
    cut, order, notes = split_canopies(whole, 40)
    assert sorted(order) == list(range(300))
    assert np.diff(cut.canopy).max() <= 40
    assert cut.canopy[0] == 0
    assert cut.canopy[-1] == 300
    assert len(notes) == 1
    lengths = np.diff(mentions.start)
    assert np.array_equal(np.diff(cut.start), lengths[order])


def test_labels_go_back():
    order = np.array([2, 0, 1, 3])
    labels = order[np.array([0, 1, 0, 3])]
    assert restore_order(labels, order).tolist() == [0, 1, 1, 3]
