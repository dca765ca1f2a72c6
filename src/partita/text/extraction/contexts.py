"""Distributional attributes of words: words in the same contexts have similar attributes.

The paper's segment clusters have the same purpose, with 5.1 billion sentences: a rule about one
word extends to words in similar contexts. Here the lines themselves are the corpus.
"""

from __future__ import annotations

import re

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import svds

from partita.kernel import Floats
from partita.text.extraction.tokens import Tokens, fold

__all__ = ["DIMENSIONS", "embed_words", "form_of"]

WINDOW = 2
"""Tokens to the left and to the right that are contexts."""
DIMENSIONS = 16
"""Dimensions of the attributes."""
MIN_COUNT = 2
"""Tokens from which on a word has attributes: one context is chance."""


SCALE = 3.0
"""Length of a vector; the Gaussian prior of the weights then is one of variance 9 along it."""


def form_of(word: str) -> str:
    """Return the form of a word as a context; digits count as equal.

    >>> form_of("12/25"), form_of("Road,")
    ('0/0', 'road')
    """
    return re.sub(r"\d+", "0", fold(word))


def embed_words(tokens: Tokens) -> dict[str, Floats]:
    """Return the attributes of each folded word: singular vectors of its contexts.

    A word by context matrix has the positive pointwise mutual information of a word and the form
    of a token at each place of the window.
    """
    forms = [form_of(word) for word in tokens.words]
    places = {form: k for k, form in enumerate(dict.fromkeys(forms))}
    number = np.array([places[form] for form in forms], np.int64)[tokens.word]
    rows, columns, width = [], [], len(places) + 1
    for place, by in enumerate(k for k in range(-WINDOW, WINDOW + 1) if k):
        inside = tokens.find_shifted(by)
        context = np.full(tokens.n, len(places))
        context[inside] = number[inside + by]
        rows.append(number)
        columns.append(place * width + context)
    shape = (len(places), 2 * WINDOW * width)
    cells = (np.concatenate(rows), np.concatenate(columns))
    counts = sparse.coo_array((np.ones(cells[0].size), cells), shape=shape).tocsr()
    counts.sum_duplicates()
    return _factorise(counts, places)


def _factorise(counts: sparse.csr_array, places: dict[str, int]) -> dict[str, Floats]:
    """Return the normalised singular vectors of a matrix of counts, by word."""
    by_word, by_context = counts.sum(1), counts.sum(0)
    words = np.flatnonzero(by_word >= MIN_COUNT * 2 * WINDOW)
    dimensions = min(DIMENSIONS, words.size - 1, counts.shape[1] - 1)
    if dimensions < 1:
        return {}
    cells = counts.tocoo()
    row, column = cells.coords
    value = np.log(cells.data * cells.data.sum() / (by_word[row] * by_context[column]))
    matrix = sparse.coo_array((np.maximum(value, 0.0), (row, column)), shape=counts.shape).tocsr()
    start = np.ones(min(words.size, counts.shape[1]))
    left, scale, _ = svds(matrix[words], k=dimensions, v0=start)
    vectors = left * np.sqrt(scale)
    vectors *= SCALE / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    names = list(places)
    return {names[k]: vector for k, vector in zip(words.tolist(), vectors, strict=True)}
