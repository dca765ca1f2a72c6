"""Piecewise training: every predicate AreEqual(d) has its own normaliser (MLNAGG section 3.5).

A piece is a set of mentions that a weak clustering merges, with the question whether they are one
entity; its normaliser sums over yes and no only, so training is a logistic regression by L-BFGS.
There are two definitions of a piece:

- "merge": given that the two parts of the set are entities, P(yes) = sigma(w . (phi(with the set)
  - phi(with its parts))). This is the score of a merge when the model is searched or sampled.
- "entity": P(yes) = sigma(w . (phi(with the set) - phi(with all its mentions alone))): the set in
  isolation, as in the paper.

For a set of two both are the same; "pair" uses sets of two only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from partita.errors import InputError
from partita.factors import Model
from partita.factors.template import finite
from partita.kernel import Floats, Ints
from partita.learning.train import Trained
from partita.states import Partition
from partita.states.checks import named, whole
from partita.walks import Merging, greedy_merges

__all__ = ["Pieces", "piecewise", "sample_pieces"]

KINDS = ("merge", "entity", "pair")


@dataclass(frozen=True, eq=False)
class Pieces:
    """Training examples: features of sets of mentions, and whether each is one entity."""

    features: list[str]
    change: Floats
    """One row per set: the change of every feature if the answer is yes."""
    right: NDArray[np.bool_]


def sample_pieces(
    model: Model,
    weak: Model,
    pairs: ArrayLike,
    truth: ArrayLike,
    *,
    kind: str = "merge",
    alternatives: int | None = None,
    random_seed: int = 0,
) -> Pieces:
    """Build training examples for `model` from the sets that a weak clustering merges.

    The weak model is merged greedily, and every merge on the way is an example. For "merge" a wrong
    merge is an example but is not carried out, so later examples concern correct entities; for
    "entity" the weak clustering continues regardless.

    Parameters
    ----------
    model
        The model to be trained; its weights are ignored.
    weak
        A model that needs no training, such as an affinity of string similarities.
    pairs
        Pairs of mentions in one canopy.
    truth
        The true entity of each mention.
    kind
        The examples: each "merge" of two entities, each "entity" in isolation, or each "pair" of
        mentions.
    alternatives
        Number of candidate merges of the new entity that become examples after each merge, drawn
        at random; by default all.
    """
    right = np.unique(named(truth, "truth"), return_inverse=True)[1].reshape(-1)
    if kind not in KINDS:
        raise InputError(f"kind is {kind!r}; give one of {', '.join(KINDS)}")
    if alternatives is not None:
        whole(alternatives, "alternatives", 0)
    listed = np.asarray(pairs, np.int64).reshape(-1, 2)
    start = Partition.singletons(right.size)
    # for "merge", a wrong pair is one example and is never merged
    kept = listed[_same(right, listed)] if kind == "merge" else listed
    order = [] if kind == "pair" else greedy_merges(weak, kept, start).merges.tolist()
    rng = np.random.default_rng(random_seed)
    examples = Examples(Merging(model, start), listed, right, kind)
    examples.add(listed)
    for a, b in order:
        examples.merge(a, b, alternatives, rng)
    return examples.pieces()


def _same(right: Ints, pairs: Ints) -> NDArray[np.bool_]:
    return np.asarray(right[pairs[:, 0]] == right[pairs[:, 1]])


class Examples:
    """Training examples gathered along the merges of a weak clustering."""

    def __init__(self, merging: Merging, pairs: Ints, right: Ints, kind: str) -> None:
        self.merging, self.right, self.kind = merging, right, kind
        self.near: list[set[int]] = [set() for _ in range(right.size)]
        for a, b in pairs.tolist():
            self.near[a].add(b)
            self.near[b].add(a)
        self.first: list[int] = list(range(right.size))
        """Union-find parent: another mention of the same entity, nearer to its representative."""
        self.pure = np.ones(right.size, bool)
        self.own: Any = np.zeros((right.size, len(merging.model.features)))
        """For each entity, the summed change of its merges."""
        self.rows: list[Floats] = []
        self.answers: list[NDArray[np.bool_]] = []

    def representative(self, mention: int) -> int:
        """Return the representative mention of an entity."""
        while self.first[mention] != mention:
            self.first[mention] = self.first[self.first[mention]]
            mention = self.first[mention]
        return mention

    def add(self, pairs: Ints) -> None:
        """Add an example for each pair of entities, given by their representatives."""
        if not len(pairs):
            return
        change = self.merging.changes(pairs)
        if self.kind == "entity":
            change = change + self.own[pairs[:, 0]] + self.own[pairs[:, 1]]
        self.rows.append(change)
        pure = self.pure[pairs[:, 0]] & self.pure[pairs[:, 1]]
        self.answers.append(_same(self.right, pairs) & pure)

    def merge(self, a: int, b: int, alternatives: int | None, rng: np.random.Generator) -> None:
        """Carry out a merge and add examples of the merges of the new entity."""
        a, b = self.representative(a), self.representative(b)
        (change,) = self.merging.changes(np.array([[a, b]]))
        self.merging.join(a, b)
        self.first[b] = a
        self.pure[a] &= self.pure[b] and self.right[a] == self.right[b]
        self.own[a] += self.own[b] + change
        others = {self.representative(mention) for mention in self.near[a] | self.near[b]} - {a}
        self.near[a] = others
        chosen = np.array(sorted(others), np.int64)
        if alternatives is not None and chosen.size > alternatives:
            chosen = rng.permutation(chosen)[:alternatives]
        self.add(np.stack([np.full(chosen.size, a), chosen], 1))

    def pieces(self) -> Pieces:
        """Return all examples."""
        features = self.merging.model.features
        if not self.rows:
            raise InputError("no pair of mentions is in one canopy; give pairs of mentions")
        return Pieces(features, np.concatenate(self.rows), np.concatenate(self.answers))


def piecewise(
    pieces: Pieces | Sequence[Pieces],
    *,
    l2: float = 1.0,
    toward: Mapping[str, float] | None = None,
    iterations: int = 500,
) -> Trained:
    """Fit the weights to the pieces: maximum likelihood with L2, by L-BFGS.

    Parameters
    ----------
    pieces
        Pieces of one or several data sets, from models with the same features.
    l2
        Strength of the penalty: l2 / 2 |w - w0|^2 is added to minus the log-likelihood.
    toward
        The centre of the penalty, w0, by feature, such as the weights of a simpler model; 0 for
        other features.
    """
    listed = [pieces] if isinstance(pieces, Pieces) else list(pieces)
    if not listed:
        raise InputError("there are no pieces; give at least one set of them")
    features = listed[0].features
    if any(piece.features != features for piece in listed):
        raise InputError("the pieces have different features; build all models alike")
    if isinstance(l2, bool) or not isinstance(l2, int | float) or not 0 <= l2 < np.inf:
        raise InputError(f"l2 is {l2!r}; give a number of at least 0")
    change = np.concatenate([piece.change for piece in listed])
    right = np.concatenate([piece.right for piece in listed])
    if right.all() or not right.any():
        word = "right" if right.all() else "wrong"
        raise InputError(
            f"all {right.size} sets of mentions are {word}; give pairs of both kinds to learn from"
        )
    if not change.any():
        raise InputError("every feature is constant; give features that differ between sets")
    unknown = sorted(set(toward or {}) - set(features))
    if unknown:
        raise InputError(f"toward names {unknown[0]!r}, which is not a feature; leave it out")
    origin = finite([(toward or {}).get(name, 0.0) for name in features], "toward")
    weights, rounds = _fit(change, right, float(l2), origin, whole(iterations, "iterations"))
    return Trained(weights, features, right.size, right.size, rounds)


def _fit(
    rows: Floats, right: NDArray[np.bool_], l2: float, origin: Floats, iterations: int
) -> tuple[Floats, int]:
    """Fit a logistic regression without intercept; return the weights and iterations."""
    sign = np.where(right, 1.0, -1.0)

    def aim(weights: Floats) -> tuple[float, Floats]:
        margin = sign * (rows @ weights)
        away = weights - origin
        value = float(np.logaddexp(0.0, -margin).sum()) + 0.5 * l2 * float(away @ away)
        return value, l2 * away - (sign * scipy.special.expit(-margin)) @ rows

    options = {"maxiter": iterations, "maxcor": 10}
    fit = scipy.optimize.minimize(aim, origin, jac=True, method="L-BFGS-B", options=options)
    return np.asarray(fit.x), int(fit.nit)
