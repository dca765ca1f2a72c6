"""Schema: the fields of a line and the rules about them, read from TOML.

A schema is data. The learners, the decoder and the rule report all read the same rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError
from partita.io import read_toml
from partita.states.checks import shown
from partita.text.extraction.rule import Rule, check_count, read_rules, unknown_name
from partita.text.extraction.tokens import SPLITS, fold

__all__ = ["READY", "Schema", "SchemaSource", "load_schema", "read_schema"]

READY = Path(__file__).parent / "schemas"
"""The folder of schemas that are shipped with the package."""
TOP_KEYS = ("name", "about", "fields", "rules", "other", "split", "max_length", "examples")
SEPARATOR = ">"
"""Separates the levels of a field: `street > name`."""
MAX_FIELDS, MAX_LEVELS = 300, 10
"""Fields and levels of their tree at most: time grows with the square of the fields and with the
levels. Ready schemas have 15 fields and two levels at most."""


@dataclass(frozen=True)
class Schema:
    """Fields, the tree of their names, and rules.

    Examples
    --------
    >>> schema = read_schema({"fields": ["number", "street > name", "street > type"]})
    >>> schema.labels, schema.parent("type")
    (('number', 'name', 'type', 'other'), 'street')
    """

    fields: tuple[str, ...]
    """Fields that a token can have, in the order of the schema."""
    rules: tuple[Rule, ...] = ()
    other: str | None = "other"
    """The label of tokens in no field; None if every token belongs to a field."""
    split: str = "words"
    max_length: int = 0
    """The most tokens of a segment; 0 without limit."""
    parents: Mapping[str, str] = field(default_factory=dict)
    """The parent of each field and node that has one."""
    examples: tuple[str, ...] = ()
    """Labelled lines, with a tag around each field."""
    name: str = ""
    about: str = ""
    is_ready: bool = False
    """Whether the schema is shipped with the package; some of its rules may not concern a file."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The fields and, as the last label, `other` if there is one."""
        return self.fields if self.other is None else (*self.fields, self.other)

    @property
    def nodes(self) -> tuple[str, ...]:
        """All names that a rule can state: labels and the inner nodes of the tree."""
        return tuple(dict.fromkeys((*self.labels, *self.parents, *self.parents.values())))

    def parent(self, name: str) -> str | None:
        """Return the parent of a field or node; None at the top of the tree."""
        return self.parents.get(name)

    def path(self, name: str) -> tuple[str, ...]:
        """Return a name and its ancestors, the name first."""
        names = [name]
        while (above := self.parents.get(names[-1])) is not None:
            names.append(above)
        return tuple(names)

    def node_at(self, label: str, level: int) -> str:
        """Return the ancestor of a label at a level of the tree, of which 1 is the top.

        >>> schema = read_schema({"fields": ["number", "street > name", "street > type"]})
        >>> schema.node_at("name", 1), schema.node_at("name", 2), schema.node_at("number", 2)
        ('street', 'name', 'number')
        """
        return self.path(label)[-level:][0]

    def mask(self, names: Iterable[str]) -> NDArray[np.bool_]:
        """Return for each label whether it is one of the names or below one of them."""
        chosen = set(names)
        return np.array([bool(chosen & set(self.path(label))) for label in self.labels])

    def ancestry(self) -> NDArray[np.float64]:
        """Return labels by nodes: 1 where the node is the label or an ancestor of it."""
        nodes = {name: k for k, name in enumerate(self.nodes)}
        matrix = np.zeros((len(self.labels), len(nodes)))
        for k, label in enumerate(self.labels):
            matrix[k, [nodes[name] for name in self.path(label)]] = 1.0
        return matrix

    def unstated(self, known: Iterable[str] = ()) -> tuple[str, ...]:
        """Return the fields that no token rule states and that are not among the known labels."""
        stated = {*known}.union(
            *(rule.fields for rule in self.rules if not (rule.is_structural or rule.is_negative))
        )
        return tuple(name for name in self.fields if not stated & set(self.path(name)))

    def allowed(self, rule: Rule) -> NDArray[np.bool_]:
        """Return the labels that a rule states, as a mask of labels."""
        mask = self.mask(rule.fields) if rule.fields else np.ones(len(self.labels), bool)
        return ~mask if rule.is_negative else mask


SchemaSource = str | PathLike[str] | Mapping[str, Any] | Schema


def load_schema(source: SchemaSource) -> Schema:
    """Load a schema from a TOML file, from the name of a ready schema, or from a dict."""
    if isinstance(source, Schema):
        return source
    if isinstance(source, Mapping):
        return read_schema(source)
    if not isinstance(source, str | PathLike):
        raise InputError(f"schema is {shown(source)}; give a TOML file, a name or a dict")
    path = Path(source)
    ready = READY / f"{source}.toml"
    names = sorted(file.stem for file in READY.glob("*.toml"))
    if not path.exists() and str(source) in names:
        path = ready
    hint = f"give a TOML file, or one of {', '.join(names)}"
    try:
        content = read_toml(path, "the schema", hint)
        schema = read_schema(content, path.parent)
        return replace(schema, is_ready=path == ready)
    except InputError as error:
        raise InputError(f"{source}: {error}") from error


def read_schema(content: Mapping[str, Any], folder: Path = Path()) -> Schema:
    """Check a parsed schema; files of dictionaries are relative to `folder`."""
    for key in content:
        if key not in TOP_KEYS:
            raise unknown_name("key", str(key), TOP_KEYS)
    fields, parents = _read_fields(content.get("fields"))
    other = content.get("other", "other")
    if other is not False and (not isinstance(other, str) or not other.strip()):
        raise InputError(f"other is {shown(other)}; give a name, or false for no such label")
    if other in (*fields, *parents.values()):
        raise InputError(f"{other!r} is a field and the label of other tokens; rename one of them")
    split = content.get("split", SPLITS[0])
    if split not in SPLITS:
        raise InputError(f"split is {shown(split)}; give one of {', '.join(SPLITS)}")
    bare = Schema(
        fields,
        other=other or None,
        split=split,
        max_length=check_count(content.get("max_length", 0), "max_length", 0),
        parents=parents,
        examples=_read_examples(content.get("examples", [])),
        name=str(content.get("name", "")),
        about=str(content.get("about", "")),
    )
    if len(bare.labels) < 2:
        raise InputError(f"the only label is {fields[0]!r}; give at least two fields")
    schema = replace(bare, rules=read_rules(content.get("rules", []), bare.nodes, folder))
    _check_statements(schema)
    return schema


def _check_statements(schema: Schema) -> None:
    """Raise an InputError for two rules that state different labels or lengths of the same case."""
    stated = [(rule, _list_trigger(rule), schema.allowed(rule)) for rule in schema.rules]
    for (other, left, labels), (rule, right, own) in combinations(stated, 2):
        conflict = ""
        if rule.kind == other.kind == "length" and (own & labels).any():
            most = [limit for _, limit in (rule.length, other.length) if limit is not None]
            if max(rule.length[0], other.length[0]) > min(most):
                conflict = "no segment has both lengths"
        elif left is not None and left == right and not (own & labels).any():
            conflict = f"the same tokens are {other.statement} and {rule.statement}"
        if conflict and (rule.strength or 1.0) + (other.strength or 1.0) > 1.0:
            raise InputError(
                f"rules {other.name!r} and {rule.name!r} contradict each other: {conflict}; "
                "remove one of them, or give strengths that sum to at most 1"
            )


def _list_trigger(rule: Rule) -> tuple[Any, ...] | None:
    """Return the settings that decide at which tokens a rule fires; None for other kinds."""
    if rule.is_structural:
        return None
    words = frozenset(fold(word) for word in rule.words)
    return rule.pattern, rule.before, rule.after, words, rule.match, rule.place


def _read_examples(lines: Any) -> tuple[str, ...]:
    if not isinstance(lines, list | tuple) or not all(isinstance(line, str) for line in lines):
        raise InputError(f"examples is {shown(lines)}; give a list of tagged lines")
    return tuple(lines)


def _read_fields(entries: Any) -> tuple[tuple[str, ...], dict[str, str]]:
    """Read field paths such as `street > name`; return fields and parents."""
    if not isinstance(entries, list | tuple) or not entries:
        raise InputError(
            f'fields is {shown(entries)}; list them, as in fields = ["author", "title"]'
        )
    if len(entries) > MAX_FIELDS:
        raise InputError(f"there are {len(entries):,} fields; give at most {MAX_FIELDS}")
    fields: list[str] = []
    parents: dict[str, str] = {}
    above: dict[str, str] = {}
    for entry in entries:
        names = [name.strip() for name in str(entry).split(SEPARATOR)]
        if not isinstance(entry, str) or not all(names):
            raise InputError(f"the field {shown(entry)} has no name; write one, or `parent > name`")
        if len(names) > MAX_LEVELS:
            raise InputError(
                f"the field {shown(entry)} has {len(names):,} levels; give at most {MAX_LEVELS}"
            )
        for upper, lower in zip(["", *names], names, strict=False):
            if above.setdefault(lower, upper) != upper:
                raise InputError(f"{lower!r} has two places in the tree of fields; rename one")
            if upper:
                parents[lower] = upper
        if names[-1] in fields:
            raise InputError(f"the field {names[-1]!r} is listed twice; remove one of them")
        fields.append(names[-1])
    return tuple(fields), parents
