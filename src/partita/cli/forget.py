"""`partita forget`: the erasure of a record."""

from __future__ import annotations

from typing import Annotated

import typer

from partita.cli.options import Json
from partita.cli.store_options import StoreFile, print_counts

__all__ = ["forget"]


def forget(
    store: StoreFile,
    id: Annotated[str, typer.Argument(metavar="ID", help="A record.", show_default=False)],
    json: Json = False,
) -> None:
    """Erase the values of a record everywhere, the log included; a tombstone stays."""
    from partita.store import Store

    with Store(store) as opened:
        print_counts(opened.forget(id), json=json)
