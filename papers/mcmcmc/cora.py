"""The citations of MCMCMC section 4.2: a pairwise model of Cora, and its weights by SampleRank.

A pair of citations is compared by the words that both have, by those that only one has, and by
cosines of letters; there is a weight for each word, as in Poon and Domingos (2007). The score of
a pair is a bilinear form of sparse vectors, so the same model can be paid for in two ways:
`compared` scores one pair at a time, as the paper does, and `summed` one sum per entity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse

from papers.samplerank.data import folder
from partita import Model, Partition
from partita.data import read
from partita.estimators import Estimator
from partita.factors import Template, agreement
from partita.factors.similarity import count, touched
from partita.kernel import Delta, Floats, Ints, kernel, push
from partita.learning import Instance, Trained, mira, pair_accuracy, train
from partita.proposals import move_to_entity
from partita.states import Regroup

__all__ = ["Citations", "candidates", "citations", "compared", "learned", "summed"]

FIELDS = ("author", "title", "venue")
GRAM = 3

KINDS = {
    "thesis": {"phd", "thesis", "dissertation"},
    "report": {"tech", "technical", "report", "tr"},
    "conference": {
        *("proc", "proceedings", "conference", "conf", "symposium", "symp", "workshop"),
        *("annual", "advances", "colt", "focs", "icml", "nips", "stoc"),
    },
}
"""Words of each kind of venue; the first kind with one of them counts, else a journal."""


@dataclass(frozen=True)
class Citations:
    """Sparse rows of the citations, features of each key, and the entity of each citation."""

    rows: sparse.csr_array
    names: list[str]
    """Features: keys that both citations of a pair have, then keys that only one has."""
    both: Ints
    """The feature of a key that both have."""
    single: Ints
    """The feature of a key that one of them has, or -1."""
    entity: Ints

    def of(self, chosen: Ints) -> Citations:
        """Some of the citations."""
        rows = sparse.csr_array(self.rows[chosen])
        return Citations(rows, self.names, self.both, self.single, self.entity[chosen])


def citations(most: int | None = None) -> Citations:
    """Cora in the version of 1,295 citations and 134 entities."""
    table = read(folder("cora_alchemy_1295", "records.csv"))
    n = len(table)
    blocks = [sparse.csr_array(np.ones((n, 1)))]
    names, both, single = ["pair"], [0], [-1]
    for field in FIELDS:
        column = table.column(field)
        values = column.values.to_pylist()
        texts = [values[code] if code >= 0 else "" for code in column.codes]
        words, place = bag(texts, lambda text: set(text.split()) | {f"({kind(text)})"})
        for word in place if field == "venue" else [w for w in place if w[0] != "("]:
            both.append(len(names))
            single.append(len(names) + 1)
            names += [f"{field} {word}, both", f"{field} {word}, one"]
        blocks.append(words[:, [k for w, k in place.items() if field == "venue" or w[0] != "("]])
        letters, place = bag(texts, grams)
        blocks.append(cosines(letters))
        both += [len(names)] * len(place)
        single += [-1] * len(place)
        names.append(f"{field}, letters")
    rows = sparse.csr_array(sparse.hstack(blocks, format="csr"))
    rows.sort_indices()
    entity = table.column("entity").codes.astype(np.int64)
    whole = Citations(rows, names, np.array(both), np.array(single), entity)
    return whole.of(np.arange(n)[:most])


def kind(venue: str) -> str:
    """Thesis, report, conference or journal."""
    words = set(venue.split())
    return next((name for name, markers in KINDS.items() if words & markers), "journal")


def grams(text: str) -> list[str]:
    """Runs of three letters, with a blank at both ends."""
    padded = f" {text} "
    return [padded[k : k + GRAM] for k in range(len(padded) - GRAM + 1)]


def bag(
    texts: list[str], parts: Callable[[str], Iterable[str]]
) -> tuple[sparse.csr_array, dict[str, int]]:
    """The counts of each part in each text, and the column of each part."""
    place: dict[str, int] = {}
    listed = [[place.setdefault(part, len(place)) for part in sorted(parts(t))] for t in texts]
    row = np.repeat(np.arange(len(texts)), [len(keys) for keys in listed])
    key = np.array([k for keys in listed for k in keys], np.int64)
    counts = sparse.csr_array((np.ones(key.size), (row, key)), shape=(len(texts), len(place)))
    counts.sum_duplicates()
    return counts, place


def cosines(counts: sparse.csr_array) -> sparse.csr_array:
    """Rows of length 1 whose dot products are cosines, rare parts weighing more (tf-idf)."""
    frequency = np.bincount(counts.indices, minlength=counts.shape[1])
    weighed = sparse.csr_array(counts * np.log(1.0 + counts.shape[0] / frequency))
    length = np.sqrt((weighed * weighed).sum(1))
    return sparse.csr_array(weighed / np.where(length > 0, length, 1.0)[:, None])


class Rows(NamedTuple):
    """Keys of each citation, sorted, with their values and the features of each key."""

    start: Ints
    key: Ints
    value: Floats
    both: Ints
    single: Ints


@kernel
def alone(table: Rows, at: int, sign: float, delta: Delta) -> float:
    """A key that one of the two citations has."""
    feature = table.single[table.key[at]]
    return push(delta, feature, sign * table.value[at]) if feature >= 0 else 0.0


@kernel
def emit(table: Rows, state: Partition, move: Regroup, k: int, delta: Delta) -> float:
    """Compare the k-th touched pair key by key."""
    i, j, sign = touched(state, move, k)
    a, b = table.start[i], table.start[j]
    last_a, last_b = table.start[i + 1], table.start[j + 1]
    score = 0.0
    while a < last_a and b < last_b:
        left, right = table.key[a], table.key[b]
        if left == right:
            score += push(delta, table.both[left], sign * table.value[a] * table.value[b])
            a += 1
            b += 1
        elif left < right:
            score += alone(table, a, sign, delta)
            a += 1
        else:
            score += alone(table, b, sign, delta)
            b += 1
    for rest in range(a, last_a):
        score += alone(table, rest, sign, delta)
    for rest in range(b, last_b):
        score += alone(table, rest, sign, delta)
    return score


def compared(data: Citations) -> Model:
    """One factor for each pair of citations in one entity, computed when it is examined."""
    rows = data.rows
    table = Rows(
        rows.indptr.astype(np.int64),
        rows.indices.astype(np.int64),
        rows.data,
        data.both,
        data.single,
    )
    names = tuple(data.names)
    return Model(Template("pair", Partition, names, np.zeros(len(names)), count, emit, table))


def summed(data: Citations, weights: Floats) -> Model:
    """The same model with given weights, scored exactly from one sum for each entity.

    With x a citation's values, u and v the weights of keys that both and that one have, a pair
    scores sum (u - 2v) x_i x_j + c_i + c_j, where c = sum v x, and
    c_i + c_j = (1 + c_i)(1 + c_j) - c_i c_j - 1.
    """
    v = np.where(data.single >= 0, weights[data.single], 0.0)
    scale = weights[data.both] - 2.0 * v
    # the first key is in every row: its product is the constant of a pair
    scale[0] -= 1.0
    own = data.rows @ v
    ways = {
        sign: sparse.hstack(
            [data.rows * np.sqrt(np.maximum(sign * scale, 0.0)), (own + (sign > 0))[:, None]]
        )
        for sign in (1.0, -1.0)
    }
    bags = {"for": ways[1.0], "against": ways[-1.0]}
    named = {"pair.for:dot": 1.0, "pair.against:dot": -1.0}
    return Model(agreement(bags=bags, name="pair"), weights=named)


def candidates(data: Citations, least: float = 0.3) -> Ints:
    """Pairs of citations whose titles have cosines of letters of at least `least`."""
    letters = data.rows[:, np.flatnonzero(data.both == data.names.index("title, letters"))]
    return np.argwhere(np.triu((letters @ letters.T).toarray() >= least, 1))


def learned(data: Citations, steps: int, seed: int, estimator: Estimator | None = None) -> Trained:
    """Weights by SampleRank with MIRA, the objective being the accuracy of pairs.

    Four epochs from the truth; the first is left out of the average.
    """
    start = Partition.of(data.entity)
    instance = Instance(compared(data), start, pair_accuracy(data.entity), move_to_entity())
    return train(
        instance,
        mira(0.01),
        epochs=4,
        steps=steps,
        restart="truth",
        settle=0.25,
        estimator=estimator,
        random_seed=seed,
    )
