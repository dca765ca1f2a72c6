"""Table 1 of LOGIC: seven pairs and six relations, with and without two rules, over seeds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from partita.kernel import Floats
from partita.knowledge.matrix import Formulae, Matrix, MatrixSettings, fit_matrix

__all__ = ["FALSE_TESTS", "PAIRS", "PAPER", "RELATIONS", "TRUE_TESTS", "run_toy", "summarise"]

PAIRS = (
    *("Jones, UWash", "Taylor, UCL", "Smith, Cambridge", "Williams, Oxford"),
    *("Brown, Cambridge", "Davies, London", "Evans, Paris"),
)
RELATIONS = ("profAt", "worksFor", "employeeAt", "registeredIn", "livesIn", "bornIn")
RULES = ((0, 1), (3, 4))
"""profAt => worksFor and registeredIn => livesIn."""
TRUE = (
    *((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (2, 0), (3, 1), (3, 4), (4, 1), (4, 4)),
    *((5, 3), (5, 5), (6, 3), (6, 5)),
)
"""Training cells, by pair and relation: those near 1 in the paper that are no test cells."""
TRUE_TESTS = ((2, 1), (2, 2), (5, 4), (6, 4))
FALSE_TESTS = ((3, 0), (4, 0), (4, 3))
SMITH = 2
"""The row whose unobserved cells the paper cannot have trained as false (they are above .7)."""
WEAK = 0.1
"""Weight of an unobserved cell as a false one, in the sigmoid form. Origin: the prototype."""
PAPER = {
    "facts": (
        (1.00, 1.00, 1.00, 0.00, 0.18, 0.01),
        (1.00, 1.00, 0.98, 0.00, 0.20, 0.00),
        (0.98, 0.00, 0.64, 0.75, 0.07, 0.72),
        (0.02, 1.00, 0.08, 0.00, 0.93, 0.02),
        (0.00, 0.97, 0.02, 0.01, 0.95, 0.06),
        (0.00, 0.00, 0.00, 0.99, 0.50, 1.00),
        (0.00, 0.00, 0.00, 1.00, 0.48, 1.00),
    ),
    "rules": (
        (0.98, 0.98, 0.95, 0.03, 0.00, 0.04),
        (0.98, 0.96, 0.95, 0.05, 0.00, 0.06),
        (0.92, 0.97, 0.89, 0.04, 0.04, 0.05),
        (0.05, 0.91, 0.02, 0.05, 0.87, 0.06),
        (0.01, 0.90, 0.00, 0.07, 0.92, 0.07),
        (0.01, 0.00, 0.00, 0.98, 0.98, 0.97),
        (0.00, 0.00, 0.00, 0.97, 1.00, 0.96),
    ),
}
SETTINGS = {
    "tensor": MatrixSettings(form="tensor", rank=4, epochs=100, rate=0.05, l2=0.005, start=0.5),
    "sigmoid": MatrixSettings(form="sigmoid", rank=4, epochs=600, rate=0.05, l2=0.015, start=0.1),
}
"""Rank and rate are the paper's; with its L2 of .05 on every step nothing is learned."""


def build_formulae(form: str, *, rules: bool) -> Formulae:
    """Build the training cells and, with `rules`, both rules unrolled over all pairs."""
    tests = set(TRUE_TESTS) | set(FALSE_TESTS)
    rows: list[tuple[tuple[int, int], tuple[int, int], int, float, float]] = []
    for i in range(len(PAIRS)):
        for r in range(len(RELATIONS)):
            cell = (i, r)
            if cell in TRUE:
                rows.append((cell, (0, 0), 0, 1.0, 1.0))
            elif form == "sigmoid":
                rows.append((cell, (0, 0), 0, 0.0, WEAK))
            elif i != SMITH and cell not in tests:
                rows.append((cell, (0, 0), 0, 0.0, 1.0))
    if rules:
        rows += [((i, b), (i, a), 1, 1.0, 1.0) for a, b in RULES for i in range(len(PAIRS))]
    head, body, length, target, weight = (np.array(column) for column in zip(*rows, strict=True))
    return Formulae(head, body[:, None, :], length, target, weight)


@dataclass(frozen=True, eq=False)
class Toy:
    """The matrices of one form over seeds: seeds by pairs by relations."""

    form: str
    facts: Floats
    rules: Floats
    losses: Floats
    """The training loss of the run with rules, by seed."""

    def right(self, values: Floats) -> Floats:
        """Return the number of right test cells of each seed."""
        above = sum((values[:, i, r] > 0.5).astype(int) for i, r in TRUE_TESTS)
        return np.asarray(above + sum((values[:, i, r] < 0.5) for i, r in FALSE_TESTS))


def run_toy(form: str, seeds: int) -> Toy:
    """Fit the matrix with and without rules, once for each seed."""
    size = (len(PAIRS), len(RELATIONS))
    matrices: dict[bool, list[Matrix]] = {
        rules: [
            fit_matrix(build_formulae(form, rules=rules), *size, SETTINGS[form], seed=seed)
            for seed in range(seeds)
        ]
        for rules in (False, True)
    }
    values = [np.stack([m.probabilities() for m in matrices[rules]]) for rules in (False, True)]
    return Toy(form, *values, np.array([m.losses[-1] for m in matrices[True]]))


def summarise(toy: Toy) -> dict[str, Any]:
    """Return the shares of right cells, the true cells and the rise of false cells, for JSON."""
    best = int(np.argmin(toy.losses))
    rise = [toy.rules[:, i, r] - toy.facts[:, i, r] for i, r in FALSE_TESTS]
    tests = len(TRUE_TESTS) + len(FALSE_TESTS)
    names = {f"{RELATIONS[r]} of {PAIRS[i]}": (i, r) for i, r in TRUE_TESTS + FALSE_TESTS}
    return {
        "form": toy.form,
        "seeds": len(toy.losses),
        "all_right_facts": float((toy.right(toy.facts) == tests).mean()),
        "all_right_rules": float((toy.right(toy.rules) == tests).mean()),
        "cells_right_facts": float(toy.right(toy.facts).mean() / tests),
        "cells_right_rules": float(toy.right(toy.rules).mean() / tests),
        "largest_rise_of_a_false_cell": float(np.max(rise)),
        "mean_rise_of_false_cells": float(np.mean(rise)),
        "cells": {
            name: [float(toy.facts[:, i, r].mean()), float(toy.rules[:, i, r].mean())]
            for name, (i, r) in names.items()
        },
        "best_seed": best,
        "best_facts": toy.facts[best].round(2).tolist(),
        "best_rules": toy.rules[best].round(2).tolist(),
    }
