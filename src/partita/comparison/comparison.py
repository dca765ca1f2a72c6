"""A comparison: the levels at which two values of a column may agree, and how they count."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from difflib import get_close_matches
from itertools import pairwise
from typing import Any, ClassVar

from partita.comparison.levels import (
    And,
    AnyLevel,
    Compound,
    Level,
    Or,
    ValueLevels,
    conditions_of,
    prepare_levels,
)
from partita.comparison.python_functions import (
    PYTHON,
    PythonFunction,
    function_name,
    import_function,
)
from partita.errors import InputError

__all__ = ["EXACT", "NO_AGREEMENT", "AtThresholds", "Comparison", "comparison_from"]

EXACT = "exact"
NO_AGREEMENT = "no agreement"
PYTHON_COST = 50.0
"""Cost of a Python function relative to the comparison of two short strings (measured)."""
FUNCTION_KEYS = ("function", "distance_function")
COMPOUNDS = {"any": Or, "all": And}
"""How compound levels are written in files."""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """How two values of a column are compared.

    Level 0 is exact agreement, the last level no agreement; `levels` are those between them, from
    strict to loose. A missing value has no level and no weight.
    """

    term_frequency_adjustments: bool = True
    """Whether agreement on a rare value counts more than agreement on a common one."""

    exact_form: ClassVar[str] = ""
    """Values with the same form agree exactly though their spelling differs."""
    base_cost: ClassVar[float] = 1.0
    """Cost relative to the comparison of two short strings; the pruning order depends on it."""
    column_type: ClassVar[str | None] = None
    """The type of two columns that are compared as one."""
    registry: ClassVar[dict[str, type[Comparison]]] = {}

    def __init_subclass__(cls) -> None:
        Comparison.registry[cls.__name__] = cls

    def __post_init__(self) -> None:
        labels = self.labels
        double = next((label for label in labels if labels.count(label) > 1), None)
        if double is not None:
            raise InputError(
                f"{self.name} has two levels {double!r}; give each level its own label"
            )

    @property
    def name(self) -> str:
        """The name of the comparison in files."""
        return type(self).__name__

    @property
    def levels(self) -> tuple[AnyLevel, ...]:
        """The levels between exact agreement and no agreement."""
        raise NotImplementedError

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of all levels, from exact agreement to no agreement."""
        return (EXACT, *(level.title for level in self.levels), NO_AGREEMENT)

    @property
    def uses_cleaned_values(self) -> bool:
        """Whether case, accents and punctuation are removed before the comparison."""
        return True

    @property
    def second_column(self) -> str | None:
        """The name of a second column that is compared together with the first."""
        return None

    @property
    def cost(self) -> float:
        """Expected cost of one comparison, relative to two short strings."""
        return PYTHON_COST if any(self.python_functions()) else self.base_cost

    def python_functions(self) -> Iterator[str | PythonFunction]:
        """The Python functions in use: functions, or names where a file names them."""
        for level in self.levels:
            for part in conditions_of(level):
                if not isinstance(part.function, str) or PYTHON in part.function:
                    yield part.function

    def prepare(self, values: Sequence[str]) -> ValueLevels:
        """Prepare the distinct values of a column for comparison."""
        for function in self.python_functions():
            if isinstance(function, str):
                raise InputError(
                    f"{self.name} names the Python function {function!r}; pass the function itself"
                )
        return prepare_levels(self.levels, self.exact_form, values)

    def as_dict(self) -> dict[str, Any]:
        """The comparison as TOML and JSON can hold it; Python functions are stored by name."""
        stored = {field.name: _stored(getattr(self, field.name)) for field in fields(self)}
        return {"comparison": self.name, **stored}


def _stored(value: Any) -> Any:
    if isinstance(value, Level):
        default = Level(value.function)
        stored = {field.name: _stored(getattr(value, field.name)) for field in fields(Level)}
        return {
            key: part
            for key, part in stored.items()
            if key in ("function", "threshold") or getattr(value, key) != getattr(default, key)
        }
    if isinstance(value, Compound):
        word = next(word for word, kind in COMPOUNDS.items() if isinstance(value, kind))
        parts = {word: [_stored(level) for level in value.levels]}
        return parts | ({"label": value.label} if value.label else {})
    if isinstance(value, tuple | list):
        return [_stored(part) for part in value]
    return function_name(value) if callable(value) else value


def comparison_from(stored: Mapping[str, Any], *, import_functions: bool = False) -> Comparison:
    """The comparison that `as_dict` stored; Python functions are imported, or stay names."""
    content = dict(stored)
    name = content.pop("comparison")
    kind = Comparison.registry.get(str(name))
    if kind is None or kind is AtThresholds:
        known = sorted(Comparison.registry.keys() - {"AtThresholds"})
        near = get_close_matches(str(name), known, 1)
        hint = f"do you mean {near[0]!r}?" if near else f"use one of {', '.join(known)}"
        raise InputError(f"there is no comparison {name!r}; {hint}")
    known_fields = [field.name for field in fields(kind)]
    for key in content:
        if key not in known_fields:
            raise InputError(f"{name} has no setting {key!r}; it has {', '.join(known_fields)}")
    try:
        return kind(**(_imported(content) if import_functions else content))
    except TypeError as error:
        raise InputError(f"{name} cannot be built: {error}") from error


def _imported(value: Any) -> Any:
    """The same with every Python function imported."""
    if isinstance(value, list | tuple):
        return [_imported(part) for part in value]
    if not isinstance(value, Mapping):
        return value
    return {
        key: import_function(part)
        if key in FUNCTION_KEYS and isinstance(part, str) and PYTHON in part
        else _imported(part)
        for key, part in value.items()
    }


def level_from(stored: AnyLevel | Mapping[str, Any]) -> AnyLevel:
    """A level as it is, or from a table of its settings."""
    if isinstance(stored, Level | Compound):
        return stored
    if not isinstance(stored, Mapping):
        raise InputError(
            f"a comparison level is {stored!r}; give a Level, or a table of its settings"
        )
    for word, kind in COMPOUNDS.items():
        if word in stored:
            return kind(*map(level_from, stored[word]), label=stored.get("label", ""))
    known = [field.name for field in fields(Level)]
    for key in stored:
        if key not in known:
            raise InputError(
                f"a comparison level has no setting {key!r}; it has {', '.join(known)}"
            )
    if "function" not in stored:
        raise InputError("a comparison level has no function; name one")
    return Level(**stored)


class AtThresholds(Comparison):
    """A comparison by one function, with a level for each threshold."""

    thresholds: Sequence[float]
    """One threshold for each level, from strict to loose; subclasses make it a field."""
    function: ClassVar[str] = ""

    def __post_init__(self) -> None:
        thresholds = self.thresholds
        values = tuple(thresholds) if isinstance(thresholds, Sequence) else (thresholds,)
        object.__setattr__(self, "thresholds", values)
        limits = [part.limits for part in self._at_thresholds()]
        if not values or any(
            strict[0] < loose[0] or strict[1] > loose[1] or strict == loose
            for strict, loose in pairwise(limits)
        ):
            raise InputError(
                f"{self.name} has the thresholds {thresholds!r}; give one or more, from strict to "
                "loose"
            )
        super().__post_init__()

    def _at_thresholds(self) -> tuple[Level, ...]:
        return tuple(Level(self.function, threshold) for threshold in self.thresholds)

    @property
    def levels(self) -> tuple[AnyLevel, ...]:
        """The levels between exact agreement and no agreement."""
        return self._at_thresholds()
