"""`partita export`: the records of a store with their entities."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from partita.cli.options import Force, Json
from partita.cli.outputs import TABLES, check_outputs, is_stdout, open_output
from partita.cli.shell import console, mark_written, print_json
from partita.cli.store_options import StoreFile

__all__ = ["export"]


def export(
    store: StoreFile,
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            metavar="OUT",
            help="Output: the records with cluster_id, p_member and p_cluster.",
            show_default=False,
        ),
    ],
    run: Annotated[
        int | None,
        typer.Option("--run", metavar="N", help="State as of a run.", show_default="present"),
    ] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Write the records of a store with their entities, now or as of a run."""
    check_outputs({"out": (out, TABLES)}, [store], force=force, json=json)
    from partita.store import Store

    with Store(store) as opened, open_output(out) as path:
        opened.write(path, run)
    mark_written([out])
    if json:
        print_json({"out": out, "run": run})
    elif not is_stdout(out):
        console().print(f"written: {out}")
