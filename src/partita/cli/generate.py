"""`partita generate`: records with known truth."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from partita.cli.options import Force, Json
from partita.cli.outputs import check_outputs, is_stdout, open_output
from partita.cli.shell import console, mark_written, print_json
from partita.errors import InputError

__all__ = ["generate"]

KINDS = ("people", "authors")
TRUTHS = {"column": "column", "file": "file", "none": None}
ENDINGS = (".csv", ".parquet", ".jsonl")


def generate(
    n: Annotated[int, typer.Argument(metavar="N", help="Number of records.", show_default=False)],
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
        str, typer.Option("--kind", metavar="KIND", help="people or authors.")
    ] = "people",
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Seed.")] = 0,
    truth: Annotated[
        str,
        typer.Option(
            "--truth",
            metavar="WHERE",
            help="True entities as a column, in a second file (FILE.truth.csv), or none.",
        ),
    ] = "column",
    force: Force = False,
    json: Json = False,
) -> None:
    """Generate records with known entities."""
    if kind not in KINDS:
        raise InputError(f"kind is {kind!r}; give one of {', '.join(KINDS)}")
    if truth not in TRUTHS:
        raise InputError(f"truth is {truth!r}; give one of {', '.join(TRUTHS)}")
    if truth == "file" and is_stdout(out):
        raise InputError("--truth file needs a file name; give --out FILE, or --truth column")
    beside = out.with_suffix(f".truth{out.suffix}") if truth == "file" else None
    outputs = {"out": (out, ENDINGS), "truth": (beside, ENDINGS)}
    check_outputs(outputs, (), force=force, json=json)
    from partita import synthetic

    source = getattr(synthetic, kind)(n, seed, truth=TRUTHS[truth])
    with open_output(out) as path:
        files = source.write(path)
    mark_written(files)
    if json:
        print_json({"records": source.n, "kind": kind, "seed": seed, "files": files})
        return
    names = "standard output" if is_stdout(out) else " and ".join(str(path) for path in files)
    text = f"{source.n:,} records of {kind} in {names}"
    if source.truth == "column":
        column = source.names[1]
        text += f"; column `{column}` holds the truth: resolve with --ignore {column}"
    console(stderr=is_stdout(out)).print(text, soft_wrap=True)
