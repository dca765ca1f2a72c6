"""`partita log`: the runs of a store, or the events of one."""

from __future__ import annotations

from typing import Annotated

import typer

from partita.cli.options import Json
from partita.cli.shell import console
from partita.cli.store_options import StoreFile, print_rows

__all__ = ["log"]


def log(
    store: StoreFile,
    run: Annotated[
        int | None,
        typer.Option("--run", metavar="N", help="Events of one run.", show_default="all runs"),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", help="Events to list.")] = 100,
    offset: Annotated[int, typer.Option("--offset", metavar="N", help="Events to skip.")] = 0,
    json: Json = False,
) -> None:
    """List the runs of a store, or the events of one."""
    from partita.store import Store

    with Store(store) as opened:
        rows = opened.runs() if run is None else opened.events(run, limit=limit, offset=offset)
    print_rows("runs" if run is None else "events", rows, json=json)
    if run is not None and len(rows) == limit and not json:
        console(stderr=True).print(
            f"these are {limit:,} events; --offset {offset + limit} lists the next", highlight=False
        )
