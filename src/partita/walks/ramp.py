"""Ramp: weights that rise from a start value to the model's own while a chain tunes.

Some targets have barriers that no local move crosses, such as K^-N in the entity/mention model. A
chain that begins with such a factor switched off, and regains it gradually, walks around
them. After the first half of tuning the weights are the model's own, so what is kept is exact.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from partita.errors import InputError
from partita.factors import Model
from partita.factors.template import finite
from partita.kernel import Floats

__all__ = ["Ramp", "ramp_of"]

PART = 0.5
"""The share of tuning after which weights are the model's own."""


@dataclass(frozen=True)
class Ramp:
    """Where weights begin and where they end."""

    first: Floats
    last: Floats

    def at(self, tuned: float) -> Floats:
        """The weights at a fraction of tuning."""
        share = min(1.0, tuned / PART)
        return self.last if share == 1.0 else self.first + share * (self.last - self.first)


def ramp_of(model: Model, given: Mapping[str, float] | None, mode: str, tune: int) -> Ramp | None:
    """The ramp that a run asks for: a multiple of its weight by feature, from which it rises."""
    if not given:
        return None
    if mode != "posterior" or tune < 2:
        raise InputError(
            f"a ramp needs tuning in which to rise, but mode is {mode!r} and tune is {tune}; "
            "give mode='posterior' and tune of at least 2"
        )
    first = model.weights.copy()
    for name, share in given.items():
        start = float(finite(share, f"the start of the ramp of {name!r}"))
        own = model.weight(name)
        first[model.features.index(name)] = start * own
    return Ramp(first, model.weights)
