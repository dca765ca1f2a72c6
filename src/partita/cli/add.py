"""`partita add`: records enter a store."""

from __future__ import annotations

from typing import Annotated

import typer

from partita.cli.options import Json
from partita.cli.shell import console
from partita.cli.store_options import DryRun, Reason, StoreFile, print_counts
from partita.errors import InputError

__all__ = ["add"]


def add(
    store: StoreFile,
    file: Annotated[
        str | None,
        typer.Argument(metavar="[FILE]", help="New and changed records.", show_default=False),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            "--source", metavar="NAME", help="Source of the records.", show_default="file name"
        ),
    ] = None,
    delete: Annotated[
        list[str] | None,
        typer.Option("--delete", metavar="ID", help="Record to remove; repeat for several."),
    ] = None,
    complete: Annotated[
        bool,
        typer.Option("--complete", help="FILE holds all records of its source: remove the others."),
    ] = False,
    reason: Reason = "",
    dry_run: DryRun = False,
    json: Json = False,
) -> None:
    """Add new, changed and removed records to a store.

    Only the entities that they touch are reconsidered; all others keep id and probability. The
    command reports where the records differ so much from those that the model was learned from
    that it should be learned again.
    """
    if file is None and not delete:
        raise InputError("there is nothing to add; give a file of records, or --delete ID")
    from partita.cli.inputs import input_path
    from partita.store import Store

    with Store(store) as opened:
        report = opened.add(
            input_path(file),
            source=source,
            delete=delete or (),
            is_complete=complete,
            reason=reason,
            dry_run=dry_run,
        )
    print_counts(report, json=json)
    if report["drift"] and not json:
        reasons = "; ".join(change["sentence"] for change in report["drift"])
        console(stderr=True).print(
            f"the model is due to be learned again: {reasons}. `partita train {store} --dry-run` "
            "shows the change",
            style="yellow",
            highlight=False,
        )
