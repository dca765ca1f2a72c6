import numpy as np
import pytest

from partita.blocking.ngrams import extract_ngrams, use_whole_values


def packed(values):
    texts = [value.encode() for value in values]
    return np.frombuffer(b"".join(texts), np.uint8), np.cumsum([len(text) for text in texts])


def naive(value, length):
    """Grams of a value by slicing strings."""
    ngrams = set()
    for word in value.split():
        framed = f" {word} "
        ngrams |= {framed[k : k + length] for k in range(max(1, len(framed) - length + 1))}
    return ngrams


def same_grams(values, length):
    """Compare with the naive twin: gram numbers must be the naive grams under other names."""
    traits = extract_ngrams(*packed(values), length)
    names = {}
    for v, value in enumerate(values):
        mine = traits.feature[traits.start[v] : traits.start[v + 1]].tolist()
        assert len(set(mine)) == len(mine) == len(naive(value, length))
        for gram in naive(value, length):
            names.setdefault(gram, set(mine)).intersection_update(mine)
    assert traits.total == len(names)
    assert all(names.values())
    return traits


@pytest.mark.parametrize("length", [1, 2, 3, 4, 6])
def test_ngrams_are_cut_from_framed_words(length):
    assert (
        same_grams(["anna", "ann a", "", "banana", "a", "zoë", "東京 tower", "𝒳y 𝒳"], length).total
        > 0
    )


def test_the_table_grows():
    rng = np.random.default_rng(1)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz0123456789"))
    values = ["".join(rng.choice(letters, 9)) for _ in range(1500)]
    traits = extract_ngrams(*packed(values))
    assert traits.total == len(set().union(*(naive(value, 3) for value in values))) > 1 << 12
    long = ["".join(rng.choice(letters, 20_000))]
    assert extract_ngrams(*packed(long)).total == len(naive(long[0], 3))


def test_an_ngram_has_one_number_in_all_values():
    traits = extract_ngrams(*packed(["abc", "xabcx"]))
    shared = set(traits.feature[: traits.start[1]]) & set(traits.feature[traits.start[1] :])
    assert len(shared) == 1


def test_whole_values():
    traits = use_whole_values(3)
    assert (traits.start.tolist(), traits.feature.tolist()) == ([0, 1, 2, 3], [0, 1, 2])
    assert traits.total == 3
