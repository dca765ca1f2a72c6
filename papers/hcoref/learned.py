"""What the flat methods need to know, from development data alone.

Weights of the pairwise model are SampleRank's. Concentrations of the Dirichlet-multinomial entities
start where the true entities are likeliest, and are then moved one at a time, as is the cost of
an entity, while the pairwise F1 of a search on the development data rises: its words are not drawn
independently, as the model believes, so that the likelihood trusts titles too much.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from papers.hcoref.data import Case
from partita.metrics import pairwise
from partita.scale import Settings, dirichlet_entities, search
from partita.scale.fitting import likely_concentrations, ranked_weights

__all__ = ["SEARCH", "Learned", "learn"]

SEARCH = Settings(temperatures=(0.3, 0.3), chunk=8192)
"""Of every search. The temperature, the length and the shares of moves were chosen on 145,000
mentions of the seeds 1, 2 and 1001 to 1003."""
COST = "cost of an entity"
STRIDE, ROUNDS, ENOUGH = 0.8, 2, 5e-4


@dataclass(frozen=True)
class Learned:
    """Weights and costs of the pairwise model, concentrations and cost of the other."""

    weights: dict[str, float]
    cost: float
    concentration: dict[str, float]
    entity: float


def learn(case: Case, seed: int) -> Learned:
    """Everything from one development set."""
    weights, cost = ranked_weights(case.mentions, case.truth, seed=seed)
    likely = likely_concentrations(case.mentions, case.truth)
    names = list(likely)

    def quality(at: dict[str, float]) -> float:
        scheme = dirichlet_entities(
            case.mentions.vocabulary, {name: np.exp(at[name]) for name in names}, cost=at[COST]
        )
        return pairwise(search(case.mentions, scheme, SEARCH).labels, case.truth).f1

    best = climbed(quality, {**{name: float(np.log(likely[name])) for name in names}, COST: 0.0})
    entity = best.pop(COST)
    chosen = {name: float(np.exp(value)) for name, value in best.items()}
    return Learned(weights, cost, chosen, entity)


def climbed(quality: Callable[[dict[str, float]], float], at: dict[str, float]) -> dict[str, float]:
    """Where no step along one axis is better; steps are halved from round to round."""
    best, stride = quality(at), STRIDE
    for _ in range(ROUNDS):
        for name in at:
            for way in (stride, -stride):
                while True:
                    there = {**at, name: at[name] + way}
                    found = quality(there)
                    if found < best + ENOUGH:
                        break
                    best, at = found, there
        stride /= 2
    return at
