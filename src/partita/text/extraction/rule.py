"""Rules about fields: one dataclass, read from the tables of a schema and checked."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from partita.data import read
from partita.errors import InputError
from partita.states.checks import shown

__all__ = ["KINDS", "MATCHES", "Rule", "check_count", "read_rules", "unknown_name"]

KINDS = ("pattern", "words", "file", "table", "place", "once", "order", "boundary", "length")
"""Keys of which a rule has exactly one, its kind; a match may have a place as well."""
TOKEN_KINDS = ("pattern", "words", "file", "table", "place")
"""Kinds that state a field of tokens; the others state the structure of a line."""
KEYS: dict[str, type | tuple[type, ...]] = {
    "name": str,
    "field": (str, list),
    "not_field": (str, list),
    "strength": (int, float),
    "pattern": (str, list),
    "before": (str, list),
    "after": (str, list),
    "words": list,
    "file": str,
    "table": str,
    "column": str,
    "match": str,
    "whole": bool,
    "place": str,
    "once": (bool, str, list),
    "order": list,
    "boundary": str,
    "length": (int, list),
}
"""Keys of a rule and the types of their values."""
MATCHES = ("phrase", "tokens", "near", "abbreviation")
"""Ways to match a dictionary: whole entries, single tokens of entries, similar entries, or
abbreviations of single tokens."""
PLACES = ("first", "last")
"""Tokens of a line that a place rule can name."""
DICTIONARIES = ("words", "file", "table")
HOMES = {
    "before": ("pattern", *DICTIONARIES),
    "after": ("pattern", *DICTIONARIES),
    "match": DICTIONARIES,
    "column": ("table",),
    "whole": ("pattern", *DICTIONARIES),
}
"""Keys that only some kinds have."""


@dataclass(frozen=True)
class Rule:
    """One rule: its kind is the only one of `KINDS` that is set."""

    name: str
    kind: str
    fields: tuple[str, ...] = ()
    """Names of the fields that the rule states; empty where it concerns all fields."""
    is_negative: bool = False
    """Whether the rule states that the fields are not `fields`."""
    strength: float | None = None
    """The share of cases in which the rule is right; None where it is estimated."""
    pattern: tuple[str, ...] = ()
    """Regular expressions of consecutive tokens; each matches a whole token."""
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    """Regular expressions of the tokens before and after the match."""
    words: tuple[str, ...] = ()
    """Entries of a dictionary, from the schema, from a file or from a column of a table."""
    match: str = "phrase"
    is_whole: bool = False
    """Whether the matched tokens are a whole segment, not only a part of one."""
    place: str = ""
    """"first" or "last" token of a line, alone or as the place of a match."""
    length: tuple[int, int | None] = (1, None)
    """The fewest and the most tokens of a segment."""

    @property
    def is_structural(self) -> bool:
        """Whether the rule is about the segments of a line instead of single matches."""
        return self.kind not in TOKEN_KINDS

    @property
    def statement(self) -> str:
        """The fields that the rule states, or excludes, as text."""
        return f"{'not ' if self.is_negative else ''}{' or '.join(self.fields)}"


def read_rules(tables: Any, known: Sequence[str], folder: Path) -> tuple[Rule, ...]:
    """Read the rules of a schema; `known` are the names that a rule can state."""
    if not isinstance(tables, list | tuple) or not all(
        isinstance(table, Mapping) for table in tables
    ):
        raise InputError(f"rules is {shown(tables)}; write each rule under [[rules]]")
    rules: list[Rule] = []
    for number, table in enumerate(tables, 1):
        title = f"rule {table.get('name') or number!r}"
        try:
            rule = _read_rule(table, number, known, folder)
        except InputError as error:
            raise InputError(f"{title}: {error}") from error
        if rule.name in (other.name for other in rules):
            raise InputError(f"two rules are called {rule.name!r}; rename one of them")
        rules.append(rule)
    _check_orders(rules)
    return tuple(rules)


def _read_rule(table: Mapping[str, Any], number: int, known: Sequence[str], folder: Path) -> Rule:
    """Read one rule: its kind, its fields and the settings of its kind."""
    _check_keys(table)
    kinds = [key for key in KINDS if key in table]
    if len(kinds) == 2 and kinds[1] == "place" and kinds[0] in TOKEN_KINDS:
        kinds.pop()  # the place of a pattern or a dictionary
    if len(kinds) != 1:
        text = " and ".join(kinds) or "none"
        raise InputError(f"it has {text}; give exactly one of {', '.join(KINDS)}")
    kind = kinds[0]
    for key, homes in HOMES.items():
        if key in table and kind not in homes:
            raise InputError(f"{key} does not go with {kind}; remove one of them")
    fields, is_negative = _read_field_names(table, kind, known)
    strength = table.get("strength")
    if strength is not None and not 0 < strength <= 1:
        raise InputError(f"strength is {strength!r}; give a share above 0 and at most 1")
    match = table.get("match", MATCHES[0])
    if match not in MATCHES:
        raise unknown_name("match", str(match), MATCHES)
    place = table.get("place", PLACES[0])
    if place not in PLACES:
        raise unknown_name("place", str(place), PLACES)
    if table.get("boundary", "punctuation") != "punctuation":
        raise InputError(f'boundary is {table["boundary"]!r}; the only one is "punctuation"')
    label = "/".join(fields) or "fields"
    return Rule(
        name=str(table.get("name") or f"{number} {kind} {label}"),
        kind=kind,
        fields=fields,
        is_negative=is_negative,
        strength=None if strength is None else float(strength),
        pattern=_read_patterns(table, "pattern"),
        before=_read_patterns(table, "before"),
        after=_read_patterns(table, "after"),
        words=_read_words(table, folder) if kind in DICTIONARIES else (),
        match=match,
        is_whole=table.get("whole", False),
        place=place if "place" in table else "",
        length=_read_length(table["length"]) if kind == "length" else (1, None),
    )


def _check_keys(table: Mapping[str, Any]) -> None:
    for key, value in table.items():
        if key not in KEYS:
            raise unknown_name("key", str(key), tuple(KEYS))
        is_flag = isinstance(value, bool) and key not in ("whole", "once")
        if is_flag or not isinstance(value, KEYS[key]):
            raise InputError(f"{key} is {shown(value)}; see the schema format for its values")
        if isinstance(value, list) and not value:
            raise InputError(f"{key} is an empty list; give at least one value")


def _read_field_names(
    table: Mapping[str, Any], kind: str, known: Sequence[str]
) -> tuple[tuple[str, ...], bool]:
    """Read the fields that a rule names and whether it excludes them."""
    keys = [key for key in ("field", "not_field") if key in table]
    if kind in ("once", "order"):
        if keys:
            raise InputError(f"{keys[0]} does not go with {kind}; list the fields in {kind}")
        value = table[kind]
        if value is False:
            raise InputError("once is false; remove the rule")
        names = [] if value is True else value
    elif len(keys) == 1:
        names = table[keys[0]]
    elif kind == "boundary" and not keys:
        names = []
    else:
        raise InputError("give the fields of the rule as field or as not_field")
    fields = (names,) if isinstance(names, str) else tuple(str(name) for name in names)
    for name in fields:
        if name not in known:
            raise unknown_name("field", name, known)
    if kind == "order" and len(set(fields)) < max(2, len(fields)):
        raise InputError(f"order is {', '.join(fields)}; list two or more different fields")
    return fields, keys == ["not_field"]


def _read_patterns(table: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """Read regular expressions of consecutive tokens, and compile them as a check."""
    value = table.get(key, ())
    patterns = (value,) if isinstance(value, str) else tuple(str(part) for part in value)
    for pattern in patterns:
        try:
            re.compile(pattern)
        except (re.error, OverflowError, RecursionError) as error:
            raise InputError(
                f"{key} {shown(pattern)} is no regular expression ({error}); correct it"
            ) from error
    return patterns


def _read_words(table: Mapping[str, Any], folder: Path) -> tuple[str, ...]:
    """Read the entries of a dictionary: inline, lines of a file, or a column of a table."""
    if "words" in table:
        entries = [str(word) for word in table["words"]]
    elif "file" in table:
        path = folder / table["file"]
        try:
            entries = path.read_text(encoding="utf-8-sig").split("\n")
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
            raise InputError(f"{path} cannot be read ({reason}); correct `file`") from error
    else:
        if "column" not in table:
            raise InputError('table needs a column; give column = "NAME"')
        records = read(folder / table["table"], id=False)
        entries = records.column(table["column"], cleaned=False).values.to_pylist()
    words = tuple(dict.fromkeys(entry.strip() for entry in entries if entry and entry.strip()))
    if not words:
        raise InputError("its dictionary has no entries; give at least one word")
    return words


def _read_length(value: Any) -> tuple[int, int | None]:
    """Read the fewest and the most tokens of a segment; one number is the most."""
    if isinstance(value, int):
        return 1, check_count(value, "length", 1)
    if len(value) != 2:
        raise InputError(f"length is {value!r}; give [fewest, most]")
    fewest, most = (check_count(number, "length", 1) for number in value)
    if fewest > most:
        raise InputError(f"length is {value!r}, which fits no segment; put the smaller one first")
    return fewest, most


def _check_orders(rules: Sequence[Rule]) -> None:
    """Raise an InputError for orders that cannot all hold."""
    before: dict[tuple[str, str], str] = {}
    for rule in rules:
        if rule.kind == "order":
            for at, first in enumerate(rule.fields):
                for second in rule.fields[at + 1 :]:
                    before[first, second] = rule.name
                    if (second, first) in before:
                        raise InputError(
                            f"rules {before[second, first]!r} and {rule.name!r} contradict each "
                            f"other on the order of {first!r} and {second!r}; remove one of them"
                        )


def check_count(value: Any, title: str, least: int) -> int:
    """Check a whole number of a schema."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InputError(f"{title} is {shown(value)}; give a whole number of at least {least}")
    return value


def unknown_name(noun: str, name: str, known: Sequence[str]) -> InputError:
    """Build the InputError for a name that is not known, with the closest known name."""
    near = difflib.get_close_matches(name.lower(), known, 1)
    hint = f"do you mean {near[0]!r}?" if near else f"there are {', '.join(known)}"
    return InputError(f"there is no {noun} {name!r}; {hint}")
