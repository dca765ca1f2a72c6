"""`partita coref`: entities of given mentions in documents, and their records."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from partita.cli.link import Aliases, ToId
from partita.cli.options import Force, Json, Quiet, SafeCells, SeedNumber, Threads
from partita.cli.outputs import TABLES, check_outputs, is_stdout, write_outputs
from partita.cli.shell import console, print_json

__all__ = ["coref"]

Documents = Annotated[
    list[str],
    typer.Argument(
        metavar="FILES",
        help="Documents with mentions: JSON or JSON lines with text and offsets, CoNLL-U with "
        "Entity= (CorefUD), or BRAT (.ann beside .txt).",
        show_default=False,
    ),
]
Out = Annotated[
    Path,
    typer.Option(
        "--out",
        "-o",
        metavar="OUT",
        help="Output: one row for each mention with entity, p_entity and link, as .csv, .parquet "
        "or .jsonl; - writes CSV to standard output.",
        show_default=False,
    ),
]
Base = Annotated[
    str | None,
    typer.Option(
        "--to",
        metavar="REFERENCE",
        help="Knowledge base: a table with a column of ids and one of names.",
        show_default="no links",
    ),
]
NameColumn = Annotated[
    str | None,
    typer.Option(
        "--name",
        metavar="COL",
        help="Column of names of the knowledge base and of the aliases.",
        show_default="name, title or label",
    ),
]
Draws = Annotated[
    int | None,
    typer.Option("--draws", metavar="N", help="Draws of each chain.", show_default="100"),
]


def coref(
    files: Documents,
    out: Out,
    to: Base = None,
    to_id: ToId = None,
    name: NameColumn = None,
    aliases: Aliases = None,
    draws: Draws = None,
    threads: Threads = None,
    seed: SeedNumber = 0,
    safe_cells: SafeCells = False,
    force: Force = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Group the mentions of documents into entities, and link them to a knowledge base.

    Mentions are given: Partita does not detect them. The output has p_entity (mean probability
    that a mention is one entity with the others of its entity), p_link (probability of the record)
    and p_nil (probability that the knowledge base does not have the entity).
    """
    check_outputs(
        {"out": (out, TABLES)}, [*files, to, aliases], force=force, json=json, safe_cells=safe_cells
    )
    from partita.cli.inputs import input_path
    from partita.cli.tables import coref_table
    from partita.knowledge.coref import coref as find_entities
    from partita.text.coreference.read import list_paths

    began = time.perf_counter()
    result = find_entities(
        list_paths(files),
        to=input_path(to),
        to_id=to_id,
        name=name,
        aliases=input_path(aliases),
        draws=draws,
        threads=threads,
        seed=seed,
        progress=not quiet,
    )
    written = write_outputs({"result": (out, result.write)}, safe_cells=safe_cells)
    summary = result.summary()
    took = {"wall": time.perf_counter() - began, "cpu": sum(summary["seconds"].values())}
    if json:
        print_json({**summary, "took": took, "files": written})
    elif not quiet:
        console(stderr=is_stdout(out)).print(coref_table(summary, took, written))
