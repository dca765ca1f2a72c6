"""Entity-wise coreference (SAMPLERANK 5.1): features of pairs of mentions and of whole entities."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple
from zlib import crc32

import numpy as np

from papers.samplerank.mentions import Document, Mention
from partita import Model, Partition
from partita.factors import Cache, Template
from partita.factors.similarity import count, touched
from partita.kernel import Delta, Ints, kernel, push
from partita.states import Regroup
from partita.states.partition import leaver, member, stayer

__all__ = ["BUCKETS", "SET_FEATURES", "model_of", "pair_features"]

BUCKETS = 1 << 15
"""Number of weights that the features of pairs share, by a hash of their names."""

NEAR = (0, 1, 2, 3, 5, 8, 13, 21, 34)


def near(distance: int) -> int:
    """A distance, coarser the larger it is."""
    return int(np.searchsorted(NEAR, distance))


def pair_features(a: Mention, b: Mention, between: int) -> Iterator[str]:
    """Features of two mentions as one entity, `a` first."""
    forms = f"{a.form}-{b.form}"
    same, words = a.text == b.text, bool(set(a.words) & set(b.words))
    head, far = a.head == b.head, near(b.sentence - a.sentence)
    yield forms
    yield f"{forms} text {same}"
    yield f"{forms} head {head}"
    yield f"{forms} words {words}"
    yield f"{forms} part {a.head in b.words} {b.head in a.words}"
    yield f"{forms} type {a.type == b.type}"
    yield f"{forms} gender {a.gender or '?'} {b.gender or '?'}"
    yield f"{forms} number {a.number == b.number}"
    yield f"{forms} sentences {far}"
    yield f"{forms} between {near(between)}"
    yield f"{forms} nested {b.end <= a.end}"
    yield f"types {a.type} {b.type} {forms}"
    yield f"head {head} {a.type == b.type} {a.number == b.number} {far}"
    yield f"heads {min(a.head, b.head)} {max(a.head, b.head)}"
    yield f"{a.head} with {b.form} {far > 2}"
    yield f"{b.head} after {a.form} {a.type} {far > 2}"
    if same:
        yield f"both {a.text}"


class Pairs(NamedTuple):
    """Features of each pair i < j, from start[i n + j] on."""

    start: Ints
    feature: Ints
    many: Ints


@kernel
def emit_pair(table: Pairs, state: Partition, move: Regroup, k: int, delta: Delta) -> float:
    """Join or part the k-th touched pair."""
    i, j, sign = touched(state, move, k)
    at = min(i, j) * table.many[0] + max(i, j)
    score = 0.0
    for place in range(table.start[at], table.start[at + 1]):
        score += push(delta, table.feature[place], sign)
    return score


def pairs_of(document: Document) -> Template:
    """Factors between two mentions of one entity."""
    n = len(document.mentions)
    lengths, features = np.zeros(n * n, np.int64), []
    for i, a in enumerate(document.mentions):
        for j in range(i + 1, n):
            own = pair_features(a, document.mentions[j], j - i)
            numbers = [crc32(name.encode()) % BUCKETS for name in own]
            lengths[i * n + j] = len(numbers)
            features += numbers
    start = np.concatenate([[0], np.cumsum(lengths)])
    table = Pairs(start, np.array(features, np.int64), np.array([n]))
    return Template("pair", Partition, BUCKET_NAMES, np.zeros(BUCKETS), count, emit_pair, table)


BUCKET_NAMES = tuple(f"bucket {k}" for k in range(BUCKETS))

FORMS = ("PRON", "NOM", "PROP")
BINS = 4
SET_FEATURES = (
    *(f"size {name}" for name in ("1", "2", "3", "4-6", "7-12", "more")),
    *(f"{form}, {kind}" for kind in ("without a name", "with a name") for form in FORMS),
    "masculine and feminine",
    "singular and plural",
    *(f"types {k}" for k in range(1, BINS)),
    *(f"heads of names {k}" for k in range(BINS)),
    *(f"heads of nouns {k}" for k in range(BINS)),
    "most pairs of names and nouns have one head",
    "few pairs of names and nouns have one head",
)
"""Of a whole entity; the form of its first mention goes with whether it has a name."""


class Sets(NamedTuple):
    """Codes of the mentions, and scratch: members, marks of heads and types, features."""

    form: Ints
    gender: Ints
    number: Ints
    type: Ints
    head: Ints
    listed: Ints
    seen: Ints
    features: Ints


@kernel(inline=False)
def distinct(table: Sets, codes: Ints, many: int, form: int) -> tuple[int, int, int]:
    """Different codes of listed mentions of a form (all if -1), their number, equal pairs."""
    different, total, alike = 0, 0, 0
    for k in range(many):
        m = table.listed[k]
        if form < 0 or table.form[m] == form:
            last = table.seen[codes[m]]
            different += 1 if last == 0 else 0
            alike += last
            total += 1
            table.seen[codes[m]] += 1
    for k in range(many):
        table.seen[codes[table.listed[k]]] = 0
    return different, total, alike


@kernel(inline=False)
def describe(table: Sets, many: int) -> int:
    """Numbers of the features of the listed mentions into `features`; returns their number."""
    first, masculine, feminine, plural, named = table.listed[0], 0, 0, 0, 0
    for k in range(many):
        m = table.listed[k]
        first = min(first, m)
        masculine += 1 if table.gender[m] == 1 else 0
        feminine += 1 if table.gender[m] == 2 else 0
        plural += table.number[m]
        named += 1 if table.form[m] == 2 else 0
    features = table.features
    features[0] = 0 if many == 1 else 1 if many == 2 else 2 if many == 3 else 3
    if many > 6:
        features[0] = 4 if many < 13 else 5
    features[1] = 6 + (3 if named > 0 else 0) + table.form[first]
    types = distinct(table, table.type, many, -1)[0]
    names, total, alike = distinct(table, table.head, many, 2)
    nouns, more, like = distinct(table, table.head, many, 1)
    features[2] = 14 + min(types, 3) - 1
    features[3] = 17 + min(names, 3)
    features[4] = 21 + min(nouns, 3)
    n = 5
    if masculine > 0 and feminine > 0:
        features[n] = 12
        n += 1
    if 0 < plural < many:
        features[n] = 13
        n += 1
    pairs = (total * (total - 1) + more * (more - 1)) // 2
    if pairs > 0:
        features[n] = 25 if 2 * (alike + like) > pairs else 26
        n += 1
    return n


@kernel
def both(table: Sets, state: Partition, move: Regroup) -> int:
    """The source and the target."""
    return 2


@kernel
def push_set(table: Sets, many: int, sign: float, delta: Delta) -> float:
    """Push the features of the listed mentions."""
    score = 0.0
    if many > 0:
        for k in range(describe(table, many)):
            score += push(delta, table.features[k], sign)
    return score


@kernel
def emit_set(table: Sets, state: Partition, move: Regroup, k: int, delta: Delta) -> float:
    """Features of one entity after the move less those before it."""
    entity = move.source if k == 0 else move.target
    size = state.size[entity]
    for m in range(size):
        table.listed[m] = member(state, entity, m)
    score = push_set(table, size, -1.0, delta)
    if k == 0:
        left = size - move.many
        for m in range(left):
            table.listed[m] = stayer(state, move, m)
    else:
        left = size + move.many
        for m in range(move.many):
            table.listed[size + m] = leaver(state, move, m)
    return score + push_set(table, left, 1.0, delta)


def codes(values: list[str]) -> Ints:
    """Numbers of distinct values."""
    return np.unique(values, return_inverse=True)[1].reshape(-1).astype(np.int64)


def sets_of(document: Document) -> Template:
    """One factor for each entity."""
    mentions, n = document.mentions, len(document.mentions)
    table = Sets(
        np.array([FORMS.index(mention.form) for mention in mentions]),
        np.array([("", "m", "f", "mf").index(mention.gender) for mention in mentions]),
        np.array([int(mention.number == "p") for mention in mentions]),
        codes([mention.type for mention in mentions]),
        codes([mention.head for mention in mentions]),
        *scratch(n),
    )
    weights = np.zeros(len(SET_FEATURES))
    return Template(
        "set",
        Partition,
        SET_FEATURES,
        weights,
        both,
        emit_set,
        table,
        cache=Cache(prepare=lambda table, state: Sets(*table[:5], *scratch(n))),
    )


def scratch(n: int) -> tuple[Ints, Ints, Ints]:
    """Room for the members of an entity, marks, and features; every chain has its own."""
    return np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(16, np.int64)


def model_of(document: Document) -> Model:
    """Pairs and entities of one document, with weights of 0."""
    return Model(pairs_of(document), sets_of(document))
