"""Parameters of the methods, fitted to development data only.

Weights of the pairwise model are SampleRank's. Concentrations of the Dirichlet-multinomial entities
start at their maximum likelihood. Hill climbing then changes them, and the cost of an entity, one
at a time, while the pairwise F1 of a search on the development data rises: words are not drawn
independently, as the model assumes, so the likelihood gives titles too much weight.
Weights of the trees start at the paper's and climb in the same way, on a part of the data; with
true deltas from where those with the paper's ended, on a smaller part, for they cost more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from papers.hcoref.data import Case, some
from papers.hcoref.trees import BY_HAND, tree_method
from partita.metrics import pairwise
from partita.scale import Settings, dirichlet_entities, search
from partita.scale.fitting import likely_concentrations, train_weights

__all__ = ["SEARCH", "Learned", "learn"]

SEARCH = Settings(temperatures=(0.3, 0.3), chunk=8192)
"""Of every search. The temperature, the length and the shares of moves were chosen on 145,000
mentions of the seeds 1, 2 and 1001 to 1003."""
TREES = replace(SEARCH, temperatures=(1.0,) * 12)
"""Of trees: more and warmer rounds, for one of two random nodes is rarely a whole entity."""
TREE_SIZES = {"paper": 20_000, "true": 8_000}
"""Mentions that the weights of trees are chosen on, by delta."""
COST = "cost of an entity"


@dataclass(frozen=True)
class Stride:
    """First and last step of a climb along an axis, and the least gain of a step."""

    first: float
    last: float
    enough: float


BY_LOG, BY_WEIGHT = Stride(0.8, 0.4, 5e-4), Stride(4.0, 1.0, 1e-3)


@dataclass(frozen=True)
class Learned:
    """Weights and cost of the pairwise model, concentrations and cost of the other, and trees."""

    weights: dict[str, float]
    cost: float
    concentration: dict[str, float]
    entity: float
    trees: dict[str, dict[str, float]] = field(default_factory=dict)
    """Weights of trees, by delta."""


def learn(case: Case, seed: int, deltas: Sequence[str] = ()) -> Learned:
    """Everything from one development set, and weights of trees with these deltas."""
    weights, cost = train_weights(case.mentions, case.truth, seed=seed)
    likely = likely_concentrations(case.mentions, case.truth)
    names = list(likely)

    def quality(at: dict[str, float]) -> float:
        method = dirichlet_entities(
            case.mentions.vocabulary, {name: np.exp(at[name]) for name in names}, cost=at[COST]
        )
        return pairwise(search(case.mentions, method, SEARCH).labels, case.truth).f1

    logs = {name: float(np.log(likely[name])) for name in names}
    best = climbed(quality, {**logs, COST: 0.0}, BY_LOG)
    entity = best.pop(COST)
    chosen = {name: float(np.exp(value)) for name, value in best.items()}
    return Learned(weights, cost, chosen, entity, tree_weights(case, deltas))


def tree_weights(case: Case, deltas: Sequence[str]) -> dict[str, dict[str, float]]:
    """Weights of trees, by delta, with which their F1 on a part of the case is best."""
    weights, at = {}, dict(BY_HAND)
    for delta in deltas:
        part = some(case, TREE_SIZES[delta])

        def quality(at: dict[str, float], part: Case = part, delta: str = delta) -> float:
            method = tree_method(part.mentions.vocabulary, at, delta=delta)
            return pairwise(search(part.mentions, method, TREES).labels, part.truth).f1

        weights[delta] = at = climbed(quality, at, BY_WEIGHT)
    return weights


def climbed(
    quality: Callable[[dict[str, float]], float], at: dict[str, float], stride: Stride
) -> dict[str, float]:
    """Where no step along one axis is better; steps are halved once none is."""
    best, length = quality(at), stride.first
    while length >= stride.last:
        before = best
        for name in at:
            for way in (length, -length):
                while True:
                    there = {**at, name: at[name] + way}
                    score = quality(there)
                    if score < best + stride.enough:
                        break
                    best, at = score, there
        if best == before:
            length /= 2
    return at
