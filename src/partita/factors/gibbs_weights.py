"""Batched Gibbs weights: the scores of one mention with every entity, in one pass over its row.

Without them, a proposal that scores all entities of a mention's candidates reads the mention's
pairs once per entity.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from partita.kernel import Context, kernel
from partita.states.scratch import GibbsWeights

__all__ = ["build_gibbs_weights"]


@kernel
def no_gibbs_weights(context: Context, state: Any, gibbs_weights: GibbsWeights, i: int) -> None:
    """The end of the fold."""


def build_gibbs_weights(templates: Sequence[Any]) -> Any:
    """Compile the batched Gibbs weights of the templates that have them; None if none has."""
    compiled = None
    for number in reversed(range(len(templates))):
        own = templates[number].fast.gibbs_weights
        if own is not None:
            compiled = _fold(number, own, compiled or no_gibbs_weights)
    return compiled


def _fold(number: int, add_gibbs_weights: Any, rest: Any) -> Any:
    @kernel
    def both(context: Context, state: Any, gibbs_weights: GibbsWeights, i: int) -> None:
        add_gibbs_weights(context.tables[number], context.deltas[number], state, gibbs_weights, i)
        rest(context, state, gibbs_weights, i)

    return both
