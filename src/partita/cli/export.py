"""`partita export`: the records of a store with their entities."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from partita.cli.options import Force, GoldenFile, Json, SafeCells, SurvivorshipRules
from partita.cli.outputs import TABLES, check_outputs, is_stdout, write_outputs
from partita.cli.shell import console, print_json
from partita.cli.store_options import StoreFile
from partita.errors import InputError

__all__ = ["export"]


def export(
    store: StoreFile,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="OUT",
            help="Output: the records with cluster_id, p_member and p_cluster.",
            show_default=False,
        ),
    ] = None,
    golden: GoldenFile = None,
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="postgresql://...::TABLE",
            help="Output: records, entities and log as TABLE, TABLE_entities and TABLE_log of a "
            "PostgreSQL database, in one transaction.",
            show_default="not written",
        ),
    ] = None,
    survivorship: SurvivorshipRules = None,
    run: Annotated[
        int | None,
        typer.Option("--run", metavar="N", help="State as of a run.", show_default="present"),
    ] = None,
    safe_cells: SafeCells = False,
    force: Force = False,
    json: Json = False,
) -> None:
    """Write the records of a store with their entities, now or as of a run."""
    if out is None and golden is None and to is None:
        raise InputError("there is no output; give --out FILE, --golden FILE or --to ADDRESS")
    outputs = {"out": (out, TABLES), "golden": (golden, TABLES)}
    check_outputs(outputs, [store], force=force, json=json, safe_cells=safe_cells)
    from partita.store import Store

    with Store(store) as opened:
        written = write_outputs(
            {
                "out": (out, lambda path: opened.write(path, run)),
                "golden": (
                    golden,
                    lambda path: opened.write_golden(path, run, survivorship=survivorship),
                ),
            },
            safe_cells=safe_cells,
        )
        tables = [] if to is None else opened.write_database(to, run, replace=force)
    if json:
        print_json({**written, "tables": tables, "run": run})
    elif not any(map(is_stdout, written.values())):
        console().print(f"written: {', '.join([*map(str, written.values()), *tables])}")
