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

__all__ = ["likely_concentrations", "ranked_weights", "start_weights"]

MIN_LOG, MAX_LOG = -7.0, 9.0
"""Search interval of the logarithm of a concentration."""

MATCH, MISMATCH, DOT = 2.0, -4.0, 4.0
"""Starting weights in nats; signs as in HCOREF 4.1."""


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
        concentrations[name] = _likeliest(count, base[code % keys], total[total > 0])
    return concentrations


def _likeliest(count: Floats, base: Floats, total: Floats) -> float:
    """The concentration B with the largest likelihood of the counts by entity and key."""

    def loss(log_b: float) -> float:
        b = np.exp(log_b)
        rise = gammaln(b * base + count) - gammaln(b * base)
        return float(np.sum(gammaln(b + total) - gammaln(b)) - np.sum(rise))

    best = minimize_scalar(loss, bounds=(MIN_LOG, MAX_LOG), method="bounded")
    return float(np.exp(best.x))


def start_weights(mentions: Mentions) -> dict[str, float]:
    """Starting weights of agreement, by feature."""
    words, weights = mentions.vocabulary, {}
    for name in words.names[: words.columns]:
        for kind, value in (("match", MATCH), ("mismatch", MISMATCH), ("missing", 0.0)):
            weights[f"{name}:{kind}"] = value
    return weights | {f"{name}:dot": DOT for name in words.names[words.columns :]}


def ranked_weights(
    mentions: Mentions,
    truth: Ints,
    *,
    weights: Mapping[str, float] | None = None,
    visits: int = 4,
    steps: int = 8,
    chunk: int = 8192,
    seed: int = 0,
) -> tuple[dict[str, float], float]:
    """Weights of aggregated agreement by SampleRank, and the cost of an entity.

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
