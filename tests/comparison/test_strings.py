import math

import numpy as np
import pytest
from rapidfuzz.distance import OSA, JaroWinkler

from partita.comparison.letters import edits_may_suffice, jaro_may_reach, letters_of
from partita.comparison.strings import (
    Strings,
    bags_of_grams,
    bags_of_words,
    cosine,
    overlap,
)


def naive_cosine(sets, a, b):
    """TF-IDF cosine of two sets among all, written out."""
    n = len(sets)
    weight = {f: math.log(n / sum(f in one for one in sets)) + 0.05 for f in set().union(*sets)}
    norm = [math.sqrt(sum(weight[f] ** 2 for f in one)) for one in (sets[a], sets[b])]
    common = sum(weight[f] ** 2 for f in sets[a] & sets[b])
    return common / (norm[0] * norm[1]) if all(norm) else 0.0


def grams(value):
    return {f" {word} "[k : k + 3] for word in value.split() for k in range(len(word))}


VALUES = ["the red house", "the red hose", "a blue  boat", "x", "", "größe 東京", "東京 the"]
LEFT, RIGHT = np.triu_indices(len(VALUES), 1)


def test_cosine_of_grams_is_that_of_the_naive_twin():
    found = cosine(bags_of_grams(VALUES), LEFT, RIGHT)
    sets = [grams(value) for value in VALUES]
    expected = [naive_cosine(sets, a, b) for a, b in zip(LEFT, RIGHT, strict=True)]
    assert found == pytest.approx(expected)
    assert found.max() > 0.4


def test_cosine_of_words_is_that_of_the_naive_twin():
    split = [value.split() for value in VALUES]
    found = cosine(bags_of_words(split), LEFT, RIGHT)
    sets = [set(value) for value in split]
    expected = [naive_cosine(sets, a, b) for a, b in zip(LEFT, RIGHT, strict=True)]
    assert found == pytest.approx(expected)
    assert found.max() > 0.1


def test_overlap_counts_weight_in_common():
    bags = bags_of_words([["a", "b"], ["a", "b", "c"], ["d"], ["c", "d"]])
    _, shared, within = overlap(bags, np.array([0, 0, 2]), np.array([1, 2, 3]))
    assert within == pytest.approx([1.0, 0.0, 1.0])
    assert 0 < shared[0] < 1
    assert shared[1] == 0


def paired(left, right):
    """Strings of both sides, and the numbers of each."""
    return Strings([*left, *right]), np.arange(len(left)), np.arange(len(right)) + len(left)


def test_edits_count_a_swap_once_and_stop_early():
    strings, left, right = paired(["1234", "1234", "1234"], ["1243", "9934", "9999"])
    assert strings.edits(left, right, 2).tolist() == [1, 2, 3]


def test_jaro_winkler_knows_the_textbook_pair():
    strings, left, right = paired(["martha", "abc"], ["marhta", "xyz"])
    assert strings.jaro_winkler(left, right, 0.7) == pytest.approx([0.9611, 0.0], abs=1e-4)


def drawn(letters, many, rng):
    return ["".join(rng.choice(list(letters), rng.integers(0, 9))) for _ in range(many)]


@pytest.mark.parametrize("letters", ["ab", "abcdef 019", "aàá東京é-!"])
def test_letters_reject_the_same_pairs_as_the_full_comparison(letters):
    rng = np.random.default_rng(3)
    values = [*drawn(letters, 60, rng), "aaaaaaaa", "aaaaaaab"]
    strings, (left, right) = Strings(values), np.triu_indices(len(values), 1)
    pairs = [(values[a], values[b]) for a, b in zip(left, right, strict=True)]
    for most in (1, 2, 3):
        expected = [OSA.distance(a, b, score_cutoff=most) for a, b in pairs]
        assert strings.edits(left, right, most).tolist() == expected
    for least in (0.5, 0.7, 0.9):
        expected = [JaroWinkler.similarity(a, b, score_cutoff=least) for a, b in pairs]
        assert strings.jaro_winkler(left, right, least) == pytest.approx(expected)


def test_letters_spare_reading_most_pairs():
    rng = np.random.default_rng(4)
    values = drawn("abcdefghijklmnopqrstuvwxyz", 200, rng)
    letters, (left, right) = letters_of(values), np.triu_indices(200, 1)
    assert len(jaro_may_reach(letters, left, right, 0.7)) < 0.2 * len(left)
    assert len(edits_may_suffice(letters, left, right, 2)) < 0.2 * len(left)


def test_many_rows_give_what_few_give():
    rng = np.random.default_rng(0)
    strings = Strings(["".join(rng.choice(list("abcd"), 6)) for _ in range(30_000)])
    left, right = np.arange(30_000), np.arange(30_000)[::-1].copy()
    whole = strings.jaro_winkler(left, right, 0.7)
    assert np.array_equal(whole[:500], strings.jaro_winkler(left[:500], right[:500], 0.7))


def test_nothing_gives_nothing():
    none = np.zeros(0, np.int64)
    assert len(Strings([]).edits(none, none, 2)) == 0
    assert len(cosine(bags_of_grams([]), none, none)) == 0
    assert len(cosine(bags_of_words([]), none, none)) == 0
