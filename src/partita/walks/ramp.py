"""Ramp: weights that rise from a start value to the model's own while a chain tunes.

Some targets have barriers that no local move crosses, such as K^-N in the entity/mention model. A
chain avoids them if it starts without such a factor and its weight rises gradually. After the
first half of tuning the weights are the model's own, so recorded draws are exact.
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
    """First and last values of the weights."""

    first: Floats
    last: Floats

    def at(self, tuned: float) -> Floats:
        """The weights at a fraction of tuning."""
        share = min(1.0, tuned / PART)
        return self.last if share == 1.0 else self.first + share * (self.last - self.first)


def ramp_of(model: Model, starts: Mapping[str, float] | None, mode: str, tune: int) -> Ramp | None:
    """Build the ramp of a run, from the multiple of its weight at which each feature starts."""
    if not starts:
        return None
    if mode != "posterior" or tune < 2:
        raise InputError(
            f"a ramp needs tuning in which to rise, but mode is {mode!r} and tune is {tune}; "
            "give mode='posterior' and tune of at least 2"
        )
    first = model.weights.copy()
    for name, share in starts.items():
        start = float(finite(share, f"the start of the ramp of {name!r}"))
        own = model.weight(name)
        first[model.features.index(name)] = start * own
    return Ramp(first, model.weights)
