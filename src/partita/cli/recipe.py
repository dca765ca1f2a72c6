"""`partita resolve --recipe NAME`."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from partita.cli.outputs import is_stdout, open_output
from partita.cli.shell import console, mark_written, print_json, print_warnings
from partita.cli.tables import facts
from partita.errors import InputError

__all__ = ["RECIPES", "choose_recipe", "run_recipe"]

RECIPES = ("authors",)
USED = (
    *("id", "source", "ignore", "memory", "encoding", "delimiter", "seed", "threads", "result"),
)
"""Settings and outputs that every recipe has."""


def choose_recipe(
    files: Sequence[str], others: Mapping[str, Path | None], settings: Mapping[str, Any]
) -> tuple[dict[str, Any], Any]:
    """Choose a recipe by the number of records, unless an option needs the posterior.

    Return also the data to resolve: the files, or their records where they have been read.
    """
    from partita.linkage.routing import MANY, choose_by_size

    used = [name for name, value in {**settings, **others}.items() if value is not None]
    if any(name not in USED for name in used):
        return {}, files
    name, data = choose_by_size(files, settings)
    reason = f"more than {MANY:,} records of {name}; --engine draws samples the posterior, slowly"
    return {} if name is None else {"recipe": name, "reason": reason}, data


def run_recipe(
    data: Any,
    others: Mapping[str, Path | None],
    settings: dict[str, Any],
    recipe: dict[str, Any],
    *,
    json: bool,
    quiet: bool,
) -> None:
    """Resolve files or records by a recipe, write the result and print a summary.

    Parameters
    ----------
    others
        Files by option; a recipe has `result` only.
    recipe
        Its name, the reason if Partita chose it, and its own options: engine, address, truth
        column.
    """
    options = dict(recipe)
    name, reason = options.pop("recipe", None), options.pop("reason", None)
    out = others["result"]
    _check(name, options, {**settings, **others})
    from partita.linkage.authors.recipe import resolve_authors

    began = time.perf_counter()
    assert out is not None
    folder = Path() if is_stdout(out) else out.parent
    result = resolve_authors(data, **settings, **options, folder=folder, progress=not quiet)
    with open_output(out) as path:
        result.write(path)
    mark_written([out])
    summary = result.summary()
    if reason is not None:
        summary["why_engine"] = f"{reason}; {summary['why_engine']}"
    took = {"wall": time.perf_counter() - began, "cpu": sum(summary["seconds"].values())}
    if json:
        print_json({**summary, "took": took, "files": {"result": out}})
        return
    if not quiet:
        console(stderr=is_stdout(out)).print(_table(summary, took, out))
    print_warnings(summary["warnings"])


def _check(name: str | None, options: Mapping[str, Any], others: Mapping[str, Any]) -> None:
    """Raise for an unknown recipe, and for options that it does not have."""
    if name is None:
        raise InputError(_explain_missing_recipe(options))
    if name not in RECIPES:
        raise InputError(f"there is no recipe {name!r}; the recipes are {', '.join(RECIPES)}")
    for option, value in others.items():
        if value is not None and option not in USED:
            raise InputError(f"--recipe {name} has no option --{_spell(option)}; leave it out")


def _explain_missing_recipe(options: Mapping[str, Any]) -> str:
    """The message for options of a recipe without --recipe."""
    from partita.linkage.authors.recipe import ENGINES
    from partita.linkage.routing import DRAWS

    engine = options.get("engine", DRAWS)
    if engine != DRAWS:
        return (
            f"engine is {engine!r}; give {DRAWS}, or with --recipe {RECIPES[0]} one of "
            f"{', '.join(ENGINES)}"
        )
    if "truth_column" in options:
        return (
            f"--truth-column belongs to --recipe {RECIPES[0]}; to score a result use `partita "
            "evaluate`, to learn from labels `partita train`"
        )
    option = next(name for name in options if name != "engine")
    return f"--{_spell(option)} belongs to --recipe {RECIPES[0]}; add it, or leave the option out"


def _spell(option: str) -> str:
    return option.replace("_", "-")


def _table(summary: Mapping[str, Any], took: Mapping[str, float], out: Path) -> Table:
    """The summary of a recipe."""
    largest = (
        f"{entity['name']} ({entity['mentions']:,})" for entity in summary["largest_entities"]
    )
    columns = (f"{role}: {column}" for role, column in summary["columns"].items())
    rows = [
        ("mentions", f"{summary['records']:,}"),
        ("entities", f"{summary['entities']:,}"),
        ("largest", ", ".join(largest)),
        ("columns", ", ".join(columns)),
        ("engine", f"{summary['engine']}; {summary['why_engine']}"),
        ("probabilities", summary["probabilities"]),
        ("time", f"{took['wall']:.1f} s ({took['cpu']:.1f} CPU s), seed {summary['seed']}"),
        ("result", str(out)),
    ]
    return facts(rows)
