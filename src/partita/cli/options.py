"""Options that several commands share, each defined once."""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

__all__ = [
    "COMPARE_SETTINGS",
    "INFER_SETTINGS",
    "LINK_SETTINGS",
    "NO_SETTINGS",
    "READ_SETTINGS",
    "ConfigFile",
    "ConstraintsFile",
    "Delimiter",
    "Encoding",
    "Files",
    "Force",
    "GoldenFile",
    "Id",
    "Json",
    "Quiet",
    "ReportFile",
    "SafeCells",
    "SeedNumber",
    "SettingOptions",
    "Source",
    "SurvivorshipRules",
    "Threads",
    "TomlFile",
    "TrainedFile",
    "Verbose",
    "drop_missing",
    "format_options",
    "with_settings",
]

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE...",
        help="CSV, Excel, Parquet, JSON lines, BibTeX, database.duckdb::table; .gz or .zip of "
        "these; postgresql://host/database::table; - for standard input. "
        "Several files are several sources.",
        show_default=False,
    ),
]
Id = Annotated[
    str | None,
    typer.Option(
        "--id",
        metavar="COL",
        help="Column of ids; '' numbers the rows.",
        show_default="unique_id or id, else numbered rows",
    ),
]
Source = Annotated[
    str | None,
    typer.Option(
        "--source",
        metavar="COL",
        help="Column with the source of each record; '' compares the column that is found.",
        show_default="one source per file, or a column named source or similar",
    ),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option(
        "--ignore",
        metavar="COL",
        help="Column to copy to the output but not to compare; repeat for several.",
        show_default="no column",
    ),
]
Compare = Annotated[
    list[str] | None,
    typer.Option(
        "--compare",
        metavar="COL",
        help="Column that counts in full, however relevant it is; repeat for several.",
        show_default="the relevance of each column decides",
    ),
]
Map = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        metavar="A.X=B.Y",
        help="Column X of file A has the same meaning as column Y of file B and gets its name; "
        "repeat for several. A and B are file names without their ending, for example "
        "--map shop.title=billing.name.",
        show_default="columns of equal name",
    ),
]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether the first row of a CSV or Excel file names the columns.",
        show_default="by content",
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        "--encoding",
        metavar="NAME",
        help="Encoding of text files, such as utf-8, cp1252 or shift_jis.",
        show_default="by content",
    ),
]
Delimiter = Annotated[
    str | None,
    typer.Option(
        "--delimiter",
        metavar="CHAR",
        help=r"Character between the fields of CSV files, also tab, space or \x01.",
        show_default="by content",
    ),
]
ConfigFile = Annotated[
    Path | None,
    typer.Option(
        "--config",
        metavar="FILE",
        help="A partita.toml; `partita init` writes one.",
        show_default="built-in settings",
    ),
]
ConstraintsFile = Annotated[
    Path | None,
    typer.Option(
        "--constraints",
        metavar="FILE",
        help="Pairs that must or cannot be one entity, or labels from `partita label`.",
        show_default="no constraints",
    ),
]
SEED = typer.Option("--seed", metavar="N", help="Seed of all random numbers.", show_default="0")
Seed = Annotated[int | None, SEED]
SeedNumber = Annotated[int, SEED]
Chains = Annotated[
    int | None, typer.Option("--chains", metavar="N", help="MCMC chains.", show_default="2")
]
Draws = Annotated[
    int | None,
    typer.Option(
        "--draws",
        metavar="N",
        help="Draws that each chain keeps.",
        show_default="30 to 200, fewer for more records",
    ),
]
Memory = Annotated[
    str | None,
    typer.Option(
        "--memory", metavar="LIMIT", help="Memory limit, such as 2GB.", show_default="unlimited"
    ),
]
Threads = Annotated[
    int | None,
    typer.Option(
        "--threads",
        metavar="N",
        help="Threads; the result does not depend on them.",
        show_default="all cores",
    ),
]
Mode = Annotated[
    str | None,
    typer.Option(
        "--mode",
        metavar="MODE",
        help="dedupe: ignore sources; link: compare records of different sources only; "
        "both: compare all; auto: dedupe for one source, else both (link with --one-to-one).",
        show_default="auto",
    ),
]
OneToOne = Annotated[
    bool | None,
    typer.Option(
        "--one-to-one/--no-one-to-one",
        help="No source holds an entity twice; no: further records in a source cost nothing.",
        show_default="inferred for each source",
    ),
]
Reference = Annotated[
    str | None,
    typer.Option(
        "--reference",
        metavar="SOURCE",
        help="Source whose records are different entities; their ids are the entity ids.",
        show_default="none",
    ),
]
MentionReading = Annotated[
    str | None,
    typer.Option(
        "--mentions",
        metavar="MODE",
        help="auto: read a file of names beside lists of other persons as author mentions; "
        "off: read every file as records.",
        show_default="auto",
    ),
]
ExtractSchema = Annotated[
    str | None,
    typer.Option(
        "--extract",
        metavar="SCHEMA",
        help="Extract the fields of a text column first, by a schema file or a ready schema such "
        "as citation; uncertain readings count by their probability.",
        show_default="no extraction",
    ),
]
ExtractColumn = Annotated[
    str | None,
    typer.Option(
        "--extract-column",
        metavar="COL",
        help="Column of text for --extract.",
        show_default="the column with the longest values",
    ),
]
ModelName = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="MODEL",
        help="A file from `partita train` or --save-model, or the kind of model: auto, entities "
        "or pairs.",
        show_default="auto",
    ),
]
TrainedFile = Annotated[
    Path | None,
    typer.Option(
        "--model",
        metavar="MODEL.json",
        help="Start from a model of `partita train`.",
        show_default="learn without labels",
    ),
]
PosteriorName = Annotated[
    str | None,
    typer.Option(
        "--posterior",
        metavar="HOW",
        help="quick: sample uncertain records; full: sample error rates and sizes as well.",
        show_default="quick",
    ),
]
SurvivorshipRules = Annotated[
    list[str] | None,
    typer.Option(
        "--survivorship",
        metavar="COL=RULE",
        help="Value of a golden record: probable, frequent, longest, recent:DATE_COL or "
        "source:FIRST>SECOND; COL * is every other column. Repeat for several.",
        show_default="probable",
    ),
]
ReportFile = Annotated[
    Path | None,
    typer.Option(
        "--report",
        metavar="FILE.html",
        help="Output: a report for the browser.",
        show_default="not written",
    ),
]
GoldenFile = Annotated[
    Path | None,
    typer.Option(
        "--golden",
        metavar="FILE",
        help="Output: one record per entity, with the values that --survivorship chooses.",
        show_default="not written",
    ),
]
TomlFile = Annotated[
    Path, typer.Option("--out", "-o", metavar="FILE.toml", help="Output; - prints it.")
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite existing output files.")]
SafeCells = Annotated[
    bool,
    typer.Option("--safe-cells", help="Mark formulas in CSV outputs by an apostrophe."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on standard output.")]
Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet",
        "-q",
        help="Print no summary and no progress bars; only warnings that affect the result.",
    ),
]
Verbose = Annotated[
    bool, typer.Option("--verbose", "-v", help="Print all warnings and the CPU time of each stage.")
]

SETTINGS: dict[str, Any] = {
    "id": Id,
    "source": Source,
    "ignore": Ignore,
    "compare": Compare,
    "map": Map,
    "header": Header,
    "encoding": Encoding,
    "delimiter": Delimiter,
    "seed": Seed,
    "chains": Chains,
    "draws": Draws,
    "memory": Memory,
    "threads": Threads,
    "mode": Mode,
    "one_to_one": OneToOne,
    "reference": Reference,
    "mentions": MentionReading,
    "extract": ExtractSchema,
    "extract_column": ExtractColumn,
    "model": ModelName,
    "posterior": PosteriorName,
    "survivorship": SurvivorshipRules,
}
"""The option of each setting that the command line has."""
INFER_SETTINGS = tuple(name for name in SETTINGS if name != "survivorship")
"""Settings of commands that infer entities."""
_TEXT = {"mentions", "extract", "extract_column", "posterior"}
_COMPARE = SETTINGS.keys() - _TEXT - {"survivorship", "chains", "draws", "model"}
COMPARE_SETTINGS = tuple(name for name in SETTINGS if name in _COMPARE)
"""Settings of commands that compare records."""
_LINK = SETTINGS.keys() - _TEXT - {"survivorship", "source", "mode", "one_to_one", "reference"}
LINK_SETTINGS = tuple(name for name in SETTINGS if name in _LINK)
"""Settings of commands that link rows to a reference."""
READ_SETTINGS = ("id", "source", "ignore", "map", "header", "encoding", "delimiter")
"""Settings of commands that only read records."""
SettingOptions = dict[str, Any]
"""Settings with the values of their options."""
NO_SETTINGS: SettingOptions = {}

Command = Callable[..., None]


def with_settings(*names: str) -> Callable[[Command], Command]:
    """Replace a command's parameter `settings` by one option for each named setting.

    The command gets the options that have a value, as one dict.
    """

    def decorate(command: Command) -> Command:
        @wraps(command)
        def run(**options: Any) -> None:
            settings = drop_missing(**{name: options.pop(name) for name in names})
            command(settings=settings, **options)

        parameters = []
        for parameter in inspect.signature(command, eval_str=True).parameters.values():
            if parameter.name != "settings":
                parameters.append(parameter)
                continue
            parameters += [
                parameter.replace(name=name, annotation=SETTINGS[name], default=None)
                for name in names
            ]
        run.__dict__["__signature__"] = inspect.Signature(parameters)
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return run

    return decorate


def drop_missing(**options: Any) -> SettingOptions:
    """Keep the options that have a value; lists become tuples."""
    return {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in options.items()
        if value is not None and value != []
    }


def format_options(settings: Mapping[str, Any], **files: Path | None) -> str:
    """Format settings and named files as options of a command, for a suggestion to the user."""
    words: list[str] = []
    for name, value in {**settings, **files}.items():
        option = f"--{name.replace('_', '-')}"
        if isinstance(value, bool):
            words.append(option if value else f"--no-{option[2:]}")
        elif value is not None:
            values = value if isinstance(value, tuple) else (value,)
            words += [word for item in values for word in (option, str(item))]
    return shlex.join(words)
