"""Lines of one entity: the label of a word in one line is evidence for the same word in others.

Two lines of one entity repeat its values, so that a clear line corrects an unclear one. By the
other lines of the entity, a word that occurs in them has the label y with the probability

    P(y | others) = r o(y) + (1 - r) P(y),

where o is its mean posterior in these lines, P the share of y among all such words, and r the rate
of agreement beyond chance, estimated from the posteriors. The logarithm is added to the scores of
the line (a product of experts), whose sums and searches stay exact. The others are averaged and
enter once: their errors come from one model and are no independent evidence.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import sparse

from partita.kernel import Ints
from partita.text.extraction.segment_model import SegmentPosterior
from partita.text.extraction.tokens import Tokens, fold

__all__ = ["share_labels"]

TINY = np.finfo(float).tiny
"""Least probability: a label without any probability has a finite score."""
MAX_AGREEMENT = 0.99
"""Upper limit of the rate of agreement: no other line is certain. Origin: `trainer.MAX_RATE`."""


def share_labels(posterior: SegmentPosterior, entity: Ints) -> SegmentPosterior:
    """Return the posterior of all lines, given the entity of each line."""
    tokens, marginals = posterior.rules.tokens, posterior.marginals
    chosen, key = _find_shared(tokens, np.asarray(entity))
    if not chosen.size:
        return posterior
    own = marginals[chosen]
    member = sparse.csr_array((np.ones(key.size), (key, np.arange(key.size))))
    count = np.bincount(key)
    others = ((member @ own)[key] - own) / (count[key] - 1)[:, None]
    base = own.mean(0)
    chance = float(base @ base)
    agreement = float((own * others).sum(1).mean())
    rate = min(max(0.0, agreement - chance) / max(1.0 - chance, 1.0 - MAX_AGREEMENT), MAX_AGREEMENT)
    evidence = np.zeros_like(marginals)
    evidence[chosen] = np.log(np.maximum(rate * others + (1.0 - rate) * base, TINY))
    return replace(posterior, lines=replace(posterior.lines, evidence=evidence))


def _find_shared(tokens: Tokens, entity: Ints) -> tuple[Ints, Ints]:
    """Return tokens whose word occurs in other lines of the entity, and a number for each word.

    A word that occurs twice in a line has no single counterpart and is left out.
    """
    forms = {form: k for k, form in enumerate(dict.fromkeys(map(fold, tokens.words)))}
    form = np.array([forms[fold(word)] for word in tokens.words], np.int64)[tokens.word]
    is_word = np.array([any(map(str.isalnum, word)) for word in tokens.words], bool)
    line = tokens.line_of()
    chosen = np.flatnonzero(is_word[tokens.word])
    chosen = chosen[_count_equal(line[chosen] * len(forms) + form[chosen]) == 1]
    key = entity[line[chosen]] * len(forms) + form[chosen]
    chosen = chosen[_count_equal(key) > 1]
    key = entity[line[chosen]] * len(forms) + form[chosen]
    return chosen, np.unique(key, return_inverse=True)[1].reshape(-1)


def _count_equal(key: Ints) -> Ints:
    """Return for each value the number of equal values."""
    _, place, count = np.unique(key, return_inverse=True, return_counts=True)
    return np.asarray(count[place.reshape(-1)])
