"""`partita coref`: entities of given mentions in documents, and their records."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from partita.cli.link import Aliases, ToId
from partita.cli.options import Force, Json, Quiet
from partita.cli.outputs import check_outputs, is_stdout, open_output
from partita.cli.shell import console, mark_written, print_json

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["coref"]

TABLES = (".csv", ".parquet", ".jsonl")

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
Threads = Annotated[
    int | None,
    typer.Option("--threads", metavar="N", help="Threads.", show_default="all cores"),
]
Seed = Annotated[int, typer.Option("--seed", metavar="N", help="Seed of all random numbers.")]


def coref(
    files: Documents,
    out: Out,
    to: Base = None,
    to_id: ToId = None,
    name: NameColumn = None,
    aliases: Aliases = None,
    draws: Draws = None,
    threads: Threads = None,
    seed: Seed = 0,
    force: Force = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Group the mentions of documents into entities, and link them to a knowledge base.

    Mentions are given: Partita does not detect them. The output has p_entity (mean probability
    that a mention is one entity with the others of its entity), p_link (probability of the record)
    and p_nil (probability that the knowledge base does not have the entity).
    """
    check_outputs({"out": (out, TABLES)}, [*files, to, aliases], force=force, json=json)
    from partita.cli.inputs import input_path
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
    with open_output(out) as target:
        result.write(target)
    mark_written([out])
    summary = result.summary()
    took = {"wall": time.perf_counter() - began, "cpu": sum(summary["seconds"].values())}
    if json:
        print_json({**summary, "took": took, "files": {"result": out}})
    elif not quiet:
        console(stderr=is_stdout(out)).print(coref_table(summary, took, out))


def coref_table(summary: Mapping[str, Any], took: Mapping[str, float], out: Path) -> Table:
    """The summary of entities and the output file."""
    from partita.cli.tables import count, facts

    expected = summary["entities_expected"]
    rows = [
        ("mentions", f"{summary['mentions']:,} in {count(summary['documents'], 'document')}"),
        (
            "entities",
            f"{summary['entities']:,}, {summary['single']:,} of one mention; "
            f"{expected['low']:,.0f} to {expected['high']:,.0f} expected",
        ),
        ("uncertain", count(summary["uncertain"], "mention")),
    ]
    if "linked" in summary:
        known = f"{summary['records_linked']:,} of {count(summary['records'], 'record')}"
        rows.append(("linked", f"{count(summary['linked'], 'mention')} to {known}"))
    rows += [
        ("time", f"{took['wall']:.1f} s ({took['cpu']:.1f} CPU s), seed {summary['seed']}"),
        ("result", str(out)),
    ]
    return facts(rows)
