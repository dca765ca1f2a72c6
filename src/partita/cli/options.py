"""Options that several commands share, each said once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

__all__ = [
    "Chains",
    "ConfigFile",
    "ConstraintsFile",
    "Draws",
    "Files",
    "Id",
    "Ignore",
    "Json",
    "Memory",
    "Mode",
    "ModelName",
    "OneToOne",
    "Quiet",
    "Seed",
    "SourceColumn",
    "Threads",
    "given",
]

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE...",
        help="CSV, Parquet, JSON lines, or database.duckdb::table; several files are sources.",
        show_default=False,
    ),
]
Id = Annotated[
    str | None,
    typer.Option(
        "--id",
        metavar="COL",
        help="Column of ids; by default unique_id or id; '' numbers the rows.",
    ),
]
SourceColumn = Annotated[
    str | None,
    typer.Option("--source", metavar="COL", help="Column that says where a record comes from."),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option("--ignore", metavar="COL", help="Column not to look at; may be repeated."),
]
ConfigFile = Annotated[
    Path | None,
    typer.Option("--config", metavar="FILE", help="A partita.toml; `partita init` writes one."),
]
ConstraintsFile = Annotated[
    Path | None,
    typer.Option("--constraints", metavar="FILE", help="Pairs that must or cannot be one entity."),
]
Seed = Annotated[int | None, typer.Option("--seed", metavar="N", help="One seed for everything.")]
Chains = Annotated[
    int | None, typer.Option("--chains", metavar="N", help="Chains from different starts.")
]
Draws = Annotated[
    int | None, typer.Option("--draws", metavar="N", help="Kept draws of each chain.")
]
Memory = Annotated[
    str | None, typer.Option("--memory", metavar="LIMIT", help="Most memory to use, as in 2GB.")
]
Threads = Annotated[
    int | None,
    typer.Option("--threads", metavar="N", help="Threads; they do not change the result."),
]
Mode = Annotated[
    str | None,
    typer.Option("--mode", metavar="MODE", help="auto, dedupe, link or both."),
]
OneToOne = Annotated[
    bool | None,
    typer.Option("--one-to-one/--no-one-to-one", help="No source holds an entity twice."),
]
ModelName = Annotated[
    str | None, typer.Option("--model", metavar="MODEL", help="auto, entities or pairs.")
]
Json = Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No summary and no progress bars.")]


def given(**options: Any) -> dict[str, Any]:
    """The settings that were given on the command line."""
    found = {name: value for name, value in options.items() if value is not None}
    if "ignore" in found:
        found["ignore"] = tuple(found["ignore"])
    return found
