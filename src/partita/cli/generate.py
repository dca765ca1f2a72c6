"""`partita generate`: records with known truth."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from partita.cli.options import Force, Json, SeedNumber
from partita.cli.outputs import TABLES, check_outputs, is_stdout, open_output
from partita.cli.shell import console, mark_written, print_json
from partita.errors import InputError

if TYPE_CHECKING:
    from partita.synthetic.source import Source, Truth

__all__ = ["generate"]

KINDS = ("people", "authors", "products", "companies", "places", "films", "albums")
COMPOSED = KINDS[2:]
"""Kinds with several sources."""
TRUTHS: dict[str, Truth] = {"column": "column", "file": "file", "none": None}


def _check_count(text: str) -> str:
    """Reject a number of records that is no whole number; the message shows a complete command."""
    if not text.removeprefix("-").isdecimal():
        kind = text if text in KINDS else "people"
        raise InputError(
            f"the number of records is {text!r}; give a whole number, "
            f"such as partita generate 1000 --kind {kind} --out {kind}.csv"
        )
    return text


Count = Annotated[
    str,
    typer.Argument(
        metavar="N", help="Number of records.", show_default=False, callback=_check_count
    ),
]
Sources = Annotated[
    int,
    typer.Option(
        "--sources",
        metavar="N",
        help="Files without duplicates that describe the same entities (not people, authors).",
    ),
]
Noise = Annotated[
    float,
    typer.Option(
        "--noise", metavar="X", help="Factor of all error rates; 0 is none (not authors)."
    ),
]


def generate(
    n: Count,
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Output: .csv, .parquet or .jsonl; - writes CSV to standard output.",
            show_default=False,
        ),
    ],
    kind: Annotated[
        str, typer.Option("--kind", "-k", metavar="KIND", help=f"One of {', '.join(KINDS)}.")
    ] = "people",
    seed: SeedNumber = 0,
    truth: Annotated[
        str,
        typer.Option(
            "--truth",
            metavar="WHERE",
            help="True entities as a column, in a second file (FILE.truth.csv), or none.",
        ),
    ] = "column",
    sources: Sources = 1,
    noise: Noise = 1.0,
    force: Force = False,
    json: Json = False,
) -> None:
    """Generate records with known entities."""
    if kind not in KINDS:
        raise InputError(f"kind is {kind!r}; give one of {', '.join(KINDS)}")
    if truth not in TRUTHS:
        raise InputError(f"truth is {truth!r}; give one of {', '.join(TRUTHS)}")
    if is_stdout(out) and (truth == "file" or sources > 1):
        option = "--truth file" if truth == "file" else "--sources"
        raise InputError(f"{option} needs a file name; give --out FILE")
    from partita.synthetic.source import name_files

    paths = [out] if is_stdout(out) else name_files(out, max(sources, 1), TRUTHS[truth])
    check_outputs({str(path): (path, TABLES) for path in paths}, (), force=force, json=json)
    source = _build_source(kind, int(n), seed, sources, noise, TRUTHS[truth])
    with open_output(out) as path:
        files = source.write(path)
    mark_written(files)
    if json:
        print_json({"records": source.n, "kind": kind, "seed": seed, "files": files})
        return
    console(stderr=is_stdout(out)).print(_summarise(source, kind, files, out), soft_wrap=True)


def _summarise(source: Source, kind: str, files: list[Path], out: Path) -> str:
    """One line: the number of records, the files, and the column of the truth."""
    names = "standard output" if is_stdout(out) else " and ".join(str(path) for path in files)
    text = f"{source.n:,} records of {kind} in {names}"
    if source.truth == "column":
        column = source.names[1]
        text += f"; column `{column}` holds the truth: resolve with --ignore {column}"
    return text


def _build_source(kind: str, n: int, seed: int, sources: int, noise: float, truth: Truth) -> Source:
    """Generate a kind with the options that it has."""
    from partita import synthetic

    options: dict[str, Any] = {"truth": truth}
    if kind in COMPOSED:
        options |= {"sources": sources, "errors": synthetic.TextErrors().scaled(noise)}
    elif sources != 1:
        raise InputError(f"{kind} have one source; leave --sources out, or give another --kind")
    elif kind == "people":
        options["errors"] = synthetic.Errors().scaled(noise)
    elif noise != 1.0:
        raise InputError("authors have no noise level; leave --noise out, or give another --kind")
    make: Callable[..., Source] = getattr(synthetic, kind)
    return make(n, seed, **options)
