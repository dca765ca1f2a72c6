"""`partita link`: the record of a reference for each row, or none."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from partita.cli.options import (
    LINK_SETTINGS,
    NO_SETTINGS,
    ConfigFile,
    Force,
    Json,
    Quiet,
    SafeCells,
    SettingOptions,
    Verbose,
    with_settings,
)
from partita.cli.outputs import TABLES, check_outputs, is_stdout, write_outputs
from partita.cli.shell import console, print_json, print_warnings

__all__ = ["Aliases", "Reference", "ToId", "link"]

Rows = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="Rows to link: CSV, Excel, Parquet, JSON lines, BibTeX, database.duckdb::table; .gz "
        "or .zip of these; - for standard input.",
        show_default=False,
    ),
]
Reference = Annotated[
    str,
    typer.Option(
        "--to",
        metavar="REFERENCE",
        help="Reference with one record per entity and a column of ids.",
        show_default=False,
    ),
]
ToId = Annotated[
    str | None,
    typer.Option(
        "--to-id",
        metavar="COL",
        help="Column of ids of the reference.",
        show_default="unique_id or id",
    ),
]
Aliases = Annotated[
    str | None,
    typer.Option(
        "--aliases",
        metavar="FILE",
        help="Further forms of records: alias_of names the record, other columns replace its "
        "values.",
        show_default="no aliases",
    ),
]
Out = Annotated[
    Path,
    typer.Option(
        "--out",
        "-o",
        metavar="OUT",
        help="Output: the rows with link, p_link, p_nil and two runners-up, as .csv, .parquet or "
        ".jsonl; - writes CSV to standard output.",
        show_default=False,
    ),
]
CandidatesFile = Annotated[
    Path | None,
    typer.Option(
        "--candidates",
        metavar="FILE",
        help="Output: every row with each record that may be its link, and p_link.",
        show_default="not written",
    ),
]


@with_settings(*LINK_SETTINGS)
def link(
    file: Rows,
    to: Reference,
    out: Out,
    to_id: ToId = None,
    aliases: Aliases = None,
    candidates: CandidatesFile = None,
    config: ConfigFile = None,
    settings: SettingOptions = NO_SETTINGS,
    safe_cells: SafeCells = False,
    force: Force = False,
    json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Link each row to a record of a reference, or to none.

    Records of the reference never merge or change. Several rows may have the same link. The output
    has the rows in order, with p_link (probability of the link) and p_nil (probability that the
    reference does not have the entity).
    """
    outputs = {"out": (out, TABLES), "candidates": (candidates, TABLES)}
    check_outputs(
        outputs, [file, to, aliases, config], force=force, json=json, safe_cells=safe_cells
    )
    from partita.cli.inputs import input_path
    from partita.cli.tables import link_table
    from partita.knowledge.linking import link as link_rows

    began = time.perf_counter()
    result = link_rows(
        input_path(file),
        to=input_path(to),
        to_id=to_id,
        aliases=input_path(aliases),
        config=config,
        progress=not quiet,
        **settings,
    )
    written = write_outputs(
        {"result": (out, result.write), "candidates": (candidates, result.write_candidates)},
        safe_cells=safe_cells,
    )
    summary = result.summary()
    took = {"wall": time.perf_counter() - began, "cpu": sum(summary["seconds"].values())}
    if json:
        print_json({**summary, "took": took, "files": written})
        return
    if not quiet:
        screen = console(stderr=any(is_stdout(path) for path in written.values()))
        screen.print(link_table(summary, took, written, verbose=verbose))
    print_warnings(summary["warnings"], verbose=verbose)
