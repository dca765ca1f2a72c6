import numpy as np
import pytest

from partita.comparison import automatic_comparison, column_types
from partita.errors import InputError


def level(kind, one, other, *more):
    comparison = automatic_comparison(kind)
    find = comparison.prepare([one, other, *more]).find
    there = find(np.array([0]), np.array([1]))
    back = find(np.array([1]), np.array([0]))
    assert there.dtype == np.int8
    assert there[0] == back[0], "a comparison has no direction"
    return comparison.labels[there[0]]


@pytest.mark.parametrize(
    ("kind", "one", "other", "expected"),
    [
        ("given name", "william", "willaim", "Jaro-Winkler at least 0.94 or the same words"),
        ("given name", "mary ann", "ann mary", "Jaro-Winkler at least 0.94 or the same words"),
        ("given name", "bob", "robert", "nickname"),
        ("given name", "j", "john", "initials"),
        ("given name", "john", "xavier", "no agreement"),
        ("surname", "smith jones", "jones", "initials, or one name is part of the other"),
        ("surname", "bob", "robert", "no agreement"),
        ("surname", "cox", "cx", "Jaro-Winkler at least 0.88"),
        ("surname", "lee", "lye", "Jaro-Winkler at least 0.8"),
        ("given name", "ivy", "iyv", "Jaro-Winkler at least 0.88"),
        ("given name", "ivy", "yv", "no agreement"),
        ("full name", "john smith", "smith john", "cosine of 3-grams at least 0.9 or the same"),
        ("full name", "j r smith", "smith john robert", "initials, nicknames"),
        ("category", "engineer", "enginer", "Jaro-Winkler at least 0.94"),
        ("category", "male", "xyz", "no agreement"),
        ("code", "12345", "12354", "one character differs, or two neighbours swapped"),
        ("code", "12345", "99345", "two characters differ"),
        ("code", "12", "99", "no agreement"),
        ("code", "1", "2", "no agreement"),
        ("postcode", "ab1 2cd", "ab12cd", "exact"),
        ("postcode", "ab1 2cd", "ab1 2ce", "one character differs"),
        ("postcode", "ab1 2cd", "ab1 9xy", "same area"),
        ("postcode", "ab1 2cd", "zz9 9xy", "no agreement"),
        ("phone", "555 123 4567", "5551234567", "exact"),
        ("phone", "44 555 123 4567", "0555 123 4567", "same last seven digits"),
        ("phone", "5551234567", "5551234576", "one character differs"),
        ("phone", "5551234567", "1000000000", "no agreement"),
        ("email", "ann lee@x.org", "ann lee@y.com", "same username"),
        ("email", "ann lee x org", "ann lee yyy com", "same username"),
        ("email", "annlee x org", "anlee x org", "one character differs"),
        ("email", "annlee x org", "bob22 y com", "no agreement"),
        ("number", "12.0", "12", "exact"),
        ("number", "12 50", "12.5", "exact"),
        ("number", "1 234 567", "1234567", "exact"),
        ("number", "100", "101", "relative difference at most 0.02"),
        ("number", "100", "109", "relative difference at most 0.1"),
        ("number", "100", "140", "relative difference at most 0.3"),
        ("number", "-100", "100", "no agreement"),
        ("number", "much", "100", "no agreement"),
        ("list", "a b c", "c b a", "same items"),
        ("list", "red wine;beer", "beer; red wine", "same items"),
        ("list", "a", "a b c d e f g", "one list is part of the other"),
        ("list", "a", "b", "no agreement"),
        ("date", "1971 06 24", "1971 06 25", "one digit differs"),
    ],
)
def test_levels_by_kind(kind, one, other, expected):
    assert level(kind, one, other, "something else", "a b", "1999").startswith(expected)


@pytest.mark.parametrize("kind", ["long text", "address"])
def test_text_falls_with_what_is_not_in_common(kind):
    names = automatic_comparison(kind).labels
    base = "12 green lane near the old mill"
    others = ["12 green lane near the old mil", "12 green lane", "lane of roses", "quite other"]
    found = [names.index(level(kind, base, other, *others)) for other in others]
    assert found == sorted(found)
    assert found[0] < found[1] < found[2]
    assert found[0] <= 3
    assert found[-1] == len(names) - 1


@pytest.mark.parametrize("kind", column_types())
def test_every_type_labels_its_levels_and_compares_odd_values(kind):
    comparison = automatic_comparison(kind)
    assert comparison.labels[0] == "exact"
    assert comparison.labels[-1] == "no agreement"
    values = ["", " ", "x", "12", "1 2 3", "a@", "@", "東京", "é" * 3000, "31 12 99", "-", ";;"]
    left, right = np.triu_indices(len(values), 1)
    prepared = comparison.prepare(values)
    found = prepared.find(left, right)
    same = found == 0
    assert (
        not same.any() or (prepared.canonical[left[same]] == prepared.canonical[right[same]]).all()
    )
    assert found.min() >= 0
    assert found.max() < len(comparison.labels)
    assert len(comparison.prepare([]).find(left[:0], right[:0])) == 0


def test_an_unknown_type_is_refused_with_the_known_ones():
    with pytest.raises(InputError, match="no column type 'colour'; use one of address"):
        automatic_comparison("colour")
