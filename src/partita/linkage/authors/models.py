"""Models of the author recipe: one without labels, and one trained on labelled mentions."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.data import Records
from partita.errors import InputError
from partita.kernel import Floats, Ints
from partita.linkage.authors.mentions import AuthorMentions
from partita.metrics import pairwise
from partita.scale import (
    Mentions,
    Method,
    Settings,
    Vocabulary,
    aggregated_pairwise,
    dirichlet_entities,
    plan,
    search,
)
from partita.scale.fitting import train_weights
from partita.scale.mentions import reorder_mentions

__all__ = [
    "CONCENTRATION",
    "TRAINING_CHUNK",
    "AuthorModel",
    "search_settings",
    "select_mentions",
    "train_model",
    "unsupervised_model",
]

CONCENTRATION = {
    **{"first": 0.06, "middle_initial": 0.001, "middle": 0.001},
    **{"title": 400.0, "venue": 8.0, "coauthors": 6.0},
}
"""Concentration by group. Origin: maximum likelihood for 20,000 generated mentions, rounded."""
TEMPERATURES = (0.3, 0.3)
"""Temperatures of the search. Origin: chosen on generated mentions."""
TRAINING_CHUNK = 256
"""Mentions of a training chunk of SampleRank."""
PAIR_BONUSES = (0.0, 0.1, 0.2, 0.4, 0.8)
"""Nats added to the trained weight of every pair; candidates of the validation."""
COSTS = (-8.0, -6.0, -4.0, -2.0, 2.0, 4.0)
"""Costs of an entity in nats, for the unsupervised model; candidates of the validation."""
CHUNK = 8192
"""Mentions of a chunk of the search."""


MethodMaker = Callable[[Vocabulary], Method]


class AuthorModel(NamedTuple):
    """The method of the search, and its description."""

    method: MethodMaker
    """Builds the method from the vocabulary; a partial, which can be sent to workers."""
    description: str


def unsupervised_model() -> AuthorModel:
    """Collapsed Dirichlet-multinomial entities, with parameters fitted to generated mentions."""
    return AuthorModel(_unsupervised_methods()[0], "aggregated Dirichlet-multinomial")


def train_model(encoded: AuthorMentions, records: Records, column: str, seed: int) -> AuthorModel:
    """Choose the model with the best pairwise F1 on held-out labelled canopies.

    Candidates are the unsupervised model, alone and with a cost of an entity, and agreement summed
    over pairs (HCOREF 4.1) with weights of SampleRank and a bonus for every pair: SampleRank ranks
    moves and does not determine the threshold of a merge. Mentions without a value in the column
    are not used.
    """
    truth = records.column(column, cleaned=False).codes[encoded.row].astype(np.int64)
    labelled, rows = select_mentions(encoded.mentions, truth >= 0)
    labels = truth[rows]
    if not plan(labelled, CHUNK):
        raise InputError(
            f"column {column!r} labels no two mentions of one canopy (by default, last name and "
            "first initial); label more mentions, or leave --truth-column out"
        )
    best = int(np.argmax(_score_candidates(labelled, labels, seed)))
    reason = f"chosen by held-out F1 on {rows.size:,} labelled mentions"
    if best == 0:
        return AuthorModel(
            unsupervised_model().method, f"{unsupervised_model().description}, {reason}"
        )
    if best <= len(COSTS):
        cost = f"with a cost of {COSTS[best - 1]:g} for an entity"
        return AuthorModel(
            _unsupervised_methods()[best], f"{unsupervised_model().description} {cost}, {reason}"
        )
    reason = f"aggregated pairwise, weights of SampleRank from {rows.size:,} labelled mentions"
    return AuthorModel(_pairwise_methods(labelled, labels, seed)[best - 1 - len(COSTS)], reason)


def _unsupervised_methods() -> list[MethodMaker]:
    """The unsupervised model, without a cost and with each of COSTS."""
    method = partial(dirichlet_entities, concentration=CONCENTRATION)
    return [method, *(partial(method, cost=cost) for cost in COSTS)]


def _pairwise_methods(mentions: Mentions, truth: Ints, seed: int) -> list[MethodMaker]:
    """One method for each of PAIR_BONUSES, all with the same weights."""
    weights, cost = train_weights(mentions, truth, chunk=TRAINING_CHUNK, seed=seed)
    # every pair has exactly one of these features
    kinds = [f"first:{kind}" for kind in ("match", "mismatch", "missing")]
    return [
        partial(
            aggregated_pairwise,
            weights=weights | {kind: weights[kind] + bonus for kind in kinds},
            cost=cost,
        )
        for bonus in PAIR_BONUSES
    ]


def _score_candidates(mentions: Mentions, truth: Ints, seed: int) -> Floats:
    """By candidate, mean pairwise F1 on each half of the canopies, trained on the other half."""
    sizes = np.diff(mentions.canopy)
    # the canopies, largest first, alternate between the halves
    side = np.empty(sizes.size, np.int64)
    side[np.argsort(-sizes, kind="stable")] = np.arange(sizes.size) % 2
    side = np.repeat(side, sizes)
    scores = []
    for half in (0, 1):
        training, training_rows = select_mentions(mentions, side != half)
        test, test_rows = select_mentions(mentions, side == half)
        if test_rows.size and plan(training, CHUNK):
            methods = [
                *_unsupervised_methods(),
                *_pairwise_methods(training, truth[training_rows], seed),
            ]
            scores.append([_quality(test, truth[test_rows], method, seed) for method in methods])
    return np.mean(scores, axis=0) if scores else np.ones(1)


def _quality(mentions: Mentions, truth: Ints, method: MethodMaker, seed: int) -> float:
    labels = search(mentions, method(mentions.vocabulary), search_settings(seed, 1)).labels
    return pairwise(labels, truth).f1


def select_mentions(mentions: Mentions, mask: NDArray[np.bool_]) -> tuple[Mentions, Ints]:
    """The kept mentions in their canopies, and their numbers."""
    before = np.concatenate([[0], np.cumsum(mask)])
    rows = np.flatnonzero(mask)
    return reorder_mentions(mentions, rows, before[mentions.canopy]), rows


def search_settings(seed: int, threads: int) -> Settings:
    """Settings of the search."""
    return Settings(temperatures=TEMPERATURES, chunk=CHUNK, seed=seed, threads=threads)
