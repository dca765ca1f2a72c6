"""The search in short columns beside a long one."""

import numpy as np

from partita.blocking import nearest
from partita.blocking.candidates import find_candidates
from tests.blocking.test_candidates import column, matching


def offers(count=600, seed=0):
    """Two offers of each product: one title with an error, descriptions of either shop."""
    rng = np.random.default_rng(seed)
    words = ["".join(rng.choice(list("abcdefghijklmnop"), 6)) for _ in range(400)]
    titles = [" ".join(rng.choice(words, 3)) for _ in range(count)]
    titles += [title[:-2] + "z" for title in titles]
    phrases = [[" ".join(rng.choice(words, 5)) for _ in range(40)] for _ in range(2)]
    texts = [" ".join(rng.choice(phrases[side], 8)) for side in (0, 1) for _ in range(count)]
    return {"title": column(titles), "text": column(texts)}, np.repeat([0, 1], count)


def recall(candidates, count):
    return matching(candidates, np.tile(np.arange(count), 2)).sum() / count


def test_short_columns_find_titles_that_descriptions_outweigh(monkeypatch):
    columns, source = offers()
    with_search = find_candidates(columns, source=source)
    monkeypatch.setattr(nearest, "LONG_SHARE", 1.0)
    without = find_candidates(columns, source=source)
    assert with_search.names == ("exact values", "n-grams", "short columns")
    assert without.names == ("exact values", "n-grams")
    assert recall(with_search, 600) > 0.95 > recall(without, 600) + 0.1
    assert len(with_search.pairs) - len(without.pairs) <= 1200 * 20 // nearest.EXTRA_DIVISOR


def test_columns_of_like_length_and_single_columns_add_no_search():
    columns, source = offers(50)
    for kept in ({"text": columns["text"]}, {"a": columns["title"], "b": columns["title"]}):
        assert "short columns" not in find_candidates(kept, source=source).names


def test_large_files_have_no_search_in_short_columns(monkeypatch):
    columns, source = offers(100)
    monkeypatch.setattr(nearest, "SAMPLE_ABOVE", 150)
    monkeypatch.setattr(nearest, "SAMPLE_RECORDS", 100)
    monkeypatch.setattr(nearest, "MIN_NEAR_PAIRS", 10**9)
    assert "short columns" not in find_candidates(columns, source=source).names
