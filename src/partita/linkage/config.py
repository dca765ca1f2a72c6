"""partita.toml: every setting in a file, with its default and its meaning.

The keys are the fields of `Settings`, in sections; the metadata of each field holds its meaning.
Reading a file that `config_text` wrote returns the same settings.
"""

from __future__ import annotations

import difflib
import json
import re
import textwrap
import warnings
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from partita.comparison import Comparison, automatic_comparison, column_types
from partita.comparison.comparison import comparison_from
from partita.data import ColumnProfile
from partita.errors import InputError
from partita.io import read_toml
from partita.linkage.settings import ROLES, WORD_GROUPS, ColumnSettings, Settings, describe
from partita.linkage.supervision.predicates import predicate_lines, read_predicates
from partita.states.checks import shown

__all__ = ["SECTIONS", "Config", "config_text", "load_settings", "rename_setting"]

Config = str | PathLike[str] | Mapping[str, Any] | Settings | None

SECTIONS = ("input", "blocking", "inference", "output", "run")
"""Sections of the file; a setting without a section precedes them."""
TYPE_WORDS = {str: "text", bool: "true or false", int: "a whole number", float: "a number"}
LINE_WIDTH = 96
"""Characters of a comment line."""
COLUMN_KEYS = ("type", "role", "weight", "word_groups", "comparison")
OWN_KEYS = COLUMN_KEYS[:-1]
"""Settings of a column beside those of its comparison."""
OLD_SETTINGS = {"join": "false_merge_cost"}
"""Settings of version 0.1; version 0.3 removes them and the two that follow."""
OLD_KEYS = {"kind": "type", "use": "role"}
OLD_ROLES = {"score": "compare", "none": "ignore"}


def load_settings(config: Config = None) -> Settings:
    """Settings from a TOML file, from a dict of the same shape, or as they are.

    A setting may be in its section or above all sections. A missing setting keeps its default.

    >>> load_settings({"inference": {"chains": 4}, "seed": 7}).chains
    4
    """
    if config is None:
        return Settings()
    if isinstance(config, Settings):
        return config.checked()
    if isinstance(config, Mapping):
        return _read_settings(config)
    if not isinstance(config, str | PathLike):
        raise InputError(f"config is {shown(config)}; give a TOML file, a dict or Settings")
    path = Path(config)
    try:
        return _read_settings(read_toml(path, "the configuration", "`partita init` writes one"))
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def _read_settings(config: Mapping[str, Any]) -> Settings:
    """Settings of a parsed file."""
    hints = get_type_hints(Settings)
    values: dict[str, Any] = {
        name: TABLES[name](value) if name in TABLES else _read_value(hints[name], value, name)
        for name, value in _flatten(config).items()
    }
    return Settings(**values).checked()


def rename_setting(name: str) -> str:
    """The present name of a setting."""
    return OLD_SETTINGS.get(name, name)


def _warn_of_old_name(title: str, old: str, new: str) -> None:
    warnings.warn(
        f"{title}write {new} instead of {old}; version 0.3 no longer reads the old names",
        FutureWarning,
        stacklevel=2,
    )


def _section(name: str) -> str:
    return str(describe(Settings, name).get("section", ""))


def _flatten(config: Mapping[str, Any]) -> dict[str, Any]:
    """All settings without their sections."""
    known = Settings.names()
    flat: dict[str, Any] = {}
    for name, value in config.items():
        inside = name in SECTIONS
        if inside and not isinstance(value, Mapping):
            raise InputError(f"{name} is {shown(value)}, but a section; write [{name}] above it")
        for key, setting in value.items() if inside else [(name, value)]:
            title = f"{name}.{key}" if inside else str(key)
            if key in OLD_SETTINGS:
                _warn_of_old_name("", key, rename_setting(key))
                key = rename_setting(key)
            if key not in known:
                raise _unknown(title, key, [*known, *(() if inside else SECTIONS)])
            home = _section(key)
            if inside and home != name:
                place = f"to [{home}]" if home else "above all sections"
                raise InputError(f"{key} is in [{name}]; move it {place}")
            if key in flat:
                raise InputError(f"{key} is given twice; leave one of them")
            flat[key] = setting
    return flat


def _unknown(title: str, key: object, known: Iterable[str]) -> InputError:
    names = sorted(known)
    near = difflib.get_close_matches(str(key).lower(), names, 1)
    hint = f"do you mean {near[0]!r}?" if near else f"there are {', '.join(names)}"
    return InputError(f"there is no setting {title!r}; {hint}")


def _read_value(hint: Any, value: Any, title: str) -> Any:
    """A value of a type, with lists as tuples."""
    for choice in get_args(hint) if isinstance(hint, UnionType) else (hint,):
        if get_origin(choice) is tuple and isinstance(value, list | tuple):
            return tuple(_read_value(get_args(choice)[0], part, title) for part in value)
        if choice is float and isinstance(value, int) and not isinstance(value, bool):
            return float(value)
        # true is a number to Python, but not to a reader
        if (
            isinstance(choice, type)
            and isinstance(value, choice)
            and (choice is bool or not isinstance(value, bool))
        ):
            return value
    raise InputError(f"{title} is {shown(value)}; give {_type_words(hint)}")


def _type_words(hint: Any) -> str:
    """A type in words."""
    if isinstance(hint, UnionType):
        return " or ".join(_type_words(part) for part in get_args(hint) if part is not type(None))
    if get_origin(hint) is tuple:
        item = _type_words(get_args(hint)[0]).removeprefix("a ").replace("list", "lists")
        return f"a list of {item}"
    return TYPE_WORDS[hint]


def _read_columns(columns: Any) -> dict[str, ColumnSettings]:
    """The settings of each named column."""
    if not isinstance(columns, Mapping):
        raise InputError(f"columns is {shown(columns)}; write [columns.NAME] with type and role")
    return {str(name): _read_column(str(name), content) for name, content in columns.items()}


def _read_column(name: str, content: Any) -> ColumnSettings:
    title = f"columns.{name}"
    if isinstance(content, ColumnSettings):
        return content
    if isinstance(content, Comparison):
        return ColumnSettings(comparison=content)
    if not isinstance(content, Mapping):
        raise InputError(f"{title} is {shown(content)}; write [{title}] with type and role")
    keys = _replace_old_keys(title, content)
    choices_of = {"type": column_types(), "role": ROLES, "word_groups": WORD_GROUPS}
    for key, choices in choices_of.items():
        value = keys.get(key, choices[0])
        if value not in choices:
            near = difflib.get_close_matches(str(value).lower(), choices, 1)
            hint = f"; do you mean {near[0]!r}?" if near else ""
            raise InputError(
                f"{title}.{key} is {shown(value)}; give one of {', '.join(choices)}{hint}"
            )
    own = {key: keys[key] for key in OWN_KEYS if key in keys}
    if "weight" in own:
        own["weight"] = _read_value(float, own["weight"], f"{title}.weight")
    return ColumnSettings(**own, comparison=_read_comparison(title, keys))


def _read_comparison(title: str, keys: Mapping[str, Any]) -> Comparison | None:
    """The comparison of a column: named, or that of its type with other settings."""
    rest = {key: value for key, value in keys.items() if key not in OWN_KEYS}
    if not rest or isinstance(rest.get("comparison"), Comparison):
        return rest.get("comparison")
    if "comparison" not in rest:
        if "type" not in keys:
            key = next(iter(rest))
            raise _unknown(f"{title}.{key}", key, COLUMN_KEYS)
        rest["comparison"] = automatic_comparison(keys["type"]).name
    try:
        return comparison_from(rest, import_functions=True)
    except InputError as error:
        raise InputError(f"{title}: {error}") from error


def _replace_old_keys(title: str, content: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of a column, with those of version 0.1 replaced."""
    keys = {OLD_KEYS.get(key, key): value for key, value in content.items()}
    old = [key for key in content if key in OLD_KEYS]
    if old:
        new = [OLD_KEYS[key] for key in old]
        _warn_of_old_name(f"{title}: ", ", ".join(old), ", ".join(new))
        keys["role"] = OLD_ROLES.get(keys.get("role", ROLES[0]), keys.get("role", ROLES[0]))
    return keys


TABLES = {"columns": _read_columns, "predicates": read_predicates}
"""Settings that are tables of their own, and the functions that read them."""


def config_text(settings: Settings, profiles: Sequence[ColumnProfile] = ()) -> str:
    """A partita.toml of these settings, with comments and the profile of each column."""
    plain = [name for name in settings.names() if name not in TABLES]
    lines = [
        "# Settings of `partita resolve`. Every default is written out: a line can be removed",
        "# without effect, and an edited line changes that setting alone.",
    ]
    for section in ("", *SECTIONS):
        lines += ["", f"[{section}]"] if section else []
        for name in plain:
            if _section(name) == section:
                about = describe(Settings, name)
                lines += _comment(about["meaning"])
                lines.append(_line(name, getattr(settings, name), about["example"]))
    lines += ["", "# Columns."]
    for key in COLUMN_KEYS:
        lines += _comment(f"{key}: {describe(ColumnSettings, key)['meaning']}.")
    lines += _comment(f"types: {', '.join(column_types())}.")
    by_name = {profile.name: profile for profile in profiles}
    for name, column in settings.columns.items():
        lines += ["", f"[columns.{_key(name)}]"]
        lines += _comment(_profile_text(by_name[name])) if name in by_name else []
        lines += _column_lines(column)
    lines += predicate_lines(settings.predicates)
    return "\n".join(lines) + "\n"


def _column_lines(column: ColumnSettings) -> list[str]:
    """Type and role of a column, its comparison with all settings, and the labels of its levels."""
    stored = column.as_dict()
    lines = [_line(key, value) for key, value in stored.items() if value is not None]
    if column.comparison is not None:
        lines += _comment(f"levels: {' | '.join(column.comparison.labels)}")
    return lines


def _profile_text(profile: ColumnProfile) -> str:
    """A profile in one line."""
    examples = f"; {' | '.join(profile.examples)}" if profile.examples else ""
    also = f", {profile.unused_reason}" if profile.unused_reason else ""
    if profile.relevance is not None:
        also += f", relevance {profile.relevance:.1f}"
    return f"filled {profile.filled:.1%}, {profile.distinct:,} distinct{also}{examples}"


def _comment(text: str) -> list[str]:
    # TOML allows no control characters, not even in comments
    plain = re.sub(r"[\x00-\x1f\x7f\ud800-\udfff]", " ", text)
    return [f"# {line}" for line in textwrap.wrap(plain, LINE_WIDTH, break_on_hyphens=False)]


def _line(name: str, value: Any, example: Any = None) -> str:
    if value is None:
        return f"# {name} = {_toml('' if example is None else example)}"
    return f"{name} = {_toml(value)}"


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _toml(name)


def _toml(value: Any) -> str:
    if isinstance(value, tuple | list):
        return f"[{', '.join(_toml(part) for part in value)}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_key(key)} = {_toml(part)}' for key, part in value.items())}}}"
    # JSON writes numbers, true and false as TOML does, and text but for one character
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
