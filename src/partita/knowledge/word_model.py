"""Rows of text as words of a record through a noisy channel, and other words.

A row that is linked to record z mentions each word v of z with probability d(v), once, as a word w
with probability t(w | v): the same word, or a spelling of it. Its other words are a Poisson process
with rate b r(w), where r(w) is the share of all rows that have w. A row without a link has words at
rates r0(w) of its own:

    s(row, z) = sum over words v of z: log(1 - d(v) + d(v) sum over w: c t(w | v) / (b r(w)))
              + sum over words w of the row: log(b r(w) / r0(w)) - b sum r + sum r0

Where several words of z may be the source of one word w, c shares w among them in proportion to
d(v) t(w | v). EM over all rows estimates d, t, b, r0, the popularity of each record and the share
of rows with a link. No label and no threshold is needed, and words that posts leave out or write in
another way have rates of their own. Of several forms of a record (aliases), the best one counts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from partita.kernel import Floats, Ints
from partita.knowledge.word_cells import Cells, RecordWords, find_spellings, list_cells
from partita.linkage.pairwise.em import iterate_em

__all__ = ["Mention", "WordModel", "fit_word_model"]

SAME_WORD = 0.9
"""Prior probability that a mention is the word itself; its spellings share the rest. Origin: .8 and
.9 differ by less than .01 of accuracy on posts, companies and products."""
PRIOR_SPELLINGS = 5.0
"""Mentions of a word that the prior on its spellings counts as. Origin: 2, 5 and 20 differ by less
than .002 on posts."""
PRIOR_MENTIONS = 20.0
"""Rows of a word that the prior on its rate of mentions counts as, around the mean of all words.
Origin: 2, 5 and 20 on 13 sets in view; 20 is the best or within .005 of it on 12."""
PRIOR_LINKS = 1.0
"""Rows that the prior on the popularity of each record counts as. Origin: a choice."""
PRIOR_NIL = 20.0
"""Rows without a link that the prior on their words counts as. Origin: 5 and 20 differ by less than
.015 on ten sets in view; 100 keeps NIL from having words of its own on posts."""
MIN_RATE = 0.001
"""Rate of mentions of a word at least. Origin: numerical; EM would keep a rate of 0."""
MAX_RATE = 0.999
"""Rate of mentions of a word at most. Origin: numerical; log(1 - rate) is finite."""
MIN_FREE = 0.01
"""b at least. Origin: numerical; the odds of mentions are divided by it."""
MAX_FREE = 2.0
"""b at most: twice the words of all rows. Origin: a choice."""
MAX_LINKED = 1 - 1e-4
"""Share of rows with a link at most. Origin: numerical; the log-odds of no link are finite."""
MAX_STEPS = 40
"""Steps of EM at most. Origin: a choice; accuracy changes by less than .002 after 25."""
TOLERANCE = 1e-3
"""Change of a probability of a link at which EM has converged. Origin: a choice."""
MAX_PAIRS_FITTED = 400_000
"""Candidates that EM uses, at most about: of more, every k-th row. Origin: a choice."""
MIN_MENTION = 0.5
"""Probability from which an explanation shows a word of the row as a mention. Origin: a choice;
the word is then more likely a mention than not."""
SLICE_PAIRS = 200_000
"""Pairs that are scored at once. Origin: a choice; the scores do not depend on it."""
TINY = 1e-300
"""A number above 0 that no probability reaches. Origin: numerical; it keeps divisions finite."""


class WordRates(NamedTuple):
    """The parameters of the model, and P(link) of the candidates that were fitted."""

    mentions: Floats
    """d by word."""
    spelling: Floats
    """t by key."""
    free: float
    """b, relative to the rates of words in all rows."""
    nil: Floats
    """r0 by word."""
    popularity: Floats
    """The share of the linked rows that each record has."""
    linked: float
    """The share of rows with a link."""
    p: Floats


class Mention(NamedTuple):
    """A word of a record, the word of the row that mentions it best, and what it adds to s."""

    word: str
    written: str | None
    score: float


class _Fitted(NamedTuple):
    """Rows, candidates and cells on which EM runs."""

    pairs: Ints
    cells: Cells
    link: Ints
    """The number of the row and the record of each pair; all forms of a record have the same."""
    weight: Floats
    """The number of identical rows of each record number; 0 for rows that EM does not use."""


class WordModel(NamedTuple):
    """The words of rows and records with the fitted rates; it scores any row and record."""

    words: RecordWords
    rate: Floats
    """r by word."""
    keys: Ints
    rates: WordRates
    first: int
    """The number of the first form of a record of the reference; rows come before it."""
    owner: Ints
    """The record of the reference that each form stands for."""

    @property
    def share(self) -> float:
        """The share of rows with a link."""
        return self.rates.linked

    def score(self, pairs: Ints) -> Floats:
        """s of rows and records, plus the log of the record's popularity."""
        scores = np.log(self.rates.popularity)[self.owner[pairs[:, 1] - self.first]]
        for at in range(0, len(pairs), SLICE_PAIRS):
            some = pairs[at : at + SLICE_PAIRS]
            cells = list_cells(self.words, self.keys, some)
            scores[at : at + SLICE_PAIRS] += _explain(self, some, cells, self.rates)[0]
        return scores

    def explain(self, row: int, record: int) -> tuple[list[Mention], float, float]:
        """The words of a record in a row; the score of other words; the log of popularity."""
        pairs = np.array([[row, record]])
        cells = list_cells(self.words, self.keys, pairs)
        total, chance, factor = _explain(self, pairs, cells, self.rates)
        texts, own = self.words.texts, self.words.of(pairs[:, 1])
        written: dict[int, str] = {}
        for cell in np.argsort(chance, kind="stable"):
            w = int(self.keys[cells.key[cell]] % len(texts))
            if chance[cell] > MIN_MENTION:
                written[int(cells.in_record[cell])] = texts[w]
        mentions = [
            Mention(texts[int(v)], written.get(place), float(np.log(factor[place])))
            for place, v in enumerate(own)
        ]
        popular = float(np.log(self.rates.popularity[self.owner[record - self.first]]))
        return mentions, float(total[0]) - float(np.log(factor).sum()), popular


def fit_word_model(words: RecordWords, pairs: Ints, rows: Ints, owner: Ints) -> WordModel:
    """Fit the model to candidates: pairs of a row and a form of a record.

    `rows` is how many rows of the input each distinct row stands for; forms come after them, with
    their records 0, 1, ... in `owner`.
    Rows and records without words are no evidence on the rates.
    """
    pairs, rows = words.select_pairs(pairs), np.where(words.lengths[: rows.size] > 0, rows, 0)
    n, first = float(rows.sum()), rows.size
    of_word = np.repeat(np.arange(first), words.lengths[:first])
    own = words.word[: of_word.size]
    have = np.bincount(own, rows[of_word], minlength=len(words.texts))
    rate = np.where(have > 0, (have + 0.5) / (n + 1.0), 0.0)
    step = -(-len(pairs) // MAX_PAIRS_FITTED)
    used = pairs[pairs[:, 0] % step == 0] if step > 1 else pairs
    weight = np.where(np.arange(first) % max(step, 1) == 0, rows, 0).astype(float)
    keys = find_spellings(words, used)
    records = int(owner.max(initial=-1)) + 1
    link = np.unique(used[:, 0] * records + owner[used[:, 1] - first], return_inverse=True)[1]
    fitted = _Fitted(used, list_cells(words, keys, used), link, weight)
    start = _start(words, rate, keys, records, len(used))
    model = WordModel(words, rate, keys, start, first, owner)
    rates, _, _ = iterate_em(
        lambda state: _update(model, fitted, start.spelling, state),
        start,
        lambda before, after: bool(np.abs(after.p - before.p).max(initial=0.0) < TOLERANCE),
        MAX_STEPS,
    )
    return model._replace(rates=rates)


def _start(words: RecordWords, rate: Floats, keys: Ints, records: int, pairs: int) -> WordRates:
    """The first rates: mentions of every second word, and spellings by their prior."""
    v, w = np.divmod(keys, max(len(words.texts), 1))
    other = np.where(v == w, 0.0, rate[w])
    total = np.bincount(v, other, minlength=len(words.texts))
    spelling = np.where(v == w, SAME_WORD, (1 - SAME_WORD) * other / np.maximum(total[v], TINY))
    popularity = np.full(records, 1.0 / max(records, 1))
    mentions = np.full(len(words.texts), 0.5)
    return WordRates(mentions, spelling, 0.5, rate, popularity, 0.8, np.full(pairs, np.inf))


def _explain(
    model: WordModel, pairs: Ints, cells: Cells, rates: WordRates
) -> tuple[Floats, Floats, Floats]:
    """s of each pair without popularity, with its parts.

    The parts are the probability that each cell is a mention, and the factor of each word of the
    records.
    """
    words, (rows, records) = model.words, pairs.T
    v, w = np.divmod(model.keys, max(len(words.texts), 1))
    v, w, t = v[cells.key], w[cells.key], rates.spelling[cells.key]
    in_rows, in_records = words.lengths[rows], words.of(records)
    written = rates.mentions[v] * t
    total = np.bincount(cells.in_row, written, minlength=int(in_rows.sum()))
    share = written / np.maximum(total[cells.in_row], TINY)
    gain = rates.mentions[v] * share * t / (rates.free * model.rate[w])
    odds = np.bincount(cells.in_record, gain, minlength=in_records.size)
    factor = 1.0 - rates.mentions[in_records] + odds
    of = np.repeat(np.arange(len(pairs)), words.lengths[records])
    scores = np.bincount(of, np.log(factor), minlength=len(pairs))
    owner = np.repeat(np.arange(model.first), words.lengths[: model.first])
    own = words.word[: owner.size]
    free = np.log(rates.free * model.rate[own] / rates.nil[own])
    by_row = np.bincount(owner, free, minlength=model.first)
    length = float(rates.nil.sum() - rates.free * model.rate.sum())
    return scores + by_row[rows] + length, gain / factor[cells.in_record], factor


def _update(model: WordModel, fitted: _Fitted, prior: Floats, rates: WordRates) -> WordRates:
    """One step of EM; `prior` is t before any row is seen."""
    (rows, records), words = fitted.pairs.T, model.words
    owner = model.owner[records - model.first]
    scores, mentioned, _ = _explain(model, fitted.pairs, fitted.cells, rates)
    scores += np.log(rates.popularity[owner] * rates.linked)
    scores = _choose_forms(fitted.link, scores)
    p = _normalise(rows, scores, float(np.log(1.0 - rates.linked)), model.first)
    weight, size = p * fitted.weight[rows], len(words.texts)
    count = weight[fitted.cells.pair] * mentioned
    v = model.keys // max(size, 1)
    by_key = np.bincount(fitted.cells.key, count, minlength=v.size)
    by_word = np.bincount(v, by_key, minlength=size)
    seen = np.bincount(words.of(records), np.repeat(weight, words.lengths[records]), minlength=size)
    mean = (by_word.sum() + 1.0) / (seen.sum() + 2.0)
    mentions = np.clip(
        (by_word + PRIOR_MENTIONS * mean) / (seen + PRIOR_MENTIONS), MIN_RATE, MAX_RATE
    )
    spelling = (by_key + PRIOR_SPELLINGS * prior) / (by_word + PRIOR_SPELLINGS)[v]
    free = weight @ words.lengths[rows] - count.sum()
    linked, n = float(weight.sum()), max(float(fitted.weight.sum()), 1.0)
    linked_rows = np.asarray(np.bincount(rows, weight, minlength=model.first), float)
    popular = np.bincount(owner, weight, minlength=rates.popularity.size)
    popularity = (popular + PRIOR_LINKS) / (popular + PRIOR_LINKS).sum()
    return WordRates(
        mentions,
        spelling,
        float(np.clip(free / max(linked * model.rate.sum(), TINY), MIN_FREE, MAX_FREE)),
        _count_nil(model, fitted, linked_rows),
        popularity,
        float(np.clip(linked / n, 1.0 / (n + 1.0), MAX_LINKED)),
        p,
    )


def _choose_forms(link: Ints, scores: Floats) -> Floats:
    """Leave out all but the best form of each record for a row; equally good forms share it."""
    best = np.full(int(link.max(initial=-1)) + 1, -np.inf)
    np.maximum.at(best, link, scores)
    is_best = scores == best[link]
    count = np.bincount(link, is_best, minlength=best.size)
    return np.where(is_best, scores - np.log(count[link]), -np.inf)


def _normalise(rows: Ints, scores: Floats, nil: float, n: int) -> Floats:
    """P(link) of each candidate, where `nil` is the score of no link."""
    largest = np.full(n, nil)
    np.maximum.at(largest, rows, scores)
    odds = np.exp(scores - largest[rows])
    total = np.bincount(rows, odds, minlength=n) + np.exp(nil - largest)
    return np.asarray(odds / total[rows])


def _count_nil(model: WordModel, fitted: _Fitted, linked: Floats) -> Floats:
    """The rates of words in rows without a link; `linked` is the expected links of each row."""
    words, rest = model.words, fitted.weight - linked
    owner = np.repeat(np.arange(model.first), words.lengths[: model.first])
    have = np.bincount(words.word[: owner.size], rest[owner], minlength=len(words.texts))
    return np.asarray((have + PRIOR_NIL * model.rate) / (rest.sum() + PRIOR_NIL))
