"""`partita resolve` and `partita explain`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console

from partita.cli.recipes import recipe_by_size, run_recipe
from partita.cli.shell import console, refuse_overwriting, say_json, wrote
from partita.cli.show import summary_table
from partita.data.write import check_path, write_table
from partita.linkage.resolve import resolve
from partita.linkage.result import Resolution
from partita.linkage.routing import DRAWS

__all__ = ["Outputs", "run_explain", "run_resolve"]


class Outputs(NamedTuple):
    """Where each result goes."""

    result: Path
    pairs: Path | None = None
    report: Path | None = None
    golden: Path | None = None

    def check(self, inputs: Sequence[str | Path]) -> None:
        """Raises if something could not be written, before any work is done."""
        refuse_overwriting(self, inputs)
        for path in (self.result, self.pairs, self.golden):
            if path is not None:
                check_path(path)
        if self.report is not None:
            from partita.report import check_report

            check_report(self.report)

    def write(self, found: Resolution) -> dict[str, Path]:
        """Write all that was asked for; returns where each is."""
        files: dict[str, Path] = {}

        def keep(name: str, path: Path) -> None:
            files[name] = path
            wrote([path])

        if self.golden is not None:
            from partita.linkage.output.golden import golden

            # first, since its columns may clash with those of the input
            write_table(golden(found), self.golden)
            keep("golden", self.golden)
        found.write(self.result)
        keep("result", self.result)
        if self.pairs is not None:
            found.write_pairs(self.pairs)
            keep("pairs", self.pairs)
        if self.report is not None:
            from partita.report import write_report

            write_report(found, self.report)
            keep("report", self.report)
        return files


def run_resolve(
    files: Sequence[str],
    outputs: Outputs,
    *,
    config: Path | None,
    constraints: Path | None,
    settings: dict[str, Any],
    recipe: dict[str, Any],
    json: bool,
    quiet: bool,
) -> None:
    """Resolve files, write what was asked for, and say what was found."""
    outputs.check([*files, *(path for path in (config, constraints) if path is not None)])
    others = {**outputs._asdict(), "config": config, "constraints": constraints}
    recipe = recipe or recipe_by_size(files, others, settings)
    if recipe and recipe != {"engine": DRAWS}:
        run_recipe(files, others, settings, recipe, json=json, quiet=quiet)
        return
    began = time.perf_counter()
    found = _resolved(files, config, constraints, settings, quiet=quiet)
    with _busy("writing", quiet=quiet):
        written = outputs.write(found)
    told = found.summary()
    took = {"wall": time.perf_counter() - began, "cpu": sum(told["seconds"].values())}
    if json:
        say_json({**told, "took": took, "files": written})
    elif not quiet:
        console().print(summary_table(told, took, written))


def run_explain(
    files: Sequence[str],
    one: str,
    other: str,
    *,
    config: Path | None,
    constraints: Path | None,
    settings: dict[str, Any],
    json: bool,
) -> None:
    """Resolve files as `resolve` does, and show what speaks for and against two records."""
    from partita.cli.waterfall import explanation_table
    from partita.linkage.output.explain import explain

    found = _resolved(files, config, constraints, settings, quiet=False)
    explained = explain(found, one, other)
    if json:
        say_json(explained.as_dict())
    else:
        console().print(explanation_table(explained))


def _resolved(
    files: Sequence[str],
    config: Path | None,
    constraints: Path | None,
    settings: dict[str, Any],
    *,
    quiet: bool,
) -> Resolution:
    return resolve(
        list(files), config=config, constraints=constraints, progress=not quiet, **settings
    )


def _busy(what: str, *, quiet: bool) -> Any:
    """A sign of life on a terminal."""
    screen = Console(stderr=True)
    return nullcontext() if quiet or not screen.is_terminal else screen.status(what)
