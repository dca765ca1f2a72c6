"""`partita undo`: the changes of a run, backwards."""

from __future__ import annotations

from typing import Annotated

import typer

from partita.cli.options import Json
from partita.cli.store_options import StoreFile, print_counts

__all__ = ["undo"]


def undo(
    store: StoreFile,
    run: Annotated[int, typer.Argument(metavar="RUN", help="A run.", show_default=False)],
    json: Json = False,
) -> None:
    """Undo a run of `add`, `correct` or `undo`."""
    from partita.store import Store

    with Store(store) as opened:
        print_counts(opened.undo(run), json=json)
