"""The specification of a kind: read from TOML and checked."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from typing import Any

from benchmarks.kinds.common import COMMON, FOLDER
from benchmarks.kinds.errors import CHANNELS
from benchmarks.kinds.model import Attribute, Change, Column, Family, Kind, Range, Sources
from benchmarks.kinds.templates import Template, TemplateError
from benchmarks.kinds.words import WordList

__all__ = ["KindError", "list_idle", "list_kinds", "load_kind", "parse_kind"]

SPECS = FOLDER / "specs"
GROUPS = (
    *("people", "lists of people", "organisations", "finance", "products", "parts"),
    *("places", "food", "works", "science"),
)
"""Groups of similar kinds; `folds.py` keeps a group together."""
VALUES = ("text", "number", "date")
KIND_KEYS = (
    *("about", "group", "idle", "key", "words", "family", "sources", "attributes", "columns"),
    *("changes", "swaps"),
)


class KindError(ValueError):
    """A specification that is no kind: the message names the value and the next step."""


def list_kinds() -> list[str]:
    """The names of all kinds."""
    return sorted(path.stem for path in SPECS.glob("*.toml"))


@cache
def load_kind(name: str) -> Kind:
    """Read the specification of a kind by name."""
    path = SPECS / f"{name}.toml"
    if not path.exists():
        raise KindError(f"there is no kind {name!r}; give some of {', '.join(list_kinds())}")
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise KindError(f"{path.name} is no TOML ({error}); correct that line") from None
    return parse_kind(name, data)


def parse_kind(name: str, data: Mapping[str, Any]) -> Kind:
    """Check a specification and build the kind; common word lists and headers are added."""
    _check_keys(name, data, KIND_KEYS, ("about", "group", "sources", "attributes", "columns"))
    if data["group"] not in GROUPS:
        raise KindError(f"{name}: group is {data['group']!r}; give one of {', '.join(GROUPS)}")
    words = {
        title: _build(WordList, f"{name}: word list {title!r}", options)
        for title, options in {**COMMON["words"], **data.get("words", {})}.items()
    }
    attributes = tuple(_parse_attribute(name, *item) for item in data["attributes"].items())
    sources = _parse_sources(name, data["sources"])
    columns = tuple(
        _parse_column(name, *item, len(sources.names)) for item in data["columns"].items()
    )
    kind = Kind(
        name,
        data["about"],
        data["group"],
        words,
        Family(**_ranges(f"{name}: family", data.get("family", {}), Family)),
        sources,
        attributes,
        columns,
        _parse_changes(name, data.get("changes", []), [part.name for part in attributes]),
        _parse_changes(name, data.get("swaps", []), [part.name for part in columns]),
        _range(f"{name}: idle", data.get("idle", [0, 0])),
        data.get("key", 0.0),
    )
    _check_names(kind)
    return kind


@cache
def list_idle() -> tuple[tuple[Attribute, Column], ...]:
    """Idle columns, which are no evidence: an attribute of records, and how it is written."""
    return tuple(
        (
            _parse_attribute("idle", name, {**data["attribute"], "record": True}),
            _parse_column("idle", name, {"styles": f"{{{name}}}", **data.get("column", {})}, 1),
        )
        for name, data in COMMON["idle"].items()
    )


def _check_keys(
    place: str, data: Mapping[str, Any], allowed: tuple[str, ...], needed: tuple[str, ...] = ()
) -> None:
    for key in data:
        if key not in allowed:
            raise KindError(f"{place} has the unknown key {key!r}; use {', '.join(allowed)}")
    for key in needed:
        if key not in data:
            raise KindError(f"{place} has no {key!r}; add it")


def _range(place: str, value: Any) -> Range:
    """A pair of numbers in order; one number stands for both."""
    low, high = (value, value) if isinstance(value, int | float) else (*value, None, None)[:2]
    if not isinstance(low, int | float) or not isinstance(high, int | float) or low > high:
        raise KindError(f"{place} is {value!r}; give two numbers, the smaller first")
    return low, high


def _each(place: str, value: Any, count: int) -> tuple[Range, ...]:
    """One range for each source; one range stands for all."""
    if isinstance(value, list) and value and isinstance(value[0], list):
        if len(value) != count:
            raise KindError(f"{place} has {len(value)} ranges; give one, or {count}")
        return tuple(_range(place, part) for part in value)
    return (_range(place, value),) * count


def _ranges(place: str, data: Mapping[str, Any], owner: type) -> dict[str, Range]:
    _check_keys(place, data, tuple(owner.__dataclass_fields__))  # type: ignore[attr-defined]
    return {key: _range(f"{place}: {key}", value) for key, value in data.items()}


def _build(owner: type, place: str, data: Mapping[str, Any]) -> Any:
    _check_keys(place, data, tuple(owner.__dataclass_fields__))  # type: ignore[attr-defined]
    return owner(**data)


def _templates(place: str, value: Any) -> tuple[Template, ...]:
    texts = [value] if isinstance(value, str) else value
    try:
        return tuple(Template.parse(text) for text in texts)
    except TemplateError as error:
        raise KindError(f"{place}: {error}") from None


def _parse_attribute(kind: str, name: str, data: Any) -> Attribute:
    place = f"{kind}: attribute {name!r}"
    data = {"text": data} if isinstance(data, str | list) else dict(data)
    options = ("family", "distinct", "record", "step", "scale", "split")
    _check_keys(place, data, (*VALUES, *options))
    values = [key for key in VALUES if key in data]
    if len(values) != 1:
        raise KindError(f"{place} has {len(values)} values; give one of {', '.join(VALUES)}")
    if data.get("scale", "linear") not in ("linear", "log"):
        raise KindError(f"{place}: scale is {data['scale']!r}; give 'linear' or 'log'")
    if "text" in data:
        data["templates"] = _templates(place, data.pop("text"))
    for key in ("number", "date", "step"):
        if key in data:
            data[key] = _range(f"{place}: {key}", data[key])
    return Attribute(name, **data)


def _parse_sources(kind: str, data: Mapping[str, Any]) -> Sources:
    place = f"{kind}: sources"
    _check_keys(place, data, tuple(Sources.__dataclass_fields__))
    if ("names" in data) == ("provenance" in data):
        raise KindError(f"{place} needs either 'names' or 'provenance'; give one of them")
    names = tuple(data.get("names", ("all",)))
    return Sources(
        names,
        _each(f"{place}: coverage", data.get("coverage", [1, 1]), len(names)),
        _each(f"{place}: repeat", data.get("repeat", [0, 0]), len(names)),
        _each(f"{place}: copies", data.get("copies", [2, 2]), len(names)),
        tuple(data.get("provenance", ())),
        _range(f"{place}: count", data.get("count", [0, 0])),
    )


def _parse_column(kind: str, name: str, data: Any, sources: int) -> Column:
    place = f"{kind}: column {name!r}"
    data = {"styles": data} if isinstance(data, str | list) else data
    options = ("styles", "headers", "errors", "missing", "keep", "mix")
    _check_keys(place, data, options, ("styles",))
    errors = data.get("errors", {})
    if isinstance(errors, str):
        if errors not in COMMON["errors"]:
            profiles = ", ".join(COMMON["errors"])
            raise KindError(f"{place}: errors is {errors!r}; give a table or one of {profiles}")
        errors = COMMON["errors"][errors]
    _check_keys(f"{place}: errors", errors, tuple(CHANNELS))
    return Column(
        name,
        _templates(place, data["styles"]),
        tuple(data.get("headers", COMMON["headers"].get(name, (name,)))),
        {key: _range(f"{place}: {key}", value) for key, value in errors.items()},
        _each(f"{place}: missing", data.get("missing", [0, 0]), sources),
        data.get("keep", 1.0),
        _range(f"{place}: mix", data.get("mix", [0, 0])),
    )


def _parse_changes(kind: str, data: Any, names: list[str]) -> tuple[Change, ...]:
    changes = []
    for part in data:
        _check_keys(f"{kind}: change", part, ("names", "rate"), ("names", "rate"))
        for name in part["names"]:
            if name not in names:
                raise KindError(f"{kind}: {name!r} cannot change; give some of {', '.join(names)}")
        changes.append(Change(tuple(part["names"]), _range(f"{kind}: rate", part["rate"])))
    return tuple(changes)


def _check_names(kind: Kind) -> None:
    """Every placeholder is the name of an earlier attribute or of a word list."""
    known = set(kind.words)
    for attribute in kind.attributes:
        for template in attribute.templates:
            _check_template(f"{kind.name}: attribute {attribute.name!r}", template, known)
        known.add(attribute.name)
    for column in kind.columns:
        for template in column.styles:
            _check_template(f"{kind.name}: column {column.name!r}", template, known)


def _check_template(place: str, template: Template, known: set[str]) -> None:
    for name in template.names:
        if name not in known:
            raise KindError(
                f"{place} uses {name!r}; write an earlier attribute or a word list instead"
            )
