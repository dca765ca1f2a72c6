"""The paper's pair classifier: hinge loss with L2 over features of a pair, by Adagrad.

The score of a pair (i, j) is w.f(i, j); plus w.f(q, j) of the nearest mention q that is coreferent
with i and lies between (section 2.2); plus w.g(i, j) if the top candidate of i has the text of j
among its names (section 3.4), where g are that feature and its conjunctions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.kernel import Floats, Ints, entry
from partita.learning.choice_model import score_options
from partita.text.coreference.antecedents import Corpus
from partita.text.coreference.pairs import SENTENCES, SIZE, mix_codes

__all__ = ["Examples", "PairScores", "base_features", "fit_svm", "score_pairs"]

EPOCHS, RATE, L2 = 5, 0.1, 1e-3
"""Training; chosen on GUM's and AIDA's development parts among few values."""

Features = NDArray[np.int32]


class Examples(NamedTuple):
    """Training pairs: rows of the pairs of a corpus."""

    pair: Ints
    merged: Ints
    """The pair (q, j); -1 if there is none."""
    matched: Ints
    """1 where a name of the top candidate is the text of the mention."""
    sign: Ints
    """+1 for coreferent pairs, -1 for others."""


class PairScores(NamedTuple):
    """Scores of all pairs of a corpus: w.f and w.g."""

    plain: Floats
    base: Floats


def base_features(corpus: Corpus) -> Features:
    """Number the features of each pair that a matching name adds."""
    parts = []
    for k, of in enumerate(corpus.attributes):
        rows = slice(*np.searchsorted(corpus.pairs.mention, corpus.first[k : k + 2]))
        j, i = (column[rows] - corpus.first[k] for column in corpus.pairs)
        forms = of.form[i], of.form[j]
        near = np.searchsorted(SENTENCES, np.maximum(of.sentence[j] - of.sentence[i], 0), "right")
        columns = (
            mix_codes(64, *forms),
            mix_codes(65, *forms, of.text[i] == of.text[j]),
            mix_codes(66, *forms, of.head[i] == of.head[j]),
            mix_codes(67, *forms, near),
        )
        parts.append(np.stack(columns, 1))
    return np.concatenate(parts)


@entry
def run_epoch(
    features: Features,
    base: Features,
    examples: Examples,
    order: Ints,
    weights: Floats,
    squares: Floats,
    rate: float,
    l2: float,
) -> None:
    """Take one Adagrad step for each example within the margin."""
    for at in range(order.size):
        k = order[at]
        pair, merged, sign = examples.pair[k], examples.merged[k], examples.sign[k]
        score = 0.0
        for f in range(features.shape[1]):
            score += weights[features[pair, f]]
            if merged >= 0:
                score += weights[features[merged, f]]
        if examples.matched[k] == 1:
            for f in range(base.shape[1]):
                score += weights[base[pair, f]]
        if sign * score >= 1.0:
            continue
        for part in range(3):
            width = base.shape[1] if part == 2 else features.shape[1]
            if (part == 1 and merged < 0) or (part == 2 and examples.matched[k] == 0):
                continue
            for f in range(width):
                number = base[pair, f] if part == 2 else features[pair if part == 0 else merged, f]
                if number > 0:
                    step = l2 * weights[number] - sign
                    squares[number] += step * step
                    weights[number] -= rate * step / np.sqrt(squares[number])


def fit_svm(corpus: Corpus, base: Features, examples: Examples, seed: int) -> Floats:
    """Fit the weights of all features."""
    weights, squares = np.zeros(SIZE), np.zeros(SIZE)
    features = corpus.features[corpus.pair_options]
    rng = np.random.default_rng(seed)
    for _ in range(EPOCHS):
        order = rng.permutation(examples.pair.size)
        run_epoch(features, base, examples, order, weights, squares, RATE, L2)
    return weights


def score_pairs(corpus: Corpus, base: Features, weights: Floats) -> PairScores:
    """Score all pairs of a corpus."""
    plain, added = np.zeros(len(base)), np.zeros(len(base))
    score_options(corpus.features[corpus.pair_options], weights, plain)
    score_options(base, weights, added)
    return PairScores(plain, added)
