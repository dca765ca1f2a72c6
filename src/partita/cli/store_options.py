"""Arguments that the commands on a store share, and the printing of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from partita.cli.shell import console, escape_controls, print_json
from partita.errors import shorten

__all__ = ["DryRun", "Reason", "StoreFile", "print_counts", "print_rows"]

StoreFile = Annotated[
    Path,
    typer.Argument(
        metavar="STORE",
        help="A store, which `partita resolve --store` creates.",
        show_default=False,
    ),
]
Reason = Annotated[
    str,
    typer.Option("--reason", metavar="TEXT", help="Reason for the log.", show_default="none"),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print the changes without making them.")]


def print_counts(report: Mapping[str, Any], *, json: bool) -> None:
    """Print the counts of a run, or one JSON object."""
    if json:
        print_json(report)
        return
    words = [
        f"{name} {value:,}"
        for name, value in report.items()
        if isinstance(value, int) and name != "run" and value
    ]
    console().print(f"run {report['run']}: {', '.join(words) or 'no change'}")


def print_rows(name: str, rows: Sequence[Mapping[str, Any]], *, json: bool) -> None:
    """Print rows as a table without empty columns, or one JSON object."""
    if json:
        print_json({name: list(rows)})
        return
    from rich.table import Table
    from rich.text import Text

    columns = [
        key for key in (rows[0] if rows else ()) if any(row[key] not in (None, "") for row in rows)
    ]
    table = Table(*columns, box=None, pad_edge=False)
    for row in rows:
        table.add_row(*(Text(_show(row[key])) for key in columns))
    console().print(table if rows else f"no {name}")


def _show(value: Any) -> str:
    texts = value if isinstance(value, list) else [] if value is None else [value]
    # a line feed or a tab would break the row, which the console prints as it is
    words = (escape_controls(str(text)) for text in texts)
    return shorten(" ".join(words).replace("\n", "\\n").replace("\t", "\\t"))
