"""`partita history`: all events of an entity or a record."""

from __future__ import annotations

from typing import Annotated

import typer

from partita.cli.options import Json
from partita.cli.store_options import StoreFile, print_rows

__all__ = ["history"]


def history(
    store: StoreFile,
    id: Annotated[
        str,
        typer.Argument(metavar="ID", help="A cluster_id, or the id of a record."),
    ],
    json: Json = False,
) -> None:
    """List the events of an entity or a record."""
    from partita.store import Store

    with Store(store) as opened:
        print_rows("events", opened.history(id), json=json)
