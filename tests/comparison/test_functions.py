import numpy as np
import pytest

from partita.comparison.functions import COMPARERS


def level(kind, one, other, *more):
    grade = COMPARERS[kind].prepare([one, other, *more]).grade
    there = grade(np.array([0]), np.array([1]))
    back = grade(np.array([1]), np.array([0]))
    assert there.dtype == np.int8
    assert there[0] == back[0], "a comparison has no direction"
    return COMPARERS[kind].names[there[0]]


@pytest.mark.parametrize(
    ("kind", "one", "other", "expected"),
    [
        ("given name", "william", "willaim", "Jaro-Winkler at least 0.94 or the same words"),
        ("given name", "mary ann", "ann mary", "Jaro-Winkler at least 0.94 or the same words"),
        ("given name", "bob", "robert", "nickname"),
        ("given name", "j", "john", "initials"),
        ("given name", "john", "xavier", "different"),
        ("surname", "smith jones", "jones", "initials, or one is part of the other"),
        ("surname", "bob", "robert", "different"),
        ("surname", "cox", "cx", "Jaro-Winkler at least 0.88"),
        ("surname", "lee", "lye", "Jaro-Winkler at least 0.80"),
        ("given name", "ivy", "iyv", "Jaro-Winkler at least 0.88"),
        ("given name", "ivy", "yv", "different"),
        ("full name", "john smith", "smith john", "cosine of 3-grams at least 0.90 or the same"),
        ("full name", "j r smith", "smith john robert", "initials, nicknames"),
        ("category", "engineer", "enginer", "Jaro-Winkler at least 0.94"),
        ("category", "male", "xyz", "different"),
        ("code", "12345", "12354", "one letter or digit wrong, or two neighbours swapped"),
        ("code", "12345", "99345", "two wrong"),
        ("code", "12", "99", "different"),
        ("code", "1", "2", "different"),
        ("postcode", "ab1 2cd", "ab12cd", "equal"),
        ("postcode", "ab1 2cd", "ab1 2ce", "one letter"),
        ("postcode", "ab1 2cd", "ab1 9xy", "same area"),
        ("postcode", "ab1 2cd", "zz9 9xy", "different"),
        ("phone", "555 123 4567", "5551234567", "equal"),
        ("phone", "44 555 123 4567", "0555 123 4567", "same last seven digits"),
        ("phone", "5551234567", "5551234576", "one letter or digit wrong"),
        ("phone", "5551234567", "1000000000", "different"),
        ("email", "ann lee@x.org", "ann lee@y.com", "same before the @"),
        ("email", "ann lee x org", "ann lee yyy com", "same before the @"),
        ("email", "annlee x org", "anlee x org", "one letter"),
        ("email", "annlee x org", "bob22 y com", "different"),
        ("number", "12.0", "12", "equal"),
        ("number", "12 50", "12.5", "equal"),
        ("number", "1 234 567", "1234567", "equal"),
        ("number", "100", "101", "within 2 %"),
        ("number", "100", "109", "within 10 %"),
        ("number", "100", "140", "within 30 %"),
        ("number", "-100", "100", "different"),
        ("number", "much", "100", "different"),
        ("list", "a b c", "c b a", "same items"),
        ("list", "red wine;beer", "beer; red wine", "same items"),
        ("list", "a", "a b c d e f g", "one is part of the other"),
        ("list", "a", "b", "nothing in common"),
        ("date", "1971 06 24", "1971 06 25", "one digit wrong"),
    ],
)
def test_levels_by_kind(kind, one, other, expected):
    assert level(kind, one, other, "something else", "a b", "1999").startswith(expected)


@pytest.mark.parametrize("kind", ["long text", "address"])
def test_text_falls_with_what_is_not_in_common(kind):
    names = COMPARERS[kind].names
    base = "12 green lane near the old mill"
    others = ["12 green lane near the old mil", "12 green lane", "lane of roses", "quite other"]
    found = [names.index(level(kind, base, other, *others)) for other in others]
    assert found == sorted(found)
    assert found[0] < found[1] < found[2]
    assert found[0] <= 3
    assert found[-1] == len(names) - 1


@pytest.mark.parametrize("kind", sorted(COMPARERS))
def test_every_kind_names_its_levels_and_bears_odd_values(kind):
    names, prepare = COMPARERS[kind]
    assert names[0] == "equal"
    assert names[-1] in ("different", "nothing in common")
    assert len(set(names)) == len(names)
    values = ["", " ", "x", "12", "1 2 3", "a@", "@", "東京", "é" * 3000, "31 12 99", "-", ";;"]
    left, right = np.triu_indices(len(values), 1)
    grader = prepare(values)
    found = grader.grade(left, right)
    same = found == 0
    assert not same.any() or (grader.meaning[left[same]] == grader.meaning[right[same]]).all()
    assert found.min() >= 0
    assert found.max() < len(names)
    assert len(prepare([]).grade(left[:0], right[:0])) == 0
