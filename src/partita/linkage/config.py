"""partita.toml: every setting in a file, with its default and what it does.

The keys are the fields of `Settings`, in sections; what each does is said once, there. Loading what
`config_text` wrote gives back the same settings.
"""

from __future__ import annotations

import ast
import difflib
import inspect
import json
import re
import textwrap
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from partita.comparison import column_types as kinds
from partita.data import ColumnProfile
from partita.errors import InputError
from partita.linkage.settings import USES, ColumnSettings, Settings
from partita.linkage.supervision.predicates import predicate_lines, read_predicates
from partita.states.checks import shown

__all__ = ["SECTIONS", "Config", "config_text", "load_settings"]

Config = str | PathLike[str] | Mapping[str, Any] | Settings | None

SECTIONS = {
    "input": ("id", "source", "ignore", "mode", "one_to_one"),
    "blocking": ("neighbours", "rules", "largest_block"),
    "inference": ("model", "posterior", "join", "chains", "draws", "tune"),
    "run": ("seed", "threads", "memory"),
}
"""Where each setting stands in the file; one that is not listed stands above all sections."""
EXAMPLES = {
    **{"id": "unique_id", "source": "source_dataset", "threads": 2, "memory": "2GB"},
    **{"draws": 100, "tune": 25},
}
"""Values of settings that have none by default, shown in a comment."""
WORDS = {str: "text", bool: "true or false", int: "a whole number", float: "a number"}
WIDTH = 96


def load_settings(config: Config = None) -> Settings:
    """Settings from a TOML file, from a dict of the same shape, or as they are.

    A setting may stand in its section or above all sections. What is not said keeps its default.

    >>> load_settings({"inference": {"chains": 4}, "seed": 7}).chains
    4
    """
    if config is None:
        return Settings()
    if isinstance(config, Settings):
        return config.checked()
    if isinstance(config, Mapping):
        return _settings(config)
    if not isinstance(config, str | PathLike):
        raise InputError(f"config is {shown(config)}; give a TOML file, a dict or Settings")
    path = Path(config)
    try:
        return _settings(_parsed(path))
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def _parsed(path: Path) -> Mapping[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(
            f"the configuration cannot be read ({error.strerror}); `partita init` writes one"
        ) from error
    except UnicodeDecodeError as error:
        raise InputError(f"byte {error.start} is not UTF-8; save it as UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"this is not TOML: {error}; correct that place") from error


def _settings(given: Mapping[str, Any]) -> Settings:
    """Settings of a parsed file."""
    hints = get_type_hints(Settings)
    flat = _flat(given)
    made: dict[str, Any] = {
        name: OWN[name](value) if name in OWN else _value(hints[name], value, name)
        for name, value in flat.items()
    }
    return Settings(**made).checked()


def _flat(given: Mapping[str, Any]) -> dict[str, Any]:
    """All settings without their sections."""
    home = {name: section for section, names in SECTIONS.items() for name in names}
    known = Settings.names()
    found: dict[str, Any] = {}
    for name, value in given.items():
        if name in SECTIONS and not isinstance(value, Mapping):
            raise InputError(f"{name} is {shown(value)}, but a section; write [{name}] above it")
        inside = name in SECTIONS
        for key, one in value.items() if inside else [(name, value)]:
            title = f"{name}.{key}" if inside else str(key)
            if key not in known:
                raise _unknown(title, key, [*known, *(() if inside else SECTIONS)])
            if inside and home.get(key) != name:
                own = f"to [{home[key]}]" if key in home else "above all sections"
                raise InputError(f"{key} stands in [{name}]; move it {own}")
            if key in found:
                raise InputError(f"{key} is given twice; leave one of them")
            found[key] = one
    return found


def _unknown(title: str, key: object, known: Iterable[str]) -> InputError:
    there = sorted(known)
    near = difflib.get_close_matches(str(key).lower(), there, 1)
    hint = f"do you mean {near[0]!r}?" if near else f"there are {', '.join(there)}"
    return InputError(f"there is no setting {title!r}; {hint}")


def _value(hint: Any, value: Any, title: str) -> Any:
    """A value of a type, with lists as tuples."""
    for one in get_args(hint) if isinstance(hint, UnionType) else (hint,):
        if get_origin(one) is tuple and isinstance(value, list | tuple):
            return tuple(_value(get_args(one)[0], part, title) for part in value)
        if one is float and isinstance(value, int) and not isinstance(value, bool):
            return float(value)
        # true is a number to Python, but not to a reader
        if (
            isinstance(one, type)
            and isinstance(value, one)
            and (one is bool or not isinstance(value, bool))
        ):
            return value
    raise InputError(f"{title} is {shown(value)}; give {_words(hint)}")


def _words(hint: Any) -> str:
    """What values of a type are called."""
    if isinstance(hint, UnionType):
        return " or ".join(_words(one) for one in get_args(hint) if one is not type(None))
    if get_origin(hint) is tuple:
        return f"a list of {_words(get_args(hint)[0]).removeprefix('a ').replace('list', 'lists')}"
    return WORDS[hint]


def _columns(given: Any) -> dict[str, ColumnSettings]:
    """How each named column is used."""
    if not isinstance(given, Mapping):
        raise InputError(f"columns is {shown(given)}; write [columns.NAME] with kind and use")
    return {str(name): _column(str(name), one) for name, one in given.items()}


def _column(name: str, given: Any) -> ColumnSettings:
    title = f"columns.{name}"
    if isinstance(given, ColumnSettings):
        return given
    if not isinstance(given, Mapping):
        raise InputError(f"{title} is {shown(given)}; write [{title}] with kind and use")
    for key in given:
        if key not in ("kind", "use"):
            raise _unknown(f"{title}.{key}", key, ("kind", "use"))
    if "kind" not in given:
        raise InputError(f"{title} has no kind; give one of {', '.join(kinds())}")
    for key, choices in (("kind", kinds()), ("use", USES)):
        value = given.get(key, choices[0])
        if value not in choices:
            near = difflib.get_close_matches(str(value).lower(), choices, 1)
            hint = f"; do you mean {near[0]!r}?" if near else ""
            raise InputError(
                f"{title}.{key} is {shown(value)}; give one of {', '.join(choices)}{hint}"
            )
    return ColumnSettings(**given)


OWN = {"columns": _columns, "predicates": read_predicates}
"""Settings that are tables of their own, and how they are read."""


def config_text(settings: Settings, profiles: Sequence[ColumnProfile] = ()) -> str:
    """A partita.toml of these settings, with a comment above each and what the profiles saw."""
    told = _told(Settings)
    listed = {name for names in SECTIONS.values() for name in names}
    rest = [one for one in settings.names() if one not in listed and one not in OWN]
    lines = [
        "# Settings of `partita resolve`. Every default is spelt out: a line that is left out",
        "# changes nothing, a line that is edited changes what it says and no more.",
    ]
    for section, names in {"": rest, **SECTIONS}.items():
        lines += ["", f"[{section}]"] if section else []
        for name in names:
            lines += [*_comment(told.get(name, "")), _line(name, getattr(settings, name))]
    lines += ["", *_comment(f"Columns. kind: {', '.join(kinds())}.")]
    lines += _comment(f"use: {_told(ColumnSettings)['use']}")
    seen = {one.name: one for one in profiles}
    for name, column in settings.columns.items():
        lines += ["", f"[columns.{_key(name)}]"]
        lines += _comment(_seen(seen[name])) if name in seen else []
        lines += [_line("kind", column.kind), _line("use", column.use)]
    lines += predicate_lines(settings.predicates)
    return "\n".join(lines) + "\n"


def _told(described: type) -> dict[str, str]:
    """What stands below each field of a class, from its source."""
    body = ast.parse(textwrap.dedent(inspect.getsource(described))).body[0]
    assert isinstance(body, ast.ClassDef)
    found: dict[str, str] = {}
    for field, note in zip(body.body, body.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(note, ast.Expr):
            found[ast.unparse(field.target)] = " ".join(ast.literal_eval(note.value).split())
    return found


def _seen(one: ColumnProfile) -> str:
    """What a profile saw, in one line."""
    examples = f"; {' | '.join(one.examples)}" if one.examples else ""
    also = ", repeats other columns" if one.is_redundant else ""
    return f"filled {one.filled:.1%}, {one.distinct:,} distinct{also}{examples}"


def _comment(text: str) -> list[str]:
    # TOML allows no control characters, not even in comments
    plain = re.sub(r"[\x00-\x1f\x7f\ud800-\udfff]", " ", text)
    return [f"# {line}" for line in textwrap.wrap(plain, WIDTH)]


def _line(name: str, value: Any) -> str:
    if value is None:
        return f"# {name} = {_toml(EXAMPLES.get(name, ''))}"
    return f"{name} = {_toml(value)}"


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _toml(name)


def _toml(value: Any) -> str:
    if isinstance(value, tuple | list):
        return f"[{', '.join(_toml(one) for one in value)}]"
    # JSON writes numbers, true and false as TOML does, and text but for one character
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
