"""Records to mentions: canopies by label, and those without a name."""

import numpy as np
import pytest

from partita.errors import InputError
from partita.scale.encoding import mentions_of

COLUMNS = {"first": ["Ann", "", "Ann", "Bo", None]}
BAGS = {"title": np.array([[1, 0], [0, 2], [1, 1], [0, 0], [3, 0]])}


def test_rows_stand_in_canopies():
    encoded = mentions_of(COLUMNS, BAGS, ["b", "a", "b", "a", "b"])
    assert encoded.row.tolist() == [1, 3, 0, 2, 4]
    assert encoded.mentions.canopy.tolist() == [0, 2, 5]
    words = encoded.mentions.vocabulary
    assert words.names == ("first", "title")
    assert words.edges.tolist() == [0, 2, 4]
    assert words.mass.tolist() == [2, 1, 5, 3]
    assert encoded.mentions.count[encoded.mentions.start[0]] == 2
    assert encoded.notes == ()


def test_mentions_without_a_name_stay_alone_with_a_note():
    encoded = mentions_of(COLUMNS, BAGS, ["b", "", "b", None, float("nan")])
    assert np.diff(encoded.mentions.canopy).tolist() == [2, 1, 1, 1]
    assert encoded.notes[0].startswith("3 of 5 mentions have no canopy label")
    alone = mentions_of(COLUMNS, BAGS, [None] * 5)
    assert np.diff(alone.mentions.canopy).tolist() == [1] * 5


def test_bad_input():
    with pytest.raises(InputError, match="one for each"):
        mentions_of(COLUMNS, BAGS, ["a"])
    with pytest.raises(InputError, match=r"holds 0\.5"):
        mentions_of({}, {"title": np.full((2, 2), 0.5)}, ["a", "a"])
