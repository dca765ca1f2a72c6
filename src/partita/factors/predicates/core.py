"""Predicates over whole entities, quantified over their members or pairs (MLNAGG section 3.3).

    titles = over_pairs("title", similarity)
    names = over_values("first name", first_names)
    model = Model(
        *aggregates(
            every(titles, at_least=0.9),
            some(titles, below=0.3, weight=-2.0),
            lowest(titles, cuts=(0.3, 0.5, 0.8)),
            distinct(names, cuts=(2, 3)),
        ),
        entity_cost(1.0),
    )

A missing value has no factor, so an entity of one mention has no predicate over pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from partita.errors import InputError, ModelError
from partita.factors.predicates.pairs import Compared, compile_computed, listed_kernels, prepare
from partita.factors.predicates.rules import KINDS, Kept
from partita.factors.predicates.subjects import Pairs, Values
from partita.factors.predicates.values import Valued, store_for, values_template
from partita.factors.template import Cache, Template, count_one, feature_weights, finite
from partita.kernel import Floats
from partita.states import Partition
from partita.states.checks import fits, shown

__all__ = [
    "Predicate",
    "aggregates",
    "average",
    "count",
    "distinct",
    "every",
    "fraction",
    "highest",
    "lowest",
    "predicate",
    "some",
]

EACH = ("entity", "member")


@dataclass(frozen=True, eq=False)
class Predicate:
    """One quantifier over the pairs or the values of an entity, and its features."""

    over: Pairs | Values
    kind: str
    at_least: float | None = None
    below: float | None = None
    cuts: tuple[float, ...] = ()
    each: str = "entity"
    """"entity": one factor per entity; "member": one for each member but the first."""
    weight: float | ArrayLike = 0.0

    @property
    def condition(self) -> str:
        """The subject of the quantifier: pairs or values."""
        parts = [] if self.at_least is None else [f"at least {self.at_least:g}"]
        return " ".join(parts + ([] if self.below is None else [f"below {self.below:g}"]))

    @property
    def features(self) -> list[str]:
        """Names of the features: one, or one for each interval between the cuts."""
        about = " ".join(word for word in (self.kind, self.condition) if word)
        about += " per member" if self.each == "member" else ""
        if not self.cuts:
            return [about]
        inner = [f"{a:g} to {b:g}" for a, b in zip(self.cuts, self.cuts[1:], strict=False)]
        spans = [f"< {self.cuts[0]:g}", *inner, f">= {self.cuts[-1]:g}"]
        return [f"{about}: {span}" for span in spans]

    @property
    def edges(self) -> list[float]:
        """The thresholds that the histogram needs as edges."""
        edges = [edge for edge in (self.at_least, self.below) if edge is not None]
        return edges + (list(self.cuts) if self.kind in ("lowest", "highest") else [])


def _number(value: Any, noun: str) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        raise InputError(f"{noun} is {shown(value)}; give a number")
    return float(finite(value, noun))


def predicate(
    over: Any,
    kind: str,
    at_least: float | None = None,
    below: float | None = None,
    cuts: Sequence[float] = (),
    each: str = "entity",
    weight: float | ArrayLike = 0.0,
) -> Predicate:
    """Check the options of a quantifier and build its predicate; see `every` for the options."""
    if not isinstance(over, Pairs | Values):
        raise ModelError(
            f"{kind} quantifies {shown(over)}; give over_pairs(...) or over_values(...)"
        )
    noun = f"{kind} of {over.name!r}"
    if kind not in KINDS:
        raise InputError(f"there is no quantifier {kind!r}; give one of {', '.join(KINDS)}")
    if kind == "distinct" and isinstance(over, Pairs):
        raise InputError(f"{noun} counts values, not pairs; give over_values(...)")
    low, high = _number(at_least, f"{noun}: at_least"), _number(below, f"{noun}: below")
    if kind in ("every", "some", "fraction") and low is None and high is None:
        if not over.truths:
            raise InputError(f"{noun} has no condition; give at_least=, below= or both")
        low = 0.5
    if low is not None and high is not None and not low < high:
        raise InputError(
            f"{noun}: at_least is {low:g} and below is {high:g}; give a smaller at_least"
        )
    numeric = low is not None or high is not None or kind in NUMERIC
    if isinstance(over, Values) and not over.numbers and numeric:
        raise InputError(f"{noun} compares strings with a number; use distinct(...) instead")
    between = tuple(float(cut) for cut in finite(cuts, f"{noun}: cuts").reshape(-1))
    if list(between) != sorted(set(between)):
        raise InputError(f"{noun}: cuts are {list(between)}; give ascending numbers")
    if kind in ("lowest", "highest") and not between:
        raise InputError(f"{noun} has no cuts; give the limits between its features")
    if each not in EACH:
        raise InputError(f"{noun}: each is {each!r}; give one of {', '.join(EACH)}")
    return Predicate(over, kind, low, high, between, each, weight)


NUMERIC = ("lowest", "highest", "average")


def every(over: Pairs | Values, **options: Any) -> Predicate:
    """Hold for an entity if all of its pairs or values are `at_least` and `below` a number.

    Parameters
    ----------
    over
        `over_pairs(...)` or `over_values(...)`; missing values are ignored. A yes-or-no subject
        needs no condition.
    at_least, below
        The condition.
    each
        "entity": one factor per entity; "member": the predicate counts once for every member but
        the first, as often as Algorithm 1 sets predicates to true while it builds that entity.
    weight
        Start weight; with cuts, one for all intervals or one for each.
    """
    return predicate(over, "every", **options)


def some(over: Pairs | Values, **options: Any) -> Predicate:
    """Hold for an entity if one of its pairs or values is `at_least` and `below` a number."""
    return predicate(over, "some", **options)


def count(over: Pairs | Values, **options: Any) -> Predicate:
    """Count the pairs or values that meet the condition; with `cuts`, give the interval instead."""
    return predicate(over, "count", **options)


def fraction(over: Pairs | Values, **options: Any) -> Predicate:
    """Give the share of pairs or values that meet the condition, or with `cuts` its interval."""
    return predicate(over, "fraction", **options)


def lowest(over: Pairs | Values, cuts: Sequence[float], **options: Any) -> Predicate:
    """Give the interval between `cuts` of the smallest comparison or value."""
    return predicate(over, "lowest", cuts=cuts, **options)


def highest(over: Pairs | Values, cuts: Sequence[float], **options: Any) -> Predicate:
    """Give the interval between `cuts` of the largest comparison or value."""
    return predicate(over, "highest", cuts=cuts, **options)


def average(over: Pairs | Values, **options: Any) -> Predicate:
    """Give the mean comparison or value, or with `cuts` its interval."""
    return predicate(over, "average", **options)


def distinct(over: Values, **options: Any) -> Predicate:
    """Count the distinct values of an entity; with `cuts`, give the interval instead."""
    return predicate(over, "distinct", **options)


def aggregates(*predicates: Predicate) -> list[Template]:
    """Build one template per subject; predicates over one subject share its histograms."""
    if not predicates:
        raise ModelError("no predicate is given; give at least one, such as every(...)")
    about: dict[int, list[Predicate]] = {}
    for predicate in predicates:
        if not isinstance(predicate, Predicate):
            raise ModelError(f"{shown(predicate)} is not a predicate; give one, such as every(...)")
        about.setdefault(id(predicate.over), []).append(predicate)
    return [_template(group) for group in about.values()]


def _template(group: list[Predicate]) -> Template:
    over = group[0].over
    features = [feature for predicate in group for feature in predicate.features]
    start = [
        feature_weights(f"{over.name}: {predicate.kind}", predicate.features, predicate.weight)[1]
        for predicate in group
    ]
    names, weights = feature_weights(over.name, features, np.concatenate(start))
    kept = _rules(group)
    common: dict[str, Any] = {
        "name": over.name,
        "state": Partition,
        "features": names,
        "weights": weights,
    }
    common |= {"count": count_one, "check": fits(over.name, over.n)}
    if isinstance(over, Values):
        store = store_for(over.n, over.codes)
        table: Any = Valued(over.value, over.start, over.code, kept, None)
        return values_template(Template(**common, emit=None, table=table), store, over.codes)
    emit, commit, fill = (
        listed_kernels() if over.compare is None else compile_computed(over.compare)
    )
    table = Compared(over.data, kept)
    prepared: Callable[..., Any] = prepare(fill)
    return Template(**common, emit=emit, table=table, cache=Cache(prepared, commit))


def _rules(group: list[Predicate]) -> Kept:
    """Encode the predicates as numbers."""
    edge: Floats = np.array(
        sorted({edge for predicate in group for edge in predicate.edges}), float
    )
    rules: list[list[int]] = []
    cuts: list[float] = []
    first = 0
    for predicate in group:
        low = (
            0 if predicate.at_least is None else int(np.searchsorted(edge, predicate.at_least)) + 1
        )
        high = edge.size + 1
        if predicate.below is not None:
            high = int(np.searchsorted(edge, predicate.below)) + 1
        begin = len(cuts)
        cuts += predicate.cuts
        kind, member = KINDS.index(predicate.kind), EACH.index(predicate.each)
        rules.append([kind, low, high, first, begin, len(cuts), member])
        first += len(predicate.features)
    return Kept(np.array(rules, np.int64), np.array(cuts, np.float64), edge, np.zeros((0, 0)))
