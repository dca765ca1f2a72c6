"""Options that have no effect beside others, or without them: each such combination is refused.

`--force` and `--quiet` permit or forbid something, and need nothing to permit or forbid. Options
that depend on the content of a file are checked where the file is read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import typer
from typer.core import TyperCommand

from partita.errors import InputError

__all__ = ["IDLE", "STORE", "Command", "Idle", "check_combination"]

Chosen = Mapping[str, Any]
"""The arguments and options that the command line gives, with their values."""
STORE = ".partita"
"""Ending of a store."""


class Idle(NamedTuple):
    """Options that have no effect in a situation."""

    options: tuple[str, ...]
    """Parameters of the command."""
    where: Callable[[Chosen], bool]
    """Whether the other options make this situation."""
    words: str
    """The situation in a message."""


def _spell(name: str) -> str:
    return "--" + name.replace("_", "-")


def _list(names: tuple[str, ...]) -> str:
    return " or ".join(map(_spell, names))


def _without(options: tuple[str, ...], *needed: str) -> Idle:
    """Options that need at least one of some others."""
    return Idle(
        options,
        lambda chosen: not any(name in chosen for name in needed),
        f"without {_list(needed)}",
    )


def _beside(options: tuple[str, ...], *others: str) -> Idle:
    """Options that have no effect if any of some others is chosen."""
    return Idle(
        options, lambda chosen: any(name in chosen for name in others), f"with {_list(others)}"
    )


def _is_store(chosen: Chosen) -> bool:
    return str(chosen["files"][0]).endswith(STORE)


def _changes_nothing(chosen: Chosen) -> bool:
    return not {"ids", "together", "apart", "entity", "file", "remove"} & set(chosen)


READ = ("id", "source", "ignore", "map", "header", "encoding", "delimiter")
TASK = ("mode", "one_to_one", "reference")
IDLE: dict[str, tuple[Idle, ...]] = {
    "resolve": (
        # a store keeps the rules for its own golden records
        _without(("survivorship",), "golden", "store"),
        _without(("extract_column",), "extract", "config"),
        _beside(("safe_cells",), "recipe"),
        _beside(("verbose",), "json", "recipe"),
    ),
    "link": (_beside(("verbose",), "json"),),
    "extract": (_beside(("verbose",), "json"),),
    "explain": (
        _without(("to_id", "aliases"), "to"),
        _without(("extract_column",), "extract", "config"),
        _beside(
            ("constraints", "source", *TASK, "mentions", "extract", "extract_column", "posterior"),
            "to",
        ),
    ),
    "train": (
        Idle(
            *(
                ("out", "labels", "truth_column", "config", "model", "compare", *READ, *TASK),
                _is_store,
            ),
            "on a store, which learns from its own records and corrections",
        ),
        Idle(
            ("seed", "memory", "threads", "force"),
            _is_store,
            "on a store, which keeps the settings that it was made with",
        ),
        Idle(("dry_run",), lambda chosen: not _is_store(chosen), "without a store"),
    ),
    "coref": (_without(("to_id", "name", "aliases"), "to"),),
    "facts": (
        _without(("rated", "conflicts", "depth", "learn", "new_relations"), "rules"),
        Idle(("epochs",), lambda chosen: chosen.get("rank") == 0, "with --rank 0"),
    ),
    "add": (
        Idle(("source", "complete"), lambda chosen: "file" not in chosen, "without a FILE"),
        _beside(("reason",), "dry_run"),
    ),
    "correct": (
        Idle(("reason", "dry_run"), _changes_nothing, "where no correction is added or removed"),
        _beside(("reason",), "dry_run"),
    ),
    "log": (_without(("limit", "offset"), "run"),),
    "export": (_without(("survivorship",), "golden"),),
}
"""The combinations of each command in which options have no effect."""


def check_combination(command: str, chosen: Chosen) -> None:
    """Raise an InputError for the first option that has no effect beside the others."""
    for idle in IDLE.get(command, ()):
        named = [name for name in idle.options if name in chosen]
        if named and idle.where(chosen):
            option = _spell(named[0])
            raise InputError(f"{option} has no effect {idle.words}; leave {option} out")


class Command(TyperCommand):
    """A command that refuses options without effect before it runs."""

    def invoke(self, ctx: Any) -> Any:
        """Check the combination of options, then run the command."""
        chosen = {name: value for name, value in ctx.params.items() if _is_given(ctx, name)}
        check_combination(str(ctx.command.name), chosen)
        return super().invoke(ctx)


def _is_given(ctx: typer.Context, name: str) -> bool:
    """Whether the command line names a parameter, which otherwise has its default."""
    source = ctx.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"
