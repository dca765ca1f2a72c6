"""Predicates over whole entities, quantified over pairs and over values."""

from __future__ import annotations

import itertools
import math

import numpy as np

from partita.factors import (
    Model,
    aggregates,
    average,
    count,
    distinct,
    entity_cost,
    every,
    fraction,
    highest,
    lowest,
    over_pairs,
    over_values,
    some,
)
from partita.proposals import gibbs_mention, one_canopy, split_merge
from partita.states import Partition
from tests.laws import naive
from tests.laws.registry import Subject, register

rng = np.random.default_rng(23)


def holds(predicate, value):
    low = -math.inf if predicate.at_least is None else predicate.at_least
    high = math.inf if predicate.below is None else predicate.below
    return low <= value < high


def answer(predicate, known):
    """What a quantifier says of a list of known comparisons or values."""
    held = sum(holds(predicate, value) for value in known)
    return {
        "every": float(held == len(known)),
        "some": float(held > 0),
        "count": float(held),
        "fraction": held / len(known),
        "lowest": min(known),
        "highest": max(known),
        "average": sum(known) / len(known),
        "distinct": float(len(set(known))),
    }[predicate.kind]


def kinds_known(values):
    """Twin of `distinct` over several words a mention."""

    def phi(labels):
        groups = naive.entities(labels)
        return np.array([float(sum(len(set().union(*(values[i] for i in g))) for g in groups))])

    return phi


def twin(predicates, known_of):
    """Features of all predicates on one thing; `known_of(members)` lists what is known there."""

    def phi(labels):
        out = []
        for predicate in predicates:
            part = np.zeros(len(predicate.features))
            for members in naive.entities(labels):
                known = known_of(members)
                if not known:
                    continue
                scale = len(members) - 1 if predicate.each == "member" else 1
                found = answer(predicate, known)
                if predicate.cuts:
                    part[sum(cut <= found for cut in predicate.cuts)] += scale
                else:
                    part[0] += scale * found
            out.append(part)
        return np.concatenate(out)

    return phi


def pairs_known(matrix):
    def known(members):
        pairs = itertools.combinations(members, 2)
        return [float(matrix[i, j]) for i, j in pairs if matrix[i, j] == matrix[i, j]]

    return known


def values_known(values):
    return lambda members: [values[i] for i in members if values[i] is not None]


def weights(predicate):
    return (0.3 * rng.normal(size=len(predicate.features))).round(2)


def with_weights(make, *args, **options):
    plain = make(*args, **options)
    return make(*args, **options, weight=weights(plain))


def pair_predicates(over):
    return [
        with_weights(every, over, at_least=0.5),
        with_weights(some, over, below=0.25, each="member"),
        with_weights(count, over, at_least=0.25, below=0.75),
        with_weights(count, over, cuts=(2, 4)),
        with_weights(fraction, over, below=0.5, cuts=(0.3, 0.7)),
        with_weights(lowest, over, cuts=(0.25, 0.6)),
        with_weights(highest, over, cuts=(0.5,), each="member"),
        with_weights(average, over),
    ]


def value_predicates(years, words):
    number = [
        with_weights(every, years, below=3.0),
        with_weights(lowest, years, cuts=(1.0, 2.0)),
        with_weights(average, years, each="member"),
        with_weights(distinct, years, cuts=(2, 3)),
    ]
    return number, [with_weights(distinct, words), with_weights(count, words, cuts=(2,))]


def close(data, i, j):
    return abs(data[i] - data[j]) < 0.5


def matrix_of(n):
    """Comparisons on the grid of the sums, some of them missing."""
    matrix = np.round(rng.random((n, n)) * 32) / 32
    matrix = np.triu(matrix, 1) + np.triu(matrix, 1).T
    for i, j in ((0, 2), (1, 3)):
        matrix[i, j] = matrix[j, i] = np.nan
    return matrix


def aggregate_subject(n, source):
    """Predicates on a comparison, on numbers and on words, some of them missing."""
    matrix = matrix_of(n)
    if source == "matrix":
        over, asked = over_pairs("alike", matrix), pair_predicates
    elif source == "listed":
        pairs = np.array(list(itertools.combinations(range(n), 2)))[::2]
        values = matrix[pairs[:, 0], pairs[:, 1]]
        matrix = np.full((n, n), 0.125)
        matrix[pairs[:, 0], pairs[:, 1]] = matrix[pairs[:, 1], pairs[:, 0]] = values
        over = over_pairs("alike", values, pairs=pairs[:, ::-1], n=n, elsewhere=0.125)
        asked = pair_predicates
    else:
        data = rng.normal(size=n)
        over = over_pairs("close", close, data=data, n=n)
        matrix = np.array([[float(close(data, i, j)) for j in range(n)] for i in range(n)])

        def asked(over):
            return [with_weights(every, over), with_weights(fraction, over, each="member")]

    years = [1.0, None, 2.0, 3.5, 2.0][:n]
    words = ["a", "b", "a", None, "c"][:n]
    numbers = over_values("year", [np.nan if year is None else year for year in years])
    asked_pairs = asked(over)
    asked_years, asked_words = value_predicates(numbers, over_values("word", words))
    sets = [["a", "b"], [], ["b", "c", "b"], ["a"], ["d"]][:n]
    asked_sets = with_weights(distinct, over_values("words", sets))
    model = Model(
        *aggregates(*asked_pairs, *asked_years, *asked_words, asked_sets), entity_cost(-0.4)
    )
    phi = naive.together(
        twin(asked_pairs, pairs_known(matrix)),
        twin(asked_years, values_known(years)),
        twin(asked_words, values_known([None if w is None else ord(w) for w in words])),
        kinds_known(sets),
        naive.entity_count,
    )
    return Subject(model, phi, Partition.singletons(n))


for source in ("matrix", "listed", "function"):
    subject = aggregate_subject(4, source)
    register(f"aggregates {source}/gibbs_mention", subject, gibbs_mention())
    register(f"aggregates {source}/split_merge", subject, split_merge(one_canopy(4)))
