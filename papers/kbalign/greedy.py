"""The systems of KBALIGN: BestLink without and with static or dynamic candidate lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from papers.kbalign.svm import Examples, PairScores
from partita.kernel import Ints, find_components
from partita.knowledge.name_table import NameTable
from partita.text.coreference.antecedents import Corpus
from partita.text.coreference.attributes import PRON, PROP, normalise_name

__all__ = ["Linker", "best_link", "link_by_candidates", "training_pairs"]

CANDIDATES = 10
"""Candidates of a mention. Origin: the prototype; the paper tunes it and does not print it."""
NEAREST = 3
"""k of section 2.3: negative pairs reach back to the k-th nearest coreferent mention."""


class Linker:
    """Ranked candidates of the names of a corpus, and the names of each candidate."""

    def __init__(self, corpus: Corpus, table: NameTable) -> None:
        self.table = table
        self.form = np.concatenate([of.form for of in corpus.attributes])
        mentions = [m for document in corpus.documents for m in document.mentions]
        self.name = [normalise_name(mention.text) for mention in mentions]
        cache: dict[str, list[int]] = {}
        self.lists: list[list[int]] = []
        for name, form in zip(self.name, self.form, strict=True):
            if form == PROP and name not in cache:
                cache[name] = rank_candidates(table, name)
            self.lists.append(cache[name] if form == PROP else [])

    def has_name(self, record: int | None, mention: int) -> bool:
        """Whether a record has the text of a mention among its names."""
        return record is not None and self.name[mention] in self.table.names.get(record, ())


def rank_candidates(table: NameTable, name: str) -> list[int]:
    """Rank the records of a name by counts, then by popularity."""
    entries = table.look_up(name)
    entries.sort(key=lambda item: (-item.times, -table.popularity[item.record], item.record))
    return [item.record for item in entries[:CANDIDATES]]


def find_top(lists: Iterable[Sequence[int]]) -> int | None:
    """Merge ranked lists and rerank by count, then by best rank; return the first record."""
    counts: Counter[int] = Counter()
    best: dict[int, int] = {}
    for ranked in lists:
        for rank, record in enumerate(ranked):
            counts[record] += 1
            best[record] = min(best.get(record, rank), rank)
    return min(counts, key=lambda record: (-counts[record], best[record]), default=None)


class Clusters:
    """Entities of the mentions read so far: lists of candidates, top candidate, last mention."""

    def __init__(self, linker: Linker | None, dynamic: bool) -> None:
        self.linker, self.dynamic = linker, dynamic
        self.of: dict[int, int] = {}
        self.lists: dict[int, list[Sequence[int]]] = {}
        self.top: dict[int, int | None] = {}
        self.last: dict[int, int] = {}

    def add(self, mention: int, cluster: int) -> None:
        """Put a mention into a cluster; dynamic linking merges its candidates."""
        self.of[mention] = cluster
        self.last[cluster] = mention
        if self.linker is not None and self.linker.lists[mention]:
            self.lists.setdefault(cluster, []).append(self.linker.lists[mention])
            if self.dynamic:
                self.top[cluster] = find_top(self.lists[cluster])

    def top_of(self, mention: int) -> int | None:
        """The candidate that a mention brings: of its cluster, or its own if static."""
        if self.linker is None:
            return None
        if self.dynamic:
            return self.top.get(self.of[mention])
        own = self.linker.lists[mention]
        return own[0] if own else None


def _compare(
    clusters: Clusters, linker: Linker | None, others: Ints, j: int, row: int
) -> tuple[Ints, NDArray[np.bool_]]:
    """The rows of merged pairs (-1 if none), and where the top candidate has the name of j."""
    last = np.array([clusters.last[clusters.of[int(i)]] for i in others], np.int64)
    place = np.searchsorted(others, last)
    known = (last != others) & (place < others.size)
    known &= others[np.minimum(place, others.size - 1)] == last
    merged = np.where(known, row + place, -1)
    matched = np.zeros(others.size, bool)
    if linker is not None and linker.form[j] != PRON:
        cache: dict[int | None, bool] = {}
        for k, i in enumerate(others.tolist()):
            top = clusters.top_of(i)
            if top not in cache:
                cache[top] = linker.has_name(top, j)
            matched[k] = cache[top]
    return merged, matched


def training_pairs(corpus: Corpus, linker: Linker | None, dynamic: bool) -> Examples:
    """The pairs of section 2: nearest antecedents, and negatives up to the k-th nearest one.

    Clusters are the annotated ones. A pronoun is no antecedent of another form.
    """
    entity, form = corpus.entities(), np.concatenate([of.form for of in corpus.attributes])
    clusters = Clusters(linker, dynamic)
    bounds = np.searchsorted(corpus.pairs.mention, np.arange(corpus.n + 1))
    parts: list[list[Ints]] = []
    for j in range(corpus.n):
        row, end = int(bounds[j]), int(bounds[j + 1])
        others = corpus.pairs.other[row:end]
        if others.size and entity[j] >= 0:
            merged, matched = _compare(clusters, linker, others, j, row)
            kept = (form[others] != PRON) | (form[j] == PRON)
            same = (entity[others] == entity[j]) & kept
            right = np.flatnonzero(same)
            reach = int(right[-NEAREST]) if right.size >= NEAREST else 0
            chosen = np.flatnonzero(kept & ~same & (np.arange(others.size) >= reach))
            chosen = np.append(chosen, right[-1:])
            sign = np.where(same[chosen], 1, -1)
            parts.append([chosen + row, merged[chosen], matched[chosen].astype(np.int64), sign])
        clusters.add(j, int(entity[j]) if entity[j] >= 0 else -j - 2)
    return Examples(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def best_link(
    corpus: Corpus, scores: PairScores, threshold: float, linker: Linker | None, dynamic: bool
) -> Ints:
    """Algorithm 1: each mention joins the cluster of its best antecedent above the threshold."""
    form = np.concatenate([of.form for of in corpus.attributes])
    clusters = Clusters(linker, dynamic)
    bounds = np.searchsorted(corpus.pairs.mention, np.arange(corpus.n + 1))
    for j in range(corpus.n):
        row, end = int(bounds[j]), int(bounds[j + 1])
        others, cluster = corpus.pairs.other[row:end], j
        if others.size:
            merged, matched = _compare(clusters, linker, others, j, row)
            total = scores.plain[row:end] + np.where(merged >= 0, scores.plain[merged], 0.0)
            total = total + np.where(matched, scores.base[row:end], 0.0)
            if form[j] != PRON:
                total[form[others] == PRON] = -np.inf
            best = int(np.argmax(total))
            if total[best] > threshold:
                cluster = clusters.of[int(others[best])]
        clusters.add(j, cluster)
    return np.array([clusters.of[j] for j in range(corpus.n)], np.int64)


def link_by_candidates(corpus: Corpus, linker: Linker) -> Ints:
    """Wiki-linking: merge names with a common candidate, then other phrases that are its names."""
    pairs: list[tuple[int, int]] = []
    for k in range(len(corpus.documents)):
        first: dict[int, int] = {}
        mentions = range(int(corpus.first[k]), int(corpus.first[k + 1]))
        for mention in mentions:
            for record in linker.lists[mention]:
                pairs.append((first.setdefault(record, mention), mention))
        for mention in mentions:
            if linker.form[mention] not in (PRON, PROP):
                for record, owner in first.items():
                    if linker.has_name(record, mention):
                        pairs.append((owner, mention))
                        break
    links = np.array([pair for pair in pairs if pair[0] != pair[1]], np.int64).reshape(-1, 2)
    return find_components(links, corpus.n)
