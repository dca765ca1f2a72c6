"""Model: templates and one weight vector with named features."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from partita.errors import InputError, ModelError
from partita.factors.parameters import ParameterBlock
from partita.factors.template import Template, finite
from partita.kernel import Floats, dump
from partita.states import SPACES
from partita.states.checks import shown

__all__ = ["Model"]


class Model:
    """Templates over one type of state, log-linear in one weight vector.

    log p(y) = w . phi(y) + const (MCMCMC equations 1-3), where phi is the concatenation of the
    templates' features. The name of a feature is `template.feature`.

    Parameters
    ----------
    templates
        At least one; equal names get a number to make them distinct.
    weights
        Values by feature name; other features keep the start weight of their template.
    """

    def __init__(self, *templates: Template, weights: Mapping[str, float] | None = None) -> None:
        if not templates:
            raise ModelError("a model needs at least one template; none was given")
        for template in templates:
            if not isinstance(template, Template):
                raise ModelError(
                    f"{shown(template)} is not a template; give templates, such as affinity(...)"
                )
        kinds = {template.state for template in templates}
        if len(kinds) > 1:
            names = " and ".join(sorted(kind.__name__ for kind in kinds))
            raise ModelError(
                f"the templates score {names}; give a model templates of one type of state"
            )
        self.templates = templates
        self.state = kinds.pop()
        self.names = _distinct([template.name for template in templates])
        self.widths = [len(template.features) for template in templates]
        self.features = [
            f"{name}.{feature}"
            for name, template in zip(self.names, templates, strict=True)
            for feature in template.features
        ]
        self._places = {name: k for k, name in enumerate(self.features)}
        self.weights: Floats = np.concatenate([template.weights for template in templates])
        self.set_weights(weights or {})

    def __repr__(self) -> str:
        parts = ", ".join(f"{n} ({w})" for n, w in zip(self.names, self.widths, strict=True))
        return f"Model of {self.state.__name__}: {parts}"

    def set_weights(self, weights: Mapping[str, float] | ArrayLike) -> Model:
        """Set weights by feature name, or all weights by a vector; return the model."""
        if isinstance(weights, Mapping):
            places = [self._place(name) for name in weights]
            values = [finite(value, f"the weight of {name!r}") for name, value in weights.items()]
            for place, value in zip(places, values, strict=True):
                self.weights[place] = value
            return self
        vector = finite(weights, "weights")
        if vector.shape != self.weights.shape:
            raise InputError(
                f"{vector.size} weights for {self.weights.size} features; give one for each"
            )
        self.weights = vector.copy()
        return self

    def _place(self, feature: str) -> int:
        if feature not in self._places:
            raise InputError(f"there is no feature {feature!r}; name one of {_some(self.features)}")
        return self._places[feature]

    def weight(self, feature: str) -> float:
        """Return the weight of one feature."""
        return float(self.weights[self._place(feature)])

    def named(self) -> dict[str, float]:
        """Return all weights by feature name."""
        return dict(zip(self.features, self.weights.tolist(), strict=True))

    @property
    def unknown(self) -> list[str]:
        """The names of templates with unknown parameters."""
        both = zip(self.names, self.templates, strict=True)
        return [name for name, template in both if template.parameters]

    def blocks(self) -> list[tuple[str, int, ParameterBlock]]:
        """All parameter blocks: name, number of the template, and the block itself."""
        return [
            (f"{self.names[number]}.{block.name}", number, block)
            for number, template in enumerate(self.templates)
            for block in template.parameters
        ]

    def tables(self, state: Any) -> tuple[Any, ...]:
        """Build one table per template for a chain at this state, with its own caches."""
        return tuple(
            template.cache.prepare(template.table, state)
            if template.cache.prepare
            else template.table
            for template in self.templates
        )

    def bounds(self) -> Floats:
        """Return the largest change of score of one factor, by template; infinite where unknown."""
        bounds, start = [], 0
        for template, width in zip(self.templates, self.widths, strict=True):
            part = self.weights[start : start + width]
            bounds.append(template.bound(part) if template.bound else np.inf)
            start += width
        return np.array(bounds)

    def check(self, state: Any) -> None:
        """Raise an InputError if a start state does not fit the templates."""
        if type(state) is not self.state:
            raise InputError(
                f"the start is {type(state).__name__} but the model scores"
                f"{self.state.__name__}; build the start with {self.state.__name__}.of(...)"
            )
        for name, array in dump(state).items():
            if array.dtype not in (np.int64, np.float64):
                raise InputError(
                    f"the array {name!r} of the start is {array.dtype}; states hold int64 and "
                    f"float64 only: build the start with {self.state.__name__}.of(...)"
                )
        SPACES[self.state].check(state)
        finite(self.weights, "weights")
        for template in self.templates:
            template.check(state)


def _distinct(names: list[str]) -> list[str]:
    unique: list[str] = []
    for name in names:
        fresh, number = name, 2
        while fresh in unique:
            fresh, number = f"{name}{number}", number + 1
        unique.append(fresh)
    return unique


def _some(names: list[str], most: int = 8) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
