"""Weights of rules, learned on observed facts that are hidden: SampleRank, then calibration.

SampleRank (SAMPLERANK, Algorithm 1) ranks worlds inside the walk. Its weights have no scale of
probability, so they become the prior mean of a pseudo-likelihood fit: a logistic regression of each
hidden fact on its embedding and on the pulls of its rules, given the true labels of the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy

from partita.kernel import Floats, Ints, Rng, logistic, logit
from partita.knowledge.fact_scores import fit_logistic
from partita.knowledge.ratings import Rating, is_closed
from partita.knowledge.triples import Triples
from partita.knowledge.worlds import World
from partita.learning import Instance, hamming, mira, train
from partita.proposals import flip
from partita.states import Labels

__all__ = [
    "CELL_GROUPS",
    "Learned",
    "calibrate_posterior",
    "group_cells",
    "learn_weights",
    "start_weights",
]

CELL_GROUPS = 4
"""Groups of facts. Each group calibrates the weights that the other groups give. Origin: a choice;
every group costs one training of the weights."""
HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)
"""Multiplier of the hash of a key: 2^64 over the golden ratio. Origin: Knuth 1973, section 6.4."""
HASH_SHIFT = np.uint64(32)
"""Bits of the product that the hash drops: low ones depend on low bits of the key alone."""
MIN_LABELS = 10
"""Hidden true facts, and false ones, below which weights stay at their start."""
EPOCHS = 20
"""Visits of SampleRank to the world. Origin: its weights change by less than 5 % after 10."""
PRIOR_PRECISION = 1.0
"""Precision of the pseudo-likelihood prior around the SampleRank weights: one unit of log-odds."""
PLATT_PRECISION = 0.1
"""Precision of the prior around the identity in the calibration of the joint posterior. Hiding
labels less than half of the absent true facts, so that a stronger prior outweighs the labels.
Origin: .1 and 1 were compared on nations, no set left out."""
UNKNOWN = -1
"""The label of a fact whose truth is unknown: the objective prefers neither side."""
MIN_WEIGHT = 0.1
"""Smallest weight of a rule that is not learned: the user asserts the rule."""
MAX_WEIGHT = 8.0
"""Largest weight of a rule from its stated confidence alone: 1 in 3,000."""


@dataclass(frozen=True, eq=False)
class Learned:
    """Weights (bias, embedding, rules), and the facts that they were learned from."""

    weights: Floats
    samplerank: Floats | None
    """The weights before calibration; None where nothing was learned."""
    true: int = 0
    false: int = 0
    calibration: tuple[float, float] = (0.0, 1.0)
    """Intercept and slope that turn log-odds of the joint posterior into calibrated ones."""

    @property
    def is_learned(self) -> bool:
        """Whether hidden facts taught the weights."""
        return self.samplerank is not None

    def calibrate(self, p: Floats) -> Floats:
        """Calibrate probabilities of the joint posterior."""
        intercept, slope = self.calibration
        return logistic(intercept + slope * logit(p))


def start_weights(
    world: World, ratings: Sequence[Rating], log_odds: Floats, missing: float
) -> Floats:
    """Return the start: the embedding as it is, and for each rule the log-odds of its confidence.

    The weight of a rule is the log-odds of its confidence less the mean log-odds of its heads. The
    confidence is the user's, or else the rated one, with one right and one wrong head added.
    """
    weights = [0.0, 1.0]
    for number, (rule, rating) in enumerate(zip(world.rules, ratings, strict=True)):
        share = rule.confidence
        if share is None:
            # of the true heads a share `missing` is not observed
            known = (rating.pca_confidence or rating.confidence or 0.5) / (1.0 - missing)
            share = (min(known, 1.0) * rating.heads + 1.0) / (rating.heads + 2.0)
        places = np.searchsorted(world.keys, world.clause.head[world.clause.rule == number])
        heads = log_odds[np.minimum(places, max(world.n - 1, 0))] if world.n else log_odds
        base = float(np.mean(heads)) if heads.size else 0.0
        odds = np.log(share / max(1.0 - share, 1e-9))
        weights.append(float(np.clip(odds - base, MIN_WEIGHT, MAX_WEIGHT)))
    return np.array(weights)


def label_facts(world: World, full: Triples) -> tuple[Any, Any]:
    """Whether each latent fact is among all observed ones, and whether its label is known."""
    is_true = np.isin(world.keys, full.keys(full.facts))
    known = is_true | is_closed(full, world.keys)
    return is_true, known | np.isin(world.keys, full.keys(full.false))


def calibrate_posterior(
    learned: Learned, hidden: Sequence[tuple[World, Floats]], full: Triples, labelled: float
) -> Learned:
    """Fit the calibration of the joint posterior to hidden facts.

    Weights are fitted given the true labels of all other facts, but the posterior has to infer
    these as well, so that its probabilities are too extreme. `hidden` are worlds with hidden facts
    and their posteriors; one slope and one intercept (Platt 1999) correct them. `labelled` is the
    share of the absent true facts of such a world that has a label.
    """
    log_odds, labels = [], []
    for world, p in hidden:
        is_true, known = label_facts(world, full)
        log_odds.append(logit(p[known]))
        labels.append(is_true[known])
    scores = np.concatenate(log_odds)
    features = np.stack([np.ones(scores.size), scores], 1)
    start = np.array([0.0, 1.0])
    truth = np.concatenate(labels)
    fitted = fit_logistic(features, truth, start, 1.0, PLATT_PRECISION, labelled)
    return replace(learned, calibration=(float(fitted[0]), float(fitted[1])))


def group_cells(keys: Ints) -> Ints:
    """Return the group of each fact, a hash of its key, so that it is the same in every world."""
    mixed = keys.astype(np.uint64) * HASH_FACTOR
    return (mixed >> HASH_SHIFT).astype(np.int64) % CELL_GROUPS


def learn_weights(
    world: World,
    log_odds: Floats,
    full: Triples,
    start: Floats,
    labelling: tuple[float, float],
    rng: Rng,
    left_out: int,
) -> Learned:
    """Learn the weights of the embedding and the rules from a world with hidden facts.

    Parameters
    ----------
    world
        A world over the facts that are left.
    full
        All observed facts: those not left are the true labels of the world. A latent fact that is
        not observed is false or missing where its subject is closed (`is_closed`), and unknown
        elsewhere.
    labelling
        The share of the absent true facts that has a label, and the shift (`label_share`).
    left_out
        The group of facts (`group_cells`) that are no targets; they stay bodies of rules.
    """
    is_true, known = label_facts(world, full)
    used = group_cells(world.keys) != left_out
    pulls = world.pulls(is_true.astype(np.int64))
    is_true, known = is_true & used, known & used
    true, false = int(is_true.sum()), int((known & ~is_true).sum())
    if min(true, false) < MIN_LABELS:
        return Learned(start, None, true, false)
    own = scipy.sparse.csr_array(np.stack([np.ones(world.n), log_odds], 1))
    features = scipy.sparse.hstack([own, pulls]).tocsr()
    labelled, shift = labelling
    p = logistic(features @ start - shift)
    # a fact without a label is false only where it is likelier false than missing
    is_false = known & ~is_true & ((1.0 - p) > (1.0 - labelled) * p)
    labels = np.where(is_true, 1, np.where(is_false, 0, UNKNOWN))
    initial = _rank_worlds(world, log_odds, labels, start, rng)
    mean = _rescale(features[known], is_true[known], initial, labelled)
    weights = fit_logistic(features[known], is_true[known], mean, 1.0, PRIOR_PRECISION, labelled)
    weights[0] += shift
    return Learned(weights, initial, true, false)


def _rank_worlds(world: World, log_odds: Floats, labels: Ints, start: Floats, rng: Rng) -> Floats:
    """Return the weights that SampleRank learns from labels, some of which are unknown."""
    model = world.model(log_odds, start)
    instance = Instance(model, Labels.of(np.zeros(world.n, int), 2), hamming(labels), flip())
    seed = int(rng.integers(1 << 31))
    trained = train(instance, mira(0.1), epochs=EPOCHS, restart="start", random_seed=seed)
    weights = _fold(trained.weights, len(world.rules))
    # few labels can give the embedding a negative weight; larger samples do not
    weights[1] = max(weights[1], 0.0)
    return weights


def _fold(weights: Floats, rules: int) -> Floats:
    """Return the weights of true facts above those of false ones, and those of the rules."""
    false, true = weights[:2], weights[2:4]
    return np.concatenate([true - false, weights[4 : 4 + rules]])


def _rescale(features: Any, truth: Any, weights: Floats, labelled: float) -> Floats:
    """Return SampleRank weights at the scale and the offset of log-odds."""
    scores = np.stack([np.ones(len(truth)), np.asarray(features @ weights)], 1)
    start = np.array([0.0, 1.0])
    offset, scale = fit_logistic(scores, truth, start, 1.0, PRIOR_PRECISION, labelled)
    return scale * weights + np.append(offset, np.zeros(len(weights) - 1))
