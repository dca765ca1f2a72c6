"""Arguments that the commands on a store share, and the printing of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from partita.cli.shell import console, print_json

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
    if isinstance(value, list):
        return " ".join(map(str, value))
    return "" if value is None else str(value)
