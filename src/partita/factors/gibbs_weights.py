"""What draws one mention to every entity at once, for templates that see it in one pass.

A proposal that weighs all entities of a mention's candidates would otherwise read the mention's
pairs once for each of them.
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
    """Compile the batched Gibbs weights of all templates that have them; None if none has."""
    found = None
    for number in reversed(range(len(templates))):
        if templates[number].gibbs_weights is not None:
            found = _fold(number, templates[number].gibbs_weights, found or no_gibbs_weights)
    return found


def _fold(number: int, add_gibbs_weights: Any, rest: Any) -> Any:
    @kernel
    def both(context: Context, state: Any, gibbs_weights: GibbsWeights, i: int) -> None:
        add_gibbs_weights(context.tables[number], context.deltas[number], state, gibbs_weights, i)
        rest(context, state, gibbs_weights, i)

    return both
