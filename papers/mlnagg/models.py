"""The two models of MLNAGG on one problem: predicates of pairs, and of whole objects."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np

from papers.mlnagg.data import Problem
from partita.factors import (
    Model,
    affinity,
    aggregates,
    count,
    distinct,
    entity_cost,
    every,
    lowest,
    over_pairs,
    over_values,
    some,
)
from partita.factors.predicates.core import Predicate
from partita.factors.predicates.subjects import Pairs
from partita.learning import Pieces, Trained, sample_pieces
from partita.posterior import sample
from partita.proposals import join_neighbour, mixture, split_merge_neighbour
from partita.states import Partition
from partita.walks import Agglomeration, cooling, greedy_merges

__all__ = ["METHODS", "WALK", "Method", "merged", "pieces_of", "walked"]

MATCH, HALF, UNLIKE = 0.9, 0.5, 0.3
"""Above the first two records match; under the last they are unlike (the paper's 30% and 50%)."""
SAME = (UNLIKE, HALF, MATCH)
FINER = (0.1, 0.3, 0.5, 0.7, 0.9, 0.9995)
"""Limits between steps of similarity; above the last of the finer ones two texts are equal."""
ALTERNATIVES = 20
"""Random candidates of each new entity that training compares."""
SPLITS, STEPS = 0.1, 200
"""Of a walk: the share of splits and merges, and steps for each record."""


@dataclass(frozen=True)
class Method:
    """The predicates of a model, and its training."""

    name: str
    objects: bool
    kind: str
    cuts: tuple[float, ...] = SAME
    """The limits between predicates of pairs."""
    base: Method | None = None
    """The method whose weights L2 pulls to, instead of to zero."""

    def model(self, data: Problem) -> Model:
        """The model of one problem, with weights of zero."""
        over = {name: over_pairs(name, matrix) for name, matrix in data.alike.items()}
        terms = pair_predicates(data.n, over, self.cuts)
        if self.objects:
            terms += object_predicates(data, over)
        return Model(*aggregates(*terms), *([entity_cost(0.0)] if self.merges else []))

    @property
    def merges(self) -> bool:
        """Whether it is trained on merges of entities."""
        return self.kind == "merge"


PAIRS = Method("Pairs", objects=False, kind="pair")
METHODS = (
    PAIRS,
    Method("Objects", objects=True, kind="merge", base=PAIRS),
    Method("Pairs on merges", objects=False, kind="merge", base=PAIRS),
    Method("Pairs, finer", objects=False, kind="pair", cuts=FINER),
)
"""The two models of the paper, and variants that separate the effects of training and steps."""
WALK = "Objects, then MH"
"""The row of a walk that starts where greedy merging of Objects ends."""


def pair_predicates(n: int, over: dict[str, Pairs], cuts: tuple[float, ...]) -> list[Predicate]:
    """The number of pairs by similarity, for each field.

    Counts of pairs are a model of pairs: the score of an entity is the sum over its pairs. Pairs of
    which a field is unknown are those that remain of all.
    """
    terms = [count(over_pairs("all", np.ones((n, n))))]
    for pairs in over.values():
        for low, high in pairwise((None, *cuts, None)):
            terms.append(count(pairs, at_least=low, below=high))
    return terms


def object_predicates(data: Problem, over: dict[str, Pairs]) -> list[Predicate]:
    """The paper's: all match, one matches, a pair is under 30%, the minimum; numbers of kinds.

    Numbers of different words are those of NumberFirstNames: two entities that share words have
    fewer together than apart, whatever number of pairs there is between them.
    """
    terms: list[Predicate] = []
    for pairs in over.values():
        terms += [every(pairs, at_least=MATCH), some(pairs, at_least=MATCH)]
        terms += [some(pairs, below=UNLIKE), lowest(pairs, (UNLIKE, HALF))]
    return terms + [distinct(over_values(name, words)) for name, words in data.words.items()]


@cache
def model_of(method: Method, data: Problem) -> Model:
    """The model of one problem, built once; its weights are set for each use."""
    return method.model(data)


def weak(data: Problem) -> Model:
    """String similarity alone, as it is; it only orders the sets."""
    return Model(affinity(data.pairs, data.average, data.n))


def pieces_of(method: Method, data: Problem, seed: int) -> Pieces:
    """The training pieces of a problem whose truth is known."""
    return sample_pieces(
        model_of(method, data),
        weak(data),
        data.near,
        data.truth,
        kind=method.kind,
        alternatives=ALTERNATIVES,
        random_seed=seed,
    )


def merged(method: Method, data: Problem, trained: Trained) -> Agglomeration:
    """Where greedy merging ends (Algorithm 1)."""
    model = model_of(method, data).set_weights(trained.weights)
    return greedy_merges(model, data.near, n=data.n)


def walked(
    method: Method, data: Problem, trained: Trained, start: Agglomeration, seed: int
) -> tuple[Partition, float]:
    """Where a cooled Metropolis-Hastings walk from there gets, and the score that it adds."""
    parts = [join_neighbour(data.near, data.n), split_merge_neighbour(data.near, data.n)]
    run = sample(
        model_of(method, data).set_weights(trained.weights),
        start.state,
        mode="map",
        proposal=mixture(parts, [1.0 - SPLITS, SPLITS]),
        temperature=cooling(1.0, 0.05),
        steps=STEPS * data.n,
        chains=1,
        random_seed=seed,
        progressbar=False,
    )
    gain = run.best_score - start.gain
    return (run.map(), gain) if gain > 0.0 else (start.state, 0.0)
