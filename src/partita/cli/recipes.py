"""`partita resolve --recipe NAME`."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Group
from rich.text import Text

from partita.cli.shell import console, say_json, wrote
from partita.cli.show import facts
from partita.errors import InputError

__all__ = ["RECIPES", "recipe_by_size", "run_recipe"]

RECIPES = ("authors",)
USED = ("id", "source", "ignore", "memory", "seed", "threads")
"""Settings that mean something to every recipe."""


def recipe_by_size(
    files: Sequence[str], others: Mapping[str, Path | None], settings: Mapping[str, Any]
) -> dict[str, Any]:
    """The recipe that suits very many records, where nothing is asked for that it cannot give."""
    from partita.linkage.routing import MANY, recipe_for

    wanted = [name for name, value in {**settings, **others}.items() if value is not None]
    if any(name not in (*USED, "result") for name in wanted):
        return {}
    name = recipe_for(files, settings)
    why = f"more than {MANY:,} records of {name}; --engine draws would give a posterior, slowly"
    return {} if name is None else {"recipe": name, "why": why}


def run_recipe(
    files: Sequence[str],
    others: Mapping[str, Path | None],
    settings: dict[str, Any],
    recipe: dict[str, Any],
    *,
    json: bool,
    quiet: bool,
) -> None:
    """Resolve files by a recipe, write the result, and say what was found.

    Parameters
    ----------
    others
        Files by option; a recipe knows `result` alone.
    recipe
        Its name, why it was chosen if nobody asked for it, and what it alone knows: engine,
        address, truth column, where they are given.
    """
    cluster = dict(recipe)
    name, why = cluster.pop("recipe", None), cluster.pop("why", None)
    out = others["result"]
    _check(name, [*cluster], {**settings, **others})
    from partita.linkage.authors.recipe import resolve_authors

    began = time.perf_counter()
    assert out is not None
    found = resolve_authors(
        list(files), **settings, **cluster, folder=out.parent, progress=not quiet
    )
    found.write(out)
    wrote([out])
    told = found.summary()
    if why is not None:
        told["why_engine"] = f"{why}; {told['why_engine']}"
    took = {"wall": time.perf_counter() - began, "cpu": sum(told["seconds"].values())}
    if json:
        say_json({**told, "took": took, "files": {"result": out}})
    elif not quiet:
        console().print(_table(told, took, out))


def _check(name: str | None, cluster: Sequence[str], given: Mapping[str, Any]) -> None:
    """Raises for a recipe that is none, and for options that it would not heed."""
    if name is None:
        raise InputError(
            f"--{_spelt(cluster[0])} belongs to a recipe; add --recipe {RECIPES[0]}, or give "
            "--engine draws for the posterior, whatever the size"
        )
    if name not in RECIPES:
        raise InputError(f"there is no recipe {name!r}; there are {', '.join(RECIPES)}")
    for option, value in given.items():
        if value is not None and option not in (*USED, "result"):
            raise InputError(f"--{_spelt(option)} means nothing to --recipe {name}; leave it out")


def _spelt(option: str) -> str:
    return option.replace("_", "-")


def _table(told: Mapping[str, Any], took: Mapping[str, float], out: Path) -> Group:
    """What a recipe found, and where it is."""
    largest = (f"{one['name']} ({one['mentions']:,})" for one in told["largest_entities"])
    columns = (f"{role}: {column}" for role, column in told["columns"].items())
    rows = [
        ("mentions", f"{told['records']:,}"),
        ("entities", f"{told['entities']:,}"),
        ("largest", ", ".join(largest)),
        ("columns", ", ".join(columns)),
        ("engine", f"{told['engine']}; {told['why_engine']}"),
        ("probabilities", told["probabilities"]),
        ("time", f"{took['wall']:.1f} s ({took['cpu']:.1f} CPU s), seed {told['seed']}"),
        ("result", str(out)),
    ]
    notes = [Text(f"warning: {one}", style="yellow") for one in told["warnings"]]
    return Group(facts(rows), *notes)
