"""Links of entities in documents: the collapsed link factor, and P(record | entity) over draws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from partita.factors import Template, collapsed_link
from partita.kernel import Floats, Ints
from partita.knowledge.mention_links import LinkOptions
from partita.text.coreference.antecedents import Corpus
from partita.text.coreference.attributes import normalise_name
from partita.text.coreference.documents import Document
from partita.text.coreference.pairs import AGREEMENT, mix_codes

__all__ = [
    "EntityLinks",
    "add_agreement",
    "average_links",
    "count_repeats",
    "pair_by_candidates",
    "score_links",
]

UNLISTED = -5.0
"""Score (nats) of a record that is no candidate of a mention with candidates. Origin: the records
of about 1 % of AIDA's training names are not among the candidates."""
MIN_PRIOR = 1e-4
"""Prior of a candidate in its document at least, before priors are scaled to the sum 1."""
AGREEMENT_LEVELS = np.array([0.001, 0.01, 0.05, 0.2, 0.5, 0.8])
"""Limits of the classes of the probability that two mentions have the same record."""
MAX_PAIRED = 50
"""Mentions of a document with a common candidate, above which they are not paired for moves."""


class EntityLinks(NamedTuple):
    """Scores of mentions and records, and the prior of an entity's record."""

    scores: scipy.sparse.csr_array
    """s of each mention by itself: mentions by the records of `record`."""
    record: Ints
    """The record of each column; a column belongs to one document."""
    document: Ints
    """The document of each column."""
    prior: Floats
    """The probability of each column for an entity of its document before its own evidence."""
    nil: float
    name: Ints
    """The number of each mention's name and document."""
    guess: Ints
    """The first guess of the entities."""

    def template(self, weight: float = 1.0) -> Template:
        """The factor that sums the link of each entity out.

        Scores are divided by `count_repeats` of the first guess, so that an entity of the guess
        counts as one mention; entities that merge beyond it add their evidence.
        """
        shared = self.scores.copy()
        counts = np.diff(shared.indptr)
        repeats = np.repeat(count_repeats(self.name, self.guess), counts)
        shared.data = shared.data / repeats
        return collapsed_link(
            shared,
            self.prior,
            self.nil,
            groups=self.document,
            unlisted=UNLISTED,
            weight=weight,
            storage="sparse",
        )

    def probabilities(self, labels: Ints) -> scipy.sparse.csr_array:
        """P(record | entity), entities by columns; the rest of each row is P(NIL).

        An entity counts as one mention: the evidence of its names is averaged.
        """
        n, counts = labels.size, np.diff(self.scores.indptr)
        share = 1.0 / count_repeats(self.name, labels)
        members = scipy.sparse.csr_array((share, (labels, np.arange(n))))
        lifted = self.scores.copy()
        lifted.data = lifted.data - UNLISTED
        sums = scipy.sparse.csr_array(members @ lifted)
        mass = np.bincount(labels, np.where(counts > 0, UNLISTED, 0.0) * share)
        entity = np.repeat(np.arange(sums.shape[0]), np.diff(sums.indptr))
        weights = sums.data + mass[entity] + np.log(self.prior[sums.indices])
        listed = np.bincount(entity, self.prior[sums.indices], minlength=sums.shape[0])
        rest = np.log(np.maximum(1 - self.nil - listed, 1e-12)) + mass
        # an entity without a candidate has no link
        rest = np.where(mass < 0, rest, -np.inf)
        largest = np.maximum(np.log(self.nil), rest)
        np.maximum.at(largest, entity, weights)
        total = np.exp(np.log(self.nil) - largest) + np.exp(rest - largest)
        total += np.bincount(entity, np.exp(weights - largest[entity]), minlength=total.size)
        sums.data = np.exp(weights - largest[entity]) / total[entity]
        return sums


def count_repeats(name: Ints, entity: Ints) -> Ints:
    """By how many the evidence of each mention is divided, so that its entity counts as one.

    This is the number of mentions of the entity with its name, times the number of names of the
    entity: names of one entity are chosen for one context and are no independent evidence.
    """
    _, pair, repeats = np.unique(
        np.stack([entity, name]), axis=1, return_inverse=True, return_counts=True
    )
    pair = pair.reshape(-1)
    first = np.zeros(repeats.size, np.int64)
    first[pair] = entity
    _, place, names = np.unique(first, return_inverse=True, return_counts=True)
    return repeats[pair] * names[place.reshape(-1)][pair]


def score_links(
    documents: Sequence[Document], options: LinkOptions, probabilities: Floats, guess: Ints
) -> EntityLinks:
    """Turn P(record) of each mention by itself into the scores of the collapsed link factor.

    The prior of a record in a document is its mean probability over the names of the document. A
    score is log P(record) / P(NIL) less the prior log-odds. `guess` is a first partition.
    """
    n, tiny = options.start.size - 1, np.finfo(float).tiny
    sizes = [len(document.mentions) for document in documents]
    document = np.repeat(np.arange(len(sizes)), sizes)
    texts = [
        f"{k} {normalise_name(item.text)}"
        for k, source in enumerate(documents)
        for item in source.mentions
    ]
    name, repeats = np.unique(texts, return_inverse=True, return_counts=True)[1:]
    name = name.reshape(-1)
    mention = np.repeat(np.arange(n), np.diff(options.start))
    is_record = options.record >= 0
    where, p = mention[is_record], probabilities[is_record]
    keys, column = np.unique(
        np.stack([document[where], options.record[is_record]]), axis=1, return_inverse=True
    )
    column = column.reshape(-1)
    nil = float(np.clip(probabilities[options.start[:-1]].mean(), 0.01, 0.99))
    mean = np.bincount(column, p / repeats[name[where]], minlength=keys.shape[1]) + MIN_PRIOR
    prior = np.asarray((1 - nil) * mean / np.bincount(keys[0], mean)[keys[0]], float)
    alone = probabilities[options.start[:-1]][where]
    odds = np.log(np.maximum(p, tiny)) - np.log(np.maximum(alone, tiny))
    scores = odds - np.log(prior[column] / nil)
    scores = np.where(scores == 0.0, tiny, scores)
    matrix = scipy.sparse.csr_array((scores, (where, column)), shape=(n, keys.shape[1]))
    return EntityLinks(matrix, keys[1], keys[0], prior, nil, name, guess)


def pair_by_candidates(options: LinkOptions, probabilities: Floats, first: Ints) -> Ints:
    """Pairs of mentions of one document that share their likeliest candidate or its runner-up."""
    n = options.start.size - 1
    document = np.repeat(np.arange(first.size - 1), np.diff(first))
    groups: dict[tuple[int, int], list[int]] = {}
    for mention in range(n):
        begin, end = int(options.start[mention]) + 1, int(options.start[mention + 1])
        best = begin + np.argsort(-probabilities[begin:end], kind="stable")[:2]
        for option in best:
            key = (int(document[mention]), int(options.record[option]))
            groups.setdefault(key, []).append(mention)
    pairs = [
        (a, b)
        for members in groups.values()
        if len(members) <= MAX_PAIRED
        for k, a in enumerate(members)
        for b in members[k + 1 :]
    ]
    return np.array(pairs, np.int64).reshape(-1, 2)


def add_agreement(corpus: Corpus, options: LinkOptions, probabilities: Floats) -> Corpus:
    """Add features to each pair: classes of the agreement of both links.

    One is the probability that both have the same record, the other the cosine of their
    probabilities, which does not fall where both may be NIL.
    """
    n = options.start.size - 1
    mention = np.repeat(np.arange(n), np.diff(options.start))
    is_record = options.record >= 0
    cells = (probabilities[is_record], (mention[is_record], options.record[is_record]))
    shares = scipy.sparse.csr_array(cells)
    shares.resize((n, shares.shape[1]))
    j, i = corpus.pairs
    has = np.diff(shares.indptr) > 0
    both = np.flatnonzero(has[j] & has[i])
    same = np.asarray(shares[j[both]].multiply(shares[i[both]]).sum(1)).reshape(-1)
    norm = np.sqrt(np.asarray(shares.multiply(shares).sum(1)).reshape(-1))
    cosine = same / np.maximum(norm[j[both]] * norm[i[both]], np.finfo(float).tiny)
    text, type = (
        np.concatenate([getattr(of, name) for of in corpus.attributes]) for name in ("text", "type")
    )
    equal = (text[i] == text[j]) + 2 * (type[i] == type[j])
    features = corpus.features.copy()
    # pairs without candidates have no such features: a small base is no evidence against them
    rows = corpus.pair_options[both]
    for column, value in enumerate((same, cosine), AGREEMENT):
        level = np.searchsorted(AGREEMENT_LEVELS, value)
        features[rows, column] = mix_codes(column, level, equal[both])
    return corpus._replace(features=features)


def average_links(links: EntityLinks, draws: NDArray[np.int32]) -> scipy.sparse.csr_array:
    """The mean over draws of P(record | entity of the mention): mentions by columns."""
    total = scipy.sparse.csr_array(links.scores.shape)
    for draw in draws:
        labels = np.unique(draw, return_inverse=True)[1].reshape(-1)
        total = total + links.probabilities(labels)[labels]
    return scipy.sparse.csr_array(total / len(draws))
