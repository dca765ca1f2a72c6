"""`partita diff`: the records whose entity differs between two runs."""

from __future__ import annotations

from typing import Annotated

import typer

from partita.cli.options import Json
from partita.cli.store_options import StoreFile, print_rows

__all__ = ["diff"]


def diff(
    store: StoreFile,
    before: Annotated[int, typer.Argument(metavar="RUN", help="A run.", show_default=False)],
    after: Annotated[int, typer.Argument(metavar="RUN", help="A later run.", show_default=False)],
    json: Json = False,
) -> None:
    """List the records whose entity differs between the states as of two runs."""
    from partita.store import Store

    with Store(store) as opened:
        print_rows("differences", opened.diff(before, after), json=json)
