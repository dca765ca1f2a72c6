"""Fit the parameters of both methods to labelled mentions: by likelihood, and by SampleRank."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from partita.kernel import Floats, Ints, gammaln
from partita.learning import Instance, mira, pair_accuracy, train
from partita.scale.chunks import local, plan, scratch
from partita.scale.mentions import Mentions
from partita.scale.methods import aggregated_pairwise, hill_climbing

__all__ = ["likely_concentrations", "start_weights", "train_weights"]

MIN_LOG_CONCENTRATION = -7.0
MAX_LOG_CONCENTRATION = 9.0
"""Upper end of the search interval of the natural logarithm of a concentration."""
START_MATCH = 2.0
"""Starting weight of an agreeing column, in nats; signs as in HCOREF 4.1."""
START_MISMATCH = -4.0
"""Starting weight of a disagreeing column, in nats."""
START_COSINE = 4.0
"""Starting weight of the cosine of two bags, in nats."""


def likely_concentrations(mentions: Mentions, truth: Ints) -> dict[str, float]:
    """The maximum-likelihood concentration of each group, given the true entities."""
    words = mentions.vocabulary
    base, group, keys = words.base(), words.group, int(words.edges[-1])
    entity = np.repeat(truth.astype(np.int64), np.diff(mentions.start))
    kind, concentrations = group[mentions.key], {}
    for g, name in enumerate(words.names):
        entries = np.flatnonzero(kind == g)
        code, place = np.unique(entity[entries] * keys + mentions.key[entries], return_inverse=True)
        weight: Floats = mentions.count[entries].astype(np.float64)
        count: Any = np.bincount(place, weight)
        total: Any = np.bincount(entity[entries], weight)
        concentrations[name] = _fit_concentration(count, base[code % keys], total[total > 0])
    return concentrations


def _fit_concentration(count: Floats, base: Floats, total: Floats) -> float:
    """Fit the concentration B to the counts by entity and key, by maximum likelihood."""

    def loss(log_b: float) -> float:
        b = np.exp(log_b)
        rise = gammaln(b * base + count) - gammaln(b * base)
        return float(np.sum(gammaln(b + total) - gammaln(b)) - np.sum(rise))

    best = minimize_scalar(
        loss, bounds=(MIN_LOG_CONCENTRATION, MAX_LOG_CONCENTRATION), method="bounded"
    )
    return float(np.exp(best.x))


def start_weights(mentions: Mentions) -> dict[str, float]:
    """Starting weights of agreement, by feature."""
    words, weights = mentions.vocabulary, {}
    for name in words.names[: words.columns]:
        for kind, value in (("match", START_MATCH), ("mismatch", START_MISMATCH), ("missing", 0.0)):
            weights[f"{name}:{kind}"] = value
    return weights | {f"{name}:dot": START_COSINE for name in words.names[words.columns :]}


def train_weights(
    mentions: Mentions,
    truth: Ints,
    *,
    weights: Mapping[str, float] | None = None,
    visits: int = 4,
    steps: int = 8,
    chunk: int = 8192,
    seed: int = 0,
) -> tuple[dict[str, float], float]:
    """Train the weights of aggregated agreement by SampleRank, and the cost of an entity.

    Parameters
    ----------
    visits, steps
        Visits of each chunk, each from the true partition, and steps per mention and visit.
    """
    method = aggregated_pairwise(
        mentions.vocabulary,
        weights or start_weights(mentions),
        proposal=hill_climbing(joins=0.5, unions=0.3),
    )
    room, instances = scratch(mentions), []
    for canopies in plan(mentions, chunk):
        part = local(mentions, canopies, room)
        instances.append(
            Instance(
                method.model(part),
                method.start(part),
                pair_accuracy(truth[part.rows]),
                method.proposal(part),
            )
        )
    learned = train(
        instances,
        mira(),
        epochs=visits,
        steps=steps * chunk,
        restart="truth",
        random_seed=seed,
    ).named()
    cost = -learned.pop("entity.count")
    return {name.partition(".")[2]: value for name, value in learned.items()}, cost
