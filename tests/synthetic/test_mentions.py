"""Mentions as numbers: the same rows as the strings, key by key."""

import numpy as np
import pytest

from partita.synthetic import authors
from partita.synthetic.mentions import GROUPS, encoded_authors


@pytest.fixture(scope="module")
def both():
    return encoded_authors(3000, seed=4), authors(3000, seed=4).table().to_pylist()


def keys(made, place, group):
    a, b = made.start[place], made.start[place + 1]
    g = GROUPS.index(group)
    row = made.key[a:b]
    inside = (row >= made.edges[g]) & (row < made.edges[g + 1])
    return row[inside], made.count[a:b][inside]


def test_truth_and_canopies_are_those_of_the_strings(both):
    mentions, rows = both
    assert mentions.truth.tolist() == [rows[r]["author"] for r in mentions.row]
    names = {}
    for c in range(mentions.canopy.size - 1):
        inside = mentions.row[mentions.canopy[c] : mentions.canopy[c + 1]]
        shown = {(rows[r]["last"], rows[r]["first"][0]) for r in inside}
        assert len(shown) == 1
        names.setdefault(shown.pop(), []).append(inside.size)
    # a mistyped name is a canopy by itself, even if it happens to be another's name
    assert all(sorted(sizes)[:-1] == [1] * (len(sizes) - 1) for sizes in names.values())


@pytest.mark.parametrize("group", ["first", "middle_initial", "middle", "title", "coauthors"])
def test_keys_mean_what_the_strings_say(both, group):
    mentions, rows = both
    meaning = {}
    for place in range(0, 3000, 3):
        row = rows[mentions.row[place]]
        result, count = keys(mentions, place, group)
        if group in ("first", "middle"):
            full = row[group] if row[group] and len(row[group]) > 1 else None
            shown = [full] if full else []
        elif group == "middle_initial":
            shown = [row["middle"][0]] if row["middle"] else []
        elif group == "title":
            shown = row["title"].split()
        else:
            shown = [
                name.split(". ", 1)[1] for name in (row["coauthors"] or "").split("; ") if name
            ]
        assert count.sum() == len(shown)
        if len(shown) == 1 and group != "first":
            assert meaning.setdefault(int(result[0]), shown[0]) == shown[0]
        assert len(set(shown)) == result.size


def test_rows_rise_and_families_are_initials(both):
    mentions, _ = both
    ends = zip(mentions.start[:-1], mentions.start[1:], strict=True)
    assert all((np.diff(mentions.key[a:b]) > 0).all() for a, b in ends)
    assert np.unique(mentions.family[: mentions.edges[1]]).size > 10
    assert np.unique(mentions.family[mentions.edges[3] : mentions.edges[4]]).size == 1


def test_the_seed_decides():
    first, again, other = (encoded_authors(200, seed=seed) for seed in (1, 1, 2))
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert not np.array_equal(first.truth, other.truth)
