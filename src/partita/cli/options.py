"""Options that several commands share, each said once."""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

__all__ = [
    "COMPARING",
    "INFERRING",
    "NOTHING",
    "READING",
    "Address",
    "Asked",
    "ConfigFile",
    "ConstraintsFile",
    "EngineName",
    "Files",
    "GoldenFile",
    "Id",
    "Json",
    "KnownColumn",
    "PairsFile",
    "Quiet",
    "RecipeName",
    "ReportFile",
    "SourceColumn",
    "TrainedFile",
    "asks",
    "given",
    "typed",
]

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE...",
        help="CSV, Parquet, JSON lines, BibTeX, or database.duckdb::table; several are sources.",
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
    str | None,
    typer.Option(
        "--model",
        metavar="MODEL",
        help="What `partita train` wrote, or a kind: auto, entities or pairs.",
    ),
]
TrainedFile = Annotated[
    Path | None,
    typer.Option("--model", metavar="MODEL.json", help="Go on from what `partita train` wrote."),
]
PosteriorName = Annotated[
    str | None,
    typer.Option("--posterior", metavar="HOW", help="quick, or full: error rates are drawn, too."),
]
PairsFile = Annotated[
    Path | None, typer.Option("--pairs", metavar="FILE", help="Compared pairs with p_same.")
]
ReportFile = Annotated[
    Path | None, typer.Option("--report", metavar="FILE.html", help="A report to look at.")
]
GoldenFile = Annotated[
    Path | None, typer.Option("--golden", metavar="FILE", help="One best record per entity.")
]
RecipeName = Annotated[
    str | None,
    typer.Option("--recipe", metavar="NAME", help="authors: mentions on papers, up to millions."),
]
EngineName = Annotated[
    str | None,
    typer.Option("--engine", metavar="NAME", help="draws; of a recipe: auto, flat or ray."),
]
Address = Annotated[
    str | None,
    typer.Option("--address", metavar="HOST:PORT", help="Of a Ray cluster; else one is started."),
]
KnownColumn = Annotated[
    str | None,
    typer.Option(
        "--truth-column",
        metavar="COL",
        help="Of a recipe: column of the true entity where it is known, to learn from.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No summary and no progress bars.")]


SETTINGS: dict[str, Any] = {
    "id": Id,
    "source": SourceColumn,
    "ignore": Ignore,
    "seed": Seed,
    "chains": Chains,
    "draws": Draws,
    "memory": Memory,
    "threads": Threads,
    "mode": Mode,
    "one_to_one": OneToOne,
    "model": ModelName,
    "posterior": PosteriorName,
}
"""The option of each setting that the command line has."""
INFERRING = tuple(SETTINGS)
"""Settings of commands that look for entities."""
COMPARING = tuple(
    name for name in INFERRING if name not in ("chains", "draws", "model", "posterior")
)
"""Settings of commands that compare records."""
READING = ("id", "source", "ignore")
"""Settings of commands that only read records."""
Asked = dict[str, Any]
"""What was given of the settings that a command asks for."""
NOTHING: Asked = {}


def asks(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command an option for each setting named, in the place of its parameter `settings`.

    The command gets those that were given, as one dict.
    """

    def asking(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def run(**options: Any) -> None:
            settings = given(**{name: options.pop(name) for name in names})
            command(settings=settings, **options)

        parameters = []
        for one in inspect.signature(command, eval_str=True).parameters.values():
            if one.name != "settings":
                parameters.append(one)
                continue
            parameters += [
                one.replace(name=name, annotation=SETTINGS[name], default=None) for name in names
            ]
        run.__dict__["__signature__"] = inspect.Signature(parameters)
        run.__annotations__ = {one.name: one.annotation for one in parameters}
        return run

    return asking


def given(**options: Any) -> dict[str, Any]:
    """The settings that were given on the command line."""
    found = {name: value for name, value in options.items() if value is not None}
    if "ignore" in found:
        found["ignore"] = tuple(found["ignore"])
    return found


def typed(settings: Mapping[str, Any], **files: Path | None) -> str:
    """Settings and named files as one types them, to suggest a command that uses them again."""
    words: list[str] = []
    for name, value in {**settings, **files}.items():
        option = f"--{name.replace('_', '-')}"
        if isinstance(value, bool):
            words.append(option if value else f"--no-{option[2:]}")
        elif value is not None:
            listed = value if isinstance(value, tuple) else (value,)
            words += [word for one in listed for word in (option, str(one))]
    return shlex.join(words)
