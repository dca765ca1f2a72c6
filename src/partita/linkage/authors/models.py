"""The models of the recipe for authors: one that needs no labels, and one that learns from them."""

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
from partita.scale.fitting import ranked_weights
from partita.scale.mentions import reordered

__all__ = ["CONCENTRATION", "PASS", "AuthorModel", "likely", "part", "search_settings", "taught"]

CONCENTRATION = {
    **{"first": 0.06, "middle_initial": 0.001, "middle": 0.001},
    **{"title": 400.0, "venue": 8.0, "coauthors": 6.0},
}
"""By group, where the true authors of 20,000 generated mentions are likeliest, rounded."""
TEMPERATURES = (0.3, 0.3)
"""Of the search, as chosen on generated mentions."""
PASS = 256
"""Mentions that SampleRank goes through before it turns to others."""
READY = (0.0, 0.1, 0.2, 0.4, 0.8)
"""What every pair may get beside its learned weights."""
COSTS = (-8.0, -6.0, -4.0, -2.0, 2.0, 4.0)
"""What an entity of the model without labels may cost, once there are labels."""
CHUNK = 8192
"""Mentions of small canopies that are worked on together."""


MethodMaker = Callable[[Vocabulary], Method]


class AuthorModel(NamedTuple):
    """How entities are scored, and in words."""

    method: MethodMaker
    """Makes the method of a search from the vocabulary; a partial, so that workers can get it."""
    told: str


def likely() -> AuthorModel:
    """Collapsed Dirichlet-multinomial entities, with what generated mentions have taught."""
    return AuthorModel(_unranked()[0], "aggregated Dirichlet-multinomial")


def taught(encoded: AuthorMentions, records: Records, column: str, seed: int) -> AuthorModel:
    """The model that does best on labelled canopies it has not learned from.

    Candidates are the model that needs no labels, alone and with a cost of an entity, and agreement
    summed over pairs (HCOREF 4.1) weighed by SampleRank, with something more for every pair:
    SampleRank ranks moves, and does not settle how ready pairs are to be joined. Mentions without a
    value in the column teach nothing.
    """
    truth = records.column(column, cleaned=False).codes[encoded.row].astype(np.int64)
    labelled, rows = part(encoded.mentions, truth >= 0)
    known = truth[rows]
    if not plan(labelled, CHUNK):
        raise InputError(
            f"column {column!r} labels no two mentions of one canopy (by default, last name and "
            "first initial); label more of them, or leave the column of the truth out"
        )
    best = int(np.argmax(_held_out(labelled, known, seed)))
    told = f"the best on held-out ones of {rows.size:,} labelled mentions"
    if best == 0:
        return AuthorModel(likely().method, f"{likely().told}, {told}, too")
    if best <= len(COSTS):
        cost = f"with a cost of {COSTS[best - 1]:g} for an entity"
        return AuthorModel(_unranked()[best], f"{likely().told} {cost}, {told}")
    told = f"aggregated pairwise, weighed by SampleRank from {rows.size:,} labelled mentions"
    return AuthorModel(_ranked(labelled, known, seed)[best - 1 - len(COSTS)], told)


def _unranked() -> list[MethodMaker]:
    """The model without labels, and the same with each of COSTS."""
    made = partial(dirichlet_entities, concentration=CONCENTRATION)
    return [made, *(partial(made, cost=cost) for cost in COSTS)]


def _ranked(mentions: Mentions, truth: Ints, seed: int) -> list[MethodMaker]:
    """One method for each of READY, all with the same weights."""
    weights, cost = ranked_weights(mentions, truth, chunk=PASS, seed=seed)
    # every pair agrees, disagrees or lacks one in the first column
    kinds = [f"first:{kind}" for kind in ("match", "mismatch", "missing")]
    return [
        partial(
            aggregated_pairwise,
            weights=weights | {kind: weights[kind] + more for kind in kinds},
            cost=cost,
        )
        for more in READY
    ]


def _held_out(mentions: Mentions, truth: Ints, seed: int) -> Floats:
    """By candidate, mean pairwise F1 on each half of the canopies, learned from the other."""
    sizes = np.diff(mentions.canopy)
    # the largest canopies go to the halves in turn
    side = np.empty(sizes.size, np.int64)
    side[np.argsort(-sizes, kind="stable")] = np.arange(sizes.size) % 2
    side = np.repeat(side, sizes)
    found = []
    for half in (0, 1):
        learned, training = part(mentions, side != half)
        asked, asking = part(mentions, side == half)
        if asking.size and plan(learned, CHUNK):
            methods = [*_unranked(), *_ranked(learned, truth[training], seed)]
            found.append([_quality(asked, truth[asking], one, seed) for one in methods])
    return np.mean(found, axis=0) if found else np.ones(1)


def _quality(mentions: Mentions, truth: Ints, method: MethodMaker, seed: int) -> float:
    labels = search(mentions, method(mentions.vocabulary), search_settings(seed, 1)).labels
    return pairwise(labels, truth).f1


def part(mentions: Mentions, kept: NDArray[np.bool_]) -> tuple[Mentions, Ints]:
    """Some mentions in their canopies, and their numbers."""
    before = np.concatenate([[0], np.cumsum(kept)])
    rows = np.flatnonzero(kept)
    return reordered(mentions, rows, before[mentions.canopy]), rows


def search_settings(seed: int, threads: int) -> Settings:
    """How long canopies are worked on, and by how many threads."""
    return Settings(temperatures=TEMPERATURES, chunk=CHUNK, seed=seed, threads=threads)
