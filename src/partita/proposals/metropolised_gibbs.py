"""Metropolised Gibbs: draw a label among the others by score, then test it (Liu 1996)."""

from __future__ import annotations

import math
from typing import Any

from partita.kernel import Context, NoTable, Rng, below, kernel
from partita.proposals.choose import is_chosen, is_usable, log_add
from partita.proposals.proposal import Engine, Proposal
from partita.states import Labels, Relabel

__all__ = ["metropolised_gibbs_label"]


def metropolised_gibbs_label() -> Proposal:
    """Draw one of the other labels of a random variable by score, then accept or reject it.

    Unlike Gibbs it never proposes the current label, so a learner always compares a label with its
    strongest competitors. q(new) = exp(score of new) / sum over all labels but the old one.
    """

    def bind(engine: Engine) -> Any:
        estimate = engine.estimate

        @kernel
        def propose(
            rng: Rng, table: NoTable, state: Labels, context: Context, temperature: float
        ) -> tuple[Relabel, float]:
            v = below(rng, state.label.size)
            old = state.label[v]
            held, weight, rest, total = old, -math.inf, -math.inf, -math.inf
            for new in range(state.domain[v]):
                if new != old:
                    score = estimate(rng, context, state, Relabel(v, old, new))
                    if not is_usable(context, score):
                        break
                    score /= temperature
                    before, total = total, log_add(total, score)
                    if held == old or is_chosen(rng, total, score):
                        rest, held, weight = before, new, score
                    else:
                        rest = log_add(rest, score)
            if held == old or weight == -math.inf:
                return Relabel(v, old, old), 0.0
            forth = weight - total
            # from the new label, the old one is among the other labels
            return Relabel(v, old, held), -log_add(rest, 0.0) - forth

        return propose

    return Proposal("metropolised_gibbs_label", Labels, bind)
