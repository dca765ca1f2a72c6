"""Piecewise training: every predicate AreEqual(d) by itself, with a normaliser of its own.

MLNAGG section 3.5. A piece is a set of mentions that a weak clustering has put together, and asks
whether they are one entity; its normaliser sums over yes and no only, so that training is a
logistic regression, done by L-BFGS. There are two readings of "by itself":

- "merge": given that the two parts of the set are entities, P(yes) = sigma(w . (phi(with the set)
  - phi(with its parts))). This is what a merge is judged by when the model is searched or sampled.
- "entity": P(yes) = sigma(w . (phi(with the set) - phi(with all its mentions alone))): the set in
  isolation, as in the paper.

Of a set of two these are the same, and "pair" asks of nothing else.
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
    """Questions whether sets of mentions are one entity: features, and the answers."""

    features: list[str]
    change: Floats
    """One row each: what yes changes of every feature."""
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
    """Sets of mentions that a weak clustering would put together, as questions about `model`.

    The weak model is merged greedily; whatever is grounded on the way is asked. Of "merge" a wrong
    merge is asked but never made, so that later questions are about entities that are right so
    far; of "entity" the weak clustering goes its own way.

    Parameters
    ----------
    model
        The model to be trained; its weights do not matter.
    weak
        A model that needs no training, such as an affinity of string similarities.
    pairs
        Pairs of mentions in one canopy.
    truth
        The true entity of each mention.
    kind
        What is asked: of a "merge" of two entities, of an "entity" by itself, or only of every
        "pair" of mentions.
    alternatives
        After each merge so many candidates of the new entity are asked, at random; by default all.
    """
    right = np.unique(named(truth, "truth"), return_inverse=True)[1].reshape(-1)
    if kind not in KINDS:
        raise InputError(f"kind is {kind!r}; give one of {', '.join(KINDS)}")
    if alternatives is not None:
        whole(alternatives, "alternatives", 0)
    listed = np.asarray(pairs, np.int64).reshape(-1, 2)
    start = Partition.singletons(right.size)
    # of merges, a pair that is wrong is asked at once and never merged
    kept = listed[_same(right, listed)] if kind == "merge" else listed
    order = [] if kind == "pair" else greedy_merges(weak, kept, start).merges.tolist()
    rng = np.random.default_rng(random_seed)
    asked = Asked(Merging(model, start), listed, right, kind)
    asked.ask(listed)
    for a, b in order:
        asked.merge(a, b, alternatives, rng)
    return asked.pieces()


def _same(right: Ints, pairs: Ints) -> NDArray[np.bool_]:
    return np.asarray(right[pairs[:, 0]] == right[pairs[:, 1]])


class Asked:
    """Questions gathered along the merges of a weak clustering."""

    def __init__(self, merging: Merging, pairs: Ints, right: Ints, kind: str) -> None:
        self.merging, self.right, self.kind = merging, right, kind
        self.near: list[set[int]] = [set() for _ in range(right.size)]
        for a, b in pairs.tolist():
            self.near[a].add(b)
            self.near[b].add(a)
        self.first: list[int] = list(range(right.size))
        """Another mention of the same entity, nearer to the one that it is called by."""
        self.pure = np.ones(right.size, bool)
        self.own: Any = np.zeros((right.size, len(merging.model.features)))
        """Of each entity, what its merges have changed."""
        self.rows: list[Floats] = []
        self.answers: list[NDArray[np.bool_]] = []

    def called(self, mention: int) -> int:
        """The mention by which an entity is called."""
        while self.first[mention] != mention:
            self.first[mention] = self.first[self.first[mention]]
            mention = self.first[mention]
        return mention

    def ask(self, pairs: Ints) -> None:
        """Enter a question for each pair of entities, named by mentions of theirs."""
        if not len(pairs):
            return
        change = self.merging.changes(pairs)
        if self.kind == "entity":
            change = change + self.own[pairs[:, 0]] + self.own[pairs[:, 1]]
        self.rows.append(change)
        pure = self.pure[pairs[:, 0]] & self.pure[pairs[:, 1]]
        self.answers.append(_same(self.right, pairs) & pure)

    def merge(self, a: int, b: int, alternatives: int | None, rng: np.random.Generator) -> None:
        """Carry a merge out and ask about those that the new entity could make."""
        a, b = self.called(a), self.called(b)
        (change,) = self.merging.changes(np.array([[a, b]]))
        self.merging.join(a, b)
        self.first[b] = a
        self.pure[a] &= self.pure[b] and self.right[a] == self.right[b]
        self.own[a] += self.own[b] + change
        others = {self.called(one) for one in self.near[a] | self.near[b]} - {a}
        self.near[a] = others
        chosen = np.array(sorted(others), np.int64)
        if alternatives is not None and chosen.size > alternatives:
            chosen = rng.permutation(chosen)[:alternatives]
        self.ask(np.stack([np.full(chosen.size, a), chosen], 1))

    def pieces(self) -> Pieces:
        """All that was asked."""
        features = self.merging.model.features
        if not self.rows:
            raise InputError("no pair of mentions is in one canopy; give some pairs")
        return Pieces(features, np.concatenate(self.rows), np.concatenate(self.answers))


def piecewise(
    pieces: Pieces | Sequence[Pieces],
    *,
    l2: float = 1.0,
    toward: Mapping[str, float] | None = None,
    iterations: int = 500,
) -> Trained:
    """The weights that answer the pieces best: maximum likelihood with L2, by L-BFGS.

    Parameters
    ----------
    pieces
        Those of one or several data sets, of models with the same features.
    l2
        Strength of the pull: l2 / 2 |w - w0|^2 is added to minus the log-likelihood.
    toward
        Where the pull goes, w0, by feature, such as what a simpler model has learned; others, and
        by default all, are pulled to zero.
    """
    given = [pieces] if isinstance(pieces, Pieces) else list(pieces)
    if not given:
        raise InputError("there is nothing to learn from; give at least one set of pieces")
    features = given[0].features
    if any(one.features != features for one in given):
        raise InputError("the pieces have different features; build all models alike")
    if isinstance(l2, bool) or not isinstance(l2, int | float) or not 0 <= l2 < np.inf:
        raise InputError(f"l2 is {l2!r}; give a number of at least 0")
    change = np.concatenate([one.change for one in given])
    right = np.concatenate([one.right for one in given])
    if right.all() or not right.any():
        word = "right" if right.all() else "wrong"
        raise InputError(
            f"all {right.size} sets of mentions are {word}; give pairs of both kinds to learn from"
        )
    if not change.any():
        raise InputError("every feature is constant; give features that differ between sets")
    unknown = sorted(set(toward or {}) - set(features))
    if unknown:
        raise InputError(f"toward names {unknown[0]!r}, which is no feature; leave it out")
    origin = finite([(toward or {}).get(name, 0.0) for name in features], "toward")
    found, rounds = _fitted(change, right, float(l2), origin, whole(iterations, "iterations"))
    return Trained(found, features, right.size, right.size, rounds)


def _fitted(
    rows: Floats, right: NDArray[np.bool_], l2: float, origin: Floats, iterations: int
) -> tuple[Floats, int]:
    """Logistic regression without a constant, and its iterations."""
    sign = np.where(right, 1.0, -1.0)

    def aim(weights: Floats) -> tuple[float, Floats]:
        margin = sign * (rows @ weights)
        away = weights - origin
        value = float(np.logaddexp(0.0, -margin).sum()) + 0.5 * l2 * float(away @ away)
        return value, l2 * away - (sign * scipy.special.expit(-margin)) @ rows

    options = {"maxiter": iterations, "maxcor": 10}
    found = scipy.optimize.minimize(aim, origin, jac=True, method="L-BFGS-B", options=options)
    return np.asarray(found.x), int(found.nit)
