"""`partita serve`: services on this machine."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from partita.cli.link import Aliases, ToId
from partita.cli.options import Json, Quiet, SeedNumber
from partita.cli.shell import console, print_json

__all__ = ["serve"]


class Service(StrEnum):
    """Services that the command can start."""

    reconcile = "reconcile"


ServiceName = Annotated[
    Service,
    typer.Argument(metavar="SERVICE", help="reconcile: the reconciliation API of OpenRefine."),
]
Reference = Annotated[
    str,
    typer.Argument(
        metavar="REFERENCE",
        help="Reference with one record per entity and a column of ids.",
        show_default=False,
    ),
]
Name = Annotated[
    str | None,
    typer.Option(
        "--name",
        metavar="COL",
        help="Column of names, which queries are compared with.",
        show_default="name, title or label, else the first column",
    ),
]
Type = Annotated[
    str | None,
    typer.Option(
        "--type",
        metavar="COL",
        help="Column with the type of each record.",
        show_default="one type",
    ),
]
Rows = Annotated[
    str | None,
    typer.Option(
        "--rows",
        metavar="FILE",
        help="Rows like those to reconcile, with the columns of the reference: match weights are "
        "learned from them.",
        show_default="the reference with generated errors",
    ),
]
Port = Annotated[
    int,
    typer.Option("--port", metavar="N", min=0, max=65535, help="Port; 0 chooses a free one."),
]


def serve(
    service: ServiceName,
    reference: Reference,
    to_id: ToId = None,
    name: Name = None,
    type: Type = None,
    aliases: Aliases = None,
    rows: Rows = None,
    port: Port = 8000,
    seed: SeedNumber = 0,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Serve a reference to OpenRefine and other reconciliation clients.

    The service answers requests from this machine only, until it is stopped (Ctrl-C). Scores are
    probabilities in per cent.
    """
    from partita.cli.inputs import input_path
    from partita.data.postgres import hide_password
    from partita.knowledge.reconciliation import Reconciler
    from partita.knowledge.reconciliation_http import ReconciliationServer
    from partita.knowledge.reconciliation_service import ReconciliationService

    reconciler = Reconciler.of(
        input_path(reference),
        to_id=to_id,
        name=name,
        type_column=type,
        aliases=input_path(aliases),
        rows=input_path(rows),
        seed=seed,
    )
    title = f"{Path(hide_password(reference)).name} (Partita)"
    with ReconciliationServer(ReconciliationService(reconciler, title), port) as server:
        records = reconciler.reference.n
        if json:
            print_json({"url": server.address, "records": records, "name": reconciler.name})
        elif not quiet:
            console().print(
                f"{records:,} records by {reconciler.name!r}; add {server.address} as a standard "
                "service in OpenRefine; Ctrl-C stops",
                highlight=False,
                soft_wrap=True,
            )
        server.serve_forever()
