"""`partita find`: the entities of a store that fit one record."""

from __future__ import annotations

from typing import Annotated

import typer

from partita.cli.options import Json
from partita.cli.store_options import StoreFile, print_rows
from partita.errors import InputError

__all__ = ["find"]


def find(
    store: StoreFile,
    values: Annotated[
        list[str],
        typer.Argument(metavar="COL=VALUE...", help="Values of the record.", show_default=False),
    ],
    limit: Annotated[int, typer.Option("--limit", metavar="N", help="Entities to list.")] = 10,
    json: Json = False,
) -> None:
    """Find the entities that fit one new record, with probabilities."""
    record = {}
    for text in values:
        name, equals, value = text.partition("=")
        if not equals:
            raise InputError(f"{text!r} has no value; write COLUMN=VALUE")
        record[name] = value
    from partita.store import Store

    with Store(store) as opened:
        print_rows("entities", opened.find(record, limit=limit), json=json)
