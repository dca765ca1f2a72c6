"""Cases of parameter updates: a block on a finite set of values, with the naive twin of its target.

A case restricts a block to updates that stay within a finite set: exact draws from a grid,
indicators, and the orbit of a deterministic proposal. Rates are real numbers; on a grid of them a
proposal with unequal probabilities stands in for the continuous ones.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from partita.factors import Field, FieldSwap, Model, RatePrior, hit_miss_model, size_law
from partita.factors.entity_model.swaps import SWAP_PRIOR
from partita.factors.parameters import Conditional, Metropolis, ParameterBlock
from partita.states import Partition
from tests.laws import naive
from tests.laws.generative_cases import (
    BACKGROUND,
    LEVELS,
    PAIRS,
    PHI,
    fields_twin,
    sizes_twin,
)

LABELS = np.array([0, 0, 0, 1, 1])
N = LABELS.size
GRID = np.geomspace(0.5, 8.0, 5)
PRIOR = RatePrior([6.0, 2.0, 1.5], BACKGROUND, GRID)
RATES = np.array([0.7, 0.2, 0.1])
CODES = np.array([[0, 1, 0, 3, 5], [2, 2, -1, 4, 4]])


@dataclass(frozen=True)
class ParameterCase:
    """One block of a model at a state, and the log target of each value that it can have."""

    name: str
    model: Model
    block: ParameterBlock
    values: list[np.ndarray[Any, Any]]
    log_target: Callable[[Any], float]
    number: int = 0
    labels: Any = None
    reversible: bool = True
    """Whether detailed balance holds, not only invariance: a scan in turn is not reversible."""

    def start(self, value):
        """A table at the state of the case with a value written into it."""
        state = Partition.of(LABELS if self.labels is None else self.labels)
        table = self.model.tables(state)[self.number]
        self.block.write(table, state, value)
        return table, state

    def target(self):
        scores = np.array([self.log_target(value) for value in self.values])
        weights = np.exp(scores - scores.max())
        return weights / weights.sum()


def law_case():
    totals, repeats = [0.5, 4.0, 30.0], [0.2, 0.7]
    model = Model(size_law(N, alone=2, totals=totals, repeats=repeats))
    values = [np.array(value) for value in itertools.product(totals, repeats)]

    def log_target(value):
        return float(sizes_twin(*value, 2)(LABELS)[0]) + math.lgamma(value[0])

    return ParameterCase("size law", model, model.templates[0].parameters[0], values, log_target)


def rate_model():
    ratios = np.log(RATES / BACKGROUND)
    ratios[0] = math.log(RATES[0])
    fields = {
        name: Field(codes, PHI, ratios, PAIRS, LEVELS, GRID[2], prior=PRIOR)
        for name, codes in zip("ab", CODES, strict=True)
    }
    return Model(hit_miss_model(fields))


def log_rates(value):
    """The twin's density of rates and concentration of the first field, on the simplex."""
    rates, theta = value[:-1], float(value[-1])
    ratios = np.log(rates / BACKGROUND)
    ratios[0] = math.log(rates[0])
    field = Field(CODES[0], PHI, ratios, PAIRS, LEVELS, theta)
    prior = float(((np.array(PRIOR.rates) - 1.0) * np.log(rates)).sum())
    return prior + float(fields_twin([field], [rates], [theta])(LABELS)[0])


def rate_cases():
    model = rate_model()
    block = model.templates[0].parameters[0]
    tallied, shifting = block.conditionals
    # theta given latent values and copies, which are drawn and summed over by the law
    exact = replace(block, conditionals=(tallied._replace(updates=tallied.updates[2:]),))
    grid = [np.append(RATES, theta) for theta in GRID]
    yield ParameterCase("concentration", model, exact, grid, log_rates)
    shift = shifting.updates[0]._replace(repeats=1)
    once = replace(block, conditionals=(shifting._replace(updates=(shift,)),))
    orbit = [shifted(theta) for theta in GRID]

    def log_orbit(value):
        # the volume that the map from the first value of the orbit takes along
        return log_rates(value) + 2.0 * math.log((1.0 - value[0]) / (1.0 - orbit[0][0]))

    yield ParameterCase("shift of rate and concentration", model, once, orbit, log_orbit)
    yield neighbour_case(model, block, shift)


def shifted(theta, kept=0.3 * 2.0 / 3.0):
    """The rates that go with theta where (1 - k_0) theta / (1 + theta) is given."""
    same = 1.0 - kept * (1.0 + theta) / theta
    return np.array([same, *(RATES[1:] * (1.0 - same) / RATES[1:].sum()), theta])


def neighbour_case(model, block, shift):
    """Metropolis steps along a grid of k_0, to the right more often than to the left."""
    values = [np.array([same, 2 * (1 - same) / 3, (1 - same) / 3, 1.0]) for same in (0.3, 0.6, 0.9)]
    right = 0.7

    def propose(rng, value, given):
        at = int(np.argmin([abs(value[0] - one[0]) for one in values]))
        up = rng.random() < right
        to = at + 1 if up else at - 1
        if not 0 <= to < len(values):
            return value, -math.inf
        forth, back = (right, 1 - right) if up else (1 - right, right)
        return values[to], math.log(back) - math.log(forth)

    update = Metropolis(propose, shift.log_density)
    given = block.conditionals[1].condition
    restricted = replace(block, conditionals=(Conditional(given, (update,)),))
    return ParameterCase("rates on a grid", model, restricted, values, log_rates)


def swap_case(eligible, labels, reversible):
    codes = np.array([[0, 3, 0, 1, -1], [3, 0, 3, 2, 1]])
    phi = np.array([[0.5, 0.3, 0.15, 0.05], [0.1, 0.2, 0.3, 0.4]])
    ratios, start = np.log([0.8, 0.2]), np.array([0, 1, 0, 0, 1])
    fields = {
        name: Field(one, frequency, ratios, [], [], 2.0)
        for name, one, frequency in zip("ab", codes, phi, strict=True)
    }
    model = Model(hit_miss_model(fields, swaps=[FieldSwap("a", "b", start, eligible)]))

    def log_target(value):
        indicators = start.copy()
        indicators[eligible] = value
        shown = np.where(indicators != start, codes[::-1], codes)
        twin = [
            {"codes": one, "phi": frequency, "ratios": ratios, "levels": {}, "theta": 2.0}
            | {"term_frequency": 0.0}
            for one, frequency in zip(shown, phi, strict=True)
        ]
        alone = sum(np.log(phi[q][one[one >= 0]]).sum() for q, one in enumerate(shown))
        swapped = int(indicators.sum())
        share = math.lgamma(SWAP_PRIOR[0] + swapped) + math.lgamma(SWAP_PRIOR[1] + N - swapped)
        return float(naive.hit_miss(twin)(labels).sum() + alone) + share

    values = [np.array(v, np.int8) for v in itertools.product((0, 1), repeat=len(eligible))]
    block = model.templates[0].parameters[0]
    name = f"swaps of {len(eligible)}"
    return ParameterCase(name, model, block, values, log_target, 0, labels, reversible)


CASES = [
    law_case(),
    *rate_cases(),
    swap_case([1], LABELS, True),
    swap_case([0, 1, 3], LABELS, False),
]
