"""Mentions: flat arrays that agree with each other, and shards of them."""

import numpy as np
import pytest

from partita.errors import InputError
from partita.scale.mentions import check_mentions, gather
from tests.scale.cases import authors


def rows(mentions):
    ends = zip(mentions.start[:-1], mentions.start[1:], strict=True)
    return [mentions.key[a:b].tolist() for a, b in ends]


def test_a_shard_has_the_rows_of_its_canopies():
    mentions, _ = authors(500)
    chosen = np.array([7, 2, 30])
    part, all_rows = gather(mentions, chosen), rows(mentions)
    expected = [
        all_rows[i] for c in chosen for i in range(mentions.canopy[c], mentions.canopy[c + 1])
    ]
    assert rows(part) == expected
    assert np.array_equal(np.diff(part.canopy), np.diff(mentions.canopy)[chosen])
    assert part.vocabulary is mentions.vocabulary


def test_base_measures_add_up_within_a_family():
    words = authors(500)[0].vocabulary
    sums = np.bincount(words.family, words.base())
    assert np.allclose(sums[np.unique(words.family)], 1.0)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"canopy": np.array([0, 10])}, "canopy of the mentions"),
        ({"start": np.array([0])}, "no mentions"),
        ({"key": np.full(10, -1, np.int32), "start": np.array([0, 10])}, "keys of the mentions"),
    ],
)
def test_arrays_that_do_not_fit(change, words):
    mentions, _ = authors(500)
    broken = mentions._replace(**change)
    if "canopy" not in change and change["start"].size == 2:
        broken = broken._replace(canopy=np.array([0, 1]))
    with pytest.raises(InputError, match=words):
        check_mentions(broken)
