"""`partita correct`: records together or apart for good."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from partita.cli.options import Json
from partita.cli.store_options import DryRun, Reason, StoreFile, print_counts, print_rows
from partita.errors import InputError

__all__ = ["correct"]


def correct(
    store: StoreFile,
    ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ID]...", help="Records of --entity.", show_default=False),
    ] = None,
    together: Annotated[
        list[str] | None,
        typer.Option("--together", metavar="A,B", help="Records that are one entity."),
    ] = None,
    apart: Annotated[
        list[str] | None,
        typer.Option("--apart", metavar="A,B", help="Records that are different entities."),
    ] = None,
    entity: Annotated[
        str | None,
        typer.Option("--entity", metavar="CLUSTER", help="Entity that has exactly the records ID."),
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option(
            "--file", metavar="FILE", help="Pairs: id_l, id_r, constraint (must, cannot)."
        ),
    ] = None,
    remove: Annotated[
        list[int] | None,
        typer.Option("--remove", metavar="N", help="Correction to remove."),
    ] = None,
    reason: Reason = "",
    dry_run: DryRun = False,
    json: Json = False,
) -> None:
    """Put records together or apart; every later run obeys.

    Without an option the corrections in force are listed.
    """
    from partita.store import Store

    with Store(store) as opened:
        groups = [[pair.split(",") for pair in pairs or ()] for pairs in (together, apart)]
        if file is not None:
            from partita.store.statements import read_statements

            for group, pairs in zip(groups, read_statements(file), strict=True):
                group += pairs
        if (entity is None) != (not ids):
            raise InputError("name the records of the entity: --entity CLUSTER ID ID ...")
        if not (any(groups) or entity or remove):
            print_rows("corrections", opened.corrections(), json=json)
            return
        report = opened.correct(
            together=groups[0],
            apart=groups[1],
            entity=None if entity is None else (entity, ids or []),
            remove=remove or (),
            reason=reason,
            dry_run=dry_run,
        )
    print_counts(report, json=json)
