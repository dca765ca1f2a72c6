import math

import numpy as np
import pytest

from partita.records.similar import (
    bags_of_grams,
    bags_of_words,
    cosine,
    edits,
    jaro_winkler,
    overlap,
    texts,
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
    shared, within = overlap(bags, np.array([0, 0, 2]), np.array([1, 2, 3]))
    assert within == pytest.approx([1.0, 0.0, 1.0])
    assert 0 < shared[0] < 1
    assert shared[1] == 0


def test_edits_count_a_swap_once_and_stop_early():
    left, right = texts(["1234", "1234", "1234"]), texts(["1243", "9934", "9999"])
    assert edits(left, right, 2).tolist() == [1, 2, 3]


def test_jaro_winkler_knows_the_textbook_pair():
    found = jaro_winkler(texts(["martha", "abc"]), texts(["marhta", "xyz"]), 0.7)
    assert found == pytest.approx([0.9611, 0.0], abs=1e-4)


def test_many_rows_give_what_few_give():
    rng = np.random.default_rng(0)
    some = texts(["".join(rng.choice(list("abcd"), 6)) for _ in range(30_000)])
    other = some[::-1]
    whole = jaro_winkler(some, other)
    assert np.array_equal(whole[:500], jaro_winkler(some[:500], other[:500]))


def test_nothing_gives_nothing():
    none = np.zeros(0, np.int64)
    assert len(edits(texts([]), texts([]), 2)) == 0
    assert len(cosine(bags_of_grams([]), none, none)) == 0
    assert len(cosine(bags_of_words([]), none, none)) == 0
