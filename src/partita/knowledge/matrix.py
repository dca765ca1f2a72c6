"""Embeddings of entity pairs and relations that obey grounded rules (LOGIC).

A cell is a fact R(p) of a relation R and an entity pair p. Two forms, both fitted by SGD:

tensor   [R(p)] = [R][p] is a two-vector, near T = (1, 0) or F = (0, 1) (LOGIC, section 3). Loss of
         a formula: || [formula] - T ||, where the implication tensor maps truths a and b to
         (aT bT + aF bT + aF bF, aT bF) (LOGIC, section 2.1).
sigmoid  p(R(p)) = sigmoid([R].[p] + b_R). Loss: minus the log-likelihood; a grounded rule has the
         probability 1 - a (1 - b), where a is the product of its body's probabilities
         (Rocktaeschel, Singh, Riedel 2015). It is the form to use; the tensor form is the paper's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from partita.errors import InputError
from partita.kernel import Floats, Ints, Rng, entry, kernel, logistic

__all__ = [
    "FORMS",
    "Cells",
    "Formulae",
    "Matrix",
    "MatrixSettings",
    "fit_matrix",
    "implication",
    "sigmoid_loss",
    "tensor_loss",
]

FORMS = ("sigmoid", "tensor")
SMALL = 1e-12
"""Floor of a norm, so that its gradient is finite at 0."""


class Formulae(NamedTuple):
    """Cells with a target, and grounded implications between cells.

    Formula k is a cell where `length[k]` is 0: `head[k]` has the truth `target[k]`. Otherwise it is
    a rule: the cells body[k, :length] imply the cell `head[k]`.
    """

    head: Ints
    """Row (pair) and column (relation) of a cell, or of the head of a rule."""
    body: Ints
    """Formulae by atoms by (row, column)."""
    length: Ints
    target: Floats
    weight: Floats


class Cells(NamedTuple):
    """Parameters: pairs by rank, relations by rank (twice for tensors), biases of relations."""

    pair: Floats
    relation: Floats
    bias: Floats


@dataclass(frozen=True)
class MatrixSettings:
    """Size and training of a matrix of pairs and relations."""

    form: str = "sigmoid"
    rank: int = 4
    epochs: int = 100
    rate: float = 0.05
    l2: float = 0.05
    start: float = 0.1
    """Standard deviation of the first coordinates."""

    def checked(self) -> MatrixSettings:
        """Raise an InputError for the first setting that cannot be."""
        if self.form not in FORMS:
            raise InputError(f"form is {self.form!r}; give one of {', '.join(FORMS)}")
        for name in ("rank", "epochs"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InputError(f"{name} is {value!r}; give a whole number above 0")
        return self


@dataclass(frozen=True, eq=False)
class Matrix:
    """A fitted matrix of pairs and relations."""

    cells: Cells
    form: str
    losses: list[float] = field(default_factory=list)
    """The loss of each epoch, without the penalty."""

    def probabilities(self, rows: Ints | None = None) -> Floats:
        """Return the truth of every relation of the pairs, between 0 and 1: pairs by relations.

        Tensors: (<[F], (1, -1)> + 1) / 2, cut to [0, 1] (LOGIC, section 3.4).
        """
        pair = self.cells.pair if rows is None else self.cells.pair[rows]
        rank = pair.shape[1]
        if self.form == "sigmoid":
            return logistic(pair @ self.cells.relation.T + self.cells.bias)
        true, false = self.cells.relation[:, :rank], self.cells.relation[:, rank:]
        return np.clip((pair @ (true - false).T + 1.0) / 2.0, 0.0, 1.0)


@kernel
def implication(at: float, af: float, bt: float, bf: float) -> tuple[float, float]:
    """Return the truth vector of a => b by the implication tensor."""
    return at * bt + af * bt + af * bf, at * bf


@kernel
def dot(cells: Cells, row: int, column: int, shift: int) -> float:
    """Return the inner product of a pair and one half of a relation."""
    total = 0.0
    for j in range(cells.pair.shape[1]):
        total += cells.pair[row, j] * cells.relation[column, shift + j]
    return total


@kernel
def add_outer(cells: Cells, out: Cells, row: int, column: int, shift: int, slope: float) -> None:
    """Add slope times the gradient of `dot` to the gradients."""
    for j in range(cells.pair.shape[1]):
        # both are read first: in a step the gradients are written to the cells themselves
        own, other = cells.pair[row, j], cells.relation[column, shift + j]
        out.pair[row, j] += slope * other
        out.relation[column, shift + j] += slope * own


@kernel
def sigmoid(score: float) -> float:
    """Return 1 / (1 + exp(-score)), without overflow."""
    if score >= 0.0:
        return 1.0 / (1.0 + math.exp(-score))
    grown = math.exp(score)
    return grown / (1.0 + grown)


@kernel
def sigmoid_loss(cells: Cells, formulae: Formulae, k: int, out: Cells, step: float) -> float:
    """Return the loss of one formula; add step times its gradient to `out`."""
    row, column = formulae.head[k, 0], formulae.head[k, 1]
    weight = formulae.weight[k]
    b = sigmoid(dot(cells, row, column, 0) + cells.bias[column])
    if formulae.length[k] == 0:
        target = formulae.target[k]
        slope = weight * (b - target)
        add_outer(cells, out, row, column, 0, step * slope)
        out.bias[column] += step * slope
        chance = b if target > 0.5 else 1.0 - b
        return -weight * math.log(max(chance, SMALL))
    a = 1.0
    for m in range(formulae.length[k]):
        i, r = formulae.body[k, m, 0], formulae.body[k, m, 1]
        a *= sigmoid(dot(cells, i, r, 0) + cells.bias[r])
    chance = max(1.0 - a * (1.0 - b), SMALL)
    # d chance / d score of the head is a b (1 - b); of an atom of the body -a (1 - b) (1 - its p)
    slope = -weight * a * b * (1.0 - b) / chance
    for m in range(formulae.length[k]):
        i, r = formulae.body[k, m, 0], formulae.body[k, m, 1]
        own = sigmoid(dot(cells, i, r, 0) + cells.bias[r])
        fall = weight * a * (1.0 - b) * (1.0 - own) / chance
        add_outer(cells, out, i, r, 0, step * fall)
        out.bias[r] += step * fall
    add_outer(cells, out, row, column, 0, step * slope)
    out.bias[column] += step * slope
    return -weight * math.log(chance)


@kernel
def tensor_loss(cells: Cells, formulae: Formulae, k: int, out: Cells, step: float) -> float:
    """Return || [formula] - target || of a cell or of an implication with one atom as its body."""
    row, column = formulae.head[k, 0], formulae.head[k, 1]
    rank, weight = cells.pair.shape[1], formulae.weight[k]
    bt, bf = dot(cells, row, column, 0), dot(cells, row, column, rank)
    if formulae.length[k] == 0:
        target = formulae.target[k]
        et, ef = bt - target, bf - (1.0 - target)
        size = math.sqrt(et * et + ef * ef)
        unit = step * weight / max(size, SMALL)
        add_outer(cells, out, row, column, 0, unit * et)
        add_outer(cells, out, row, column, rank, unit * ef)
        return weight * size
    i, r = formulae.body[k, 0, 0], formulae.body[k, 0, 1]
    at, af = dot(cells, i, r, 0), dot(cells, i, r, rank)
    ft, ff = implication(at, af, bt, bf)
    et, ef = ft - 1.0, ff
    size = math.sqrt(et * et + ef * ef)
    unit = step * weight / max(size, SMALL)
    add_outer(cells, out, i, r, 0, unit * (et * bt + ef * bf))
    add_outer(cells, out, i, r, rank, unit * et * (bt + bf))
    add_outer(cells, out, row, column, 0, unit * et * (at + af))
    add_outer(cells, out, row, column, rank, unit * (et * af + ef * at))
    return weight * size


@kernel
def shrink(cells: Cells, row: int, column: int, factor: float) -> None:
    """Shrink the coordinates of a pair and a relation: the step of the L2 penalty."""
    for j in range(cells.pair.shape[1]):
        cells.pair[row, j] *= factor
    for j in range(cells.relation.shape[1]):
        cells.relation[column, j] *= factor


@entry
def run_epoch(
    cells: Cells, formulae: Formulae, order: Ints, rate: float, l2: float, tensors: bool
) -> float:
    """Take one SGD step for each formula, in the given order; return the sum of the losses."""
    total = 0.0
    for k in order:
        row, column = formulae.head[k, 0], formulae.head[k, 1]
        if tensors:
            total += tensor_loss(cells, formulae, k, cells, -rate)
        else:
            total += sigmoid_loss(cells, formulae, k, cells, -rate)
        shrink(cells, row, column, 1.0 - rate * l2)
    return total


def start_cells(pairs: int, relations: int, settings: MatrixSettings, rng: Rng) -> Cells:
    """Draw the first coordinates."""
    halves = 2 if settings.form == "tensor" else 1
    return Cells(
        settings.start * rng.standard_normal((pairs, settings.rank)),
        settings.start * rng.standard_normal((relations, halves * settings.rank)),
        np.zeros(relations),
    )


def fit_matrix(
    formulae: Formulae, pairs: int, relations: int, settings: MatrixSettings, *, seed: int = 0
) -> Matrix:
    """Fit cells and grounded rules by stochastic gradient descent, formula by formula."""
    chosen = settings.checked()
    if chosen.form == "tensor" and (formulae.length > 1).any():
        raise InputError("a rule has two atoms in its body; use the sigmoid form for it")
    rng = np.random.Generator(np.random.PCG64DXSM(seed))
    cells = start_cells(pairs, relations, chosen, rng)
    losses = []
    for _ in range(chosen.epochs):
        order = rng.permutation(len(formulae.head))
        losses.append(
            run_epoch(cells, formulae, order, chosen.rate, chosen.l2, chosen.form == "tensor")
        )
    return Matrix(cells, chosen.form, losses)
