"""ComplEx embeddings of entities and relations, fitted by Adagrad on sampled softmax losses.

score(h, r, t) = Re <h, r, conj(t)> (Trouillon et al. 2016). A fact costs -log softmax of its tail
among all entities, or among sampled ones, and the same of its head by a reciprocal relation; the
nuclear 3-norm penalty |h|^3 + |r|^3 + |t|^3 shrinks the factors (Lacroix et al. 2018). This is an
optimiser, not a sampler: scores are bilinear, so no weight vector has a delta here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError
from partita.kernel import Floats, Ints, Rng, entry
from partita.knowledge.triples import Triples
from partita.progress import Bars

__all__ = ["Embedding", "EmbeddingSettings", "Gradients", "fit_embedding", "loss_and_gradients"]

Rows = NDArray[np.float32]
SMALL = np.float32(1e-10)
"""Floor of the square root in Adagrad steps. Origin: Lacroix et al. 2018, PyTorch's default."""
START = 1e-3
"""Standard deviation of the first coordinates. Origin: Lacroix et al. 2018."""
MIN_BATCHES = 100
"""Steps of an epoch at least: few facts have small batches. Origin: countries, kinship."""
ROWS_AT_ONCE = 256
"""Queries that are scored against all entities at once, to bound memory."""


@dataclass(frozen=True)
class EmbeddingSettings:
    """Size and training of an embedding."""

    rank: int = 100
    epochs: int = 40
    rate: float = 0.1
    penalty: float = 0.012
    """Strength of the nuclear 3-norm. Origin: validation facts of kinship and nations."""
    batch: int = 128
    negatives: int = 2000
    """Entities of a sampled softmax; with fewer entities the softmax is exact."""

    def checked(self) -> EmbeddingSettings:
        """Raise an InputError for the first setting that cannot be."""
        for name in ("rank", "epochs", "batch", "negatives"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InputError(f"{name} is {value!r}; give a whole number above 0")
        for name in ("rate", "penalty"):
            value = getattr(self, name)
            if not isinstance(value, int | float) or not 0 <= value < np.inf:
                raise InputError(f"{name} is {value!r}; give a number of at least 0")
        return self


@dataclass(frozen=True, eq=False)
class Embedding:
    """Coordinates of entities and relations: real parts, then imaginary parts."""

    entity: Rows
    relation: Rows
    """One row for each relation, then one for each reciprocal relation."""

    def tail_scores(self, heads: Ints, relations: Ints) -> Rows:
        """Return the score of every entity as the tail: queries by entities."""
        return _query(self.entity[heads], self.relation[relations]) @ self.entity.T

    def head_scores(self, relations: Ints, tails: Ints) -> Rows:
        """Return the score of every entity as the head: queries by entities."""
        return self.tail_scores(tails, relations + len(self.relation) // 2)

    def answer(self, facts: Ints, side: str = "tail") -> Floats:
        """Score every entity as the tail (or head) of each fact: queries by entities."""
        head, relation, tail = facts.T
        if side == "tail":
            return np.asarray(self.tail_scores(head, relation), float)
        return np.asarray(self.head_scores(relation, tail), float)

    def log_shares(self, facts: Ints) -> Floats:
        """Return log p(tail | head, relation) and log p(head | relation, tail) of each fact."""
        shares = np.empty((len(facts), 2))
        for at in range(0, len(facts), ROWS_AT_ONCE):
            head, relation, tail = facts[at : at + ROWS_AT_ONCE].T
            both = (self.tail_scores(head, relation), self.head_scores(relation, tail))
            for side, (scores, answer) in enumerate(zip(both, (tail, head), strict=True)):
                top = scores.max(1, keepdims=True)
                mass = np.log(np.exp(scores - top).sum(1, dtype=np.float64)) + top[:, 0]
                shares[at : at + ROWS_AT_ONCE, side] = scores[np.arange(len(tail)), answer] - mass
        return shares


class Gradients(NamedTuple):
    """The loss of a batch and its gradients by head, relation, tail and shared entities."""

    loss: float
    head: Any
    relation: Any
    tail: Any
    shared: Any


def _query(head: Any, relation: Any) -> Any:
    """Return the complex product of head and relation: its dot product with a tail is the score."""
    rank = head.shape[1] // 2
    a, b, c, d = head[:, :rank], head[:, rank:], relation[:, :rank], relation[:, rank:]
    return np.concatenate([a * c - b * d, a * d + b * c], 1)


def _conjugate_product(gradient: Any, other: Any) -> Any:
    """Return gradient times the conjugate of a factor: the gradient of the other factor."""
    rank = gradient.shape[1] // 2
    a, b = gradient[:, :rank], gradient[:, rank:]
    c, d = other[:, :rank], other[:, rank:]
    return np.concatenate([a * c + b * d, b * c - a * d], 1)


def _penalty(rows: Any, strength: float) -> tuple[float, Any]:
    """Return strength * sum |x|^3 over complex coordinates, and its gradient."""
    rank = rows.shape[1] // 2
    size = np.sqrt(rows[:, :rank] ** 2 + rows[:, rank:] ** 2)
    return float(strength * (size**3).sum()), 3 * strength * np.tile(size, 2) * rows


def loss_and_gradients(
    head: Any, relation: Any, tail: Any, shared: Any, hits: Any, offset: float, penalty: float
) -> Gradients:
    """Return the loss of a batch of facts and its gradients.

    Parameters
    ----------
    head, relation, tail
        Coordinates of the facts, one row each.
    shared
        Coordinates of the entities with which all tails compete.
    hits
        Whether a shared entity is the tail of a fact itself: facts by shared entities.
    offset
        Log of the entities that each shared entity stands for.
    """
    query = _query(head, relation)
    own = (query * tail).sum(1)
    scores = query @ shared.T + query.dtype.type(offset)
    scores[hits] = -np.inf
    top = np.maximum(scores.max(1), own)
    weights = np.exp(scores - top[:, None])
    mass = weights.sum(1) + np.exp(own - top)
    weights /= mass[:, None]
    miss = -weights.sum(1)
    loss = float((np.log(mass) + top - own).sum())
    by_query = weights @ shared + miss[:, None] * tail
    parts = [_penalty(rows, penalty) for rows in (head, relation, tail)]
    return Gradients(
        loss + sum(cost for cost, _ in parts),
        _conjugate_product(by_query, relation) + parts[0][1],
        _conjugate_product(by_query, head) + parts[1][1],
        miss[:, None] * query + parts[2][1],
        weights.T @ query,
    )


@entry
def take_steps(rows: Rows, squares: Rows, places: Ints, gradient: Rows, rate: float) -> None:
    """Take one Adagrad step of each listed row along its gradient, in order."""
    for k in range(places.size):
        row = places[k]
        for j in range(rows.shape[1]):
            g = gradient[k, j]
            squares[row, j] += g * g
            rows[row, j] -= np.float32(rate) * g / (np.sqrt(squares[row, j]) + SMALL)


def fit_embedding(
    triples: Triples,
    settings: EmbeddingSettings | None = None,
    *,
    seed: int = 0,
    progress: bool = False,
) -> Embedding:
    """Fit the embedding of a knowledge base by stochastic gradient descent (Adagrad)."""
    chosen = (settings or EmbeddingSettings()).checked()
    if not triples.n:
        raise InputError("there is no true fact to fit; give at least one")
    rng = np.random.Generator(np.random.PCG64DXSM(seed))
    kinds, n, width = len(triples.relations), len(triples.entities), 2 * chosen.rank
    head, relation, tail = triples.facts.T
    facts = np.concatenate([triples.facts, np.stack([tail, relation + kinds, head], 1)])
    entity = (START * rng.standard_normal((n, width))).astype(np.float32)
    kind = (START * rng.standard_normal((2 * kinds, width))).astype(np.float32)
    squares = np.zeros_like(entity), np.zeros_like(kind)
    size = min(chosen.batch, max(1, len(facts) // MIN_BATCHES))
    batches = -(-len(facts) // size)
    with Bars(["embedding"], progress) as bars:
        for epoch in range(chosen.epochs):
            order = rng.permutation(len(facts))
            for at in range(batches):
                part = facts[order[at * size : (at + 1) * size]]
                _fit_batch(part, entity, kind, squares, chosen, rng)
            bars.show(0, (epoch + 1) / chosen.epochs, "")
    return Embedding(entity, kind)


def _fit_batch(
    facts: Ints,
    entity: Rows,
    kind: Rows,
    squares: tuple[Rows, Rows],
    settings: EmbeddingSettings,
    rng: Rng,
) -> None:
    n = len(entity)
    if n <= settings.negatives:
        shared, offset = np.arange(n), 0.0
    else:
        shared = rng.integers(0, n, settings.negatives)
        offset = float(np.log((n - 1) / settings.negatives))
    head, relation, tail = (np.ascontiguousarray(column) for column in facts.T)
    hits = tail[:, None] == shared
    rows = entity[head], kind[relation], entity[tail], entity[shared]
    gradients = loss_and_gradients(*rows, hits, offset, settings.penalty)
    by_entity, by_kind = squares
    take_steps(entity, by_entity, head, gradients.head, settings.rate)
    take_steps(entity, by_entity, tail, gradients.tail, settings.rate)
    take_steps(entity, by_entity, shared, gradients.shared, settings.rate)
    take_steps(kind, by_kind, relation, gradients.relation, settings.rate)
