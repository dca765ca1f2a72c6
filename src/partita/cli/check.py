"""`partita check`: every invariant of a store."""

from __future__ import annotations

import typer

from partita.cli.options import Json
from partita.cli.shell import REFUSED, console, print_json
from partita.cli.store_options import StoreFile

__all__ = ["check"]


def check(store: StoreFile, json: Json = False) -> None:
    """Check every invariant of a store; the exit code is 2 if one is broken."""
    from partita.store import Store

    with Store(store) as opened:
        broken = opened.check()
    if json:
        print_json({"sound": not broken, "broken": broken})
    else:
        console().print("\n".join(broken) or "sound: the log replays to the present state")
    if broken:
        raise typer.Exit(REFUSED)
