"""`partita extract`: fields of lines of text, with their probabilities."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from partita.cli.options import (
    Delimiter,
    Encoding,
    Force,
    Json,
    Quiet,
    ReportFile,
    SafeCells,
    Verbose,
)
from partita.cli.outputs import TABLES, check_outputs, is_stdout, write_outputs
from partita.cli.shell import console, escape_controls, print_json, print_warnings
from partita.errors import InputError

__all__ = ["extract"]

TextFile = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="Text with one record for each line (.txt), or a table: CSV, Excel, Parquet, JSON "
        "lines; .gz or .zip of these; - for lines from standard input.",
        show_default=False,
    ),
]
SchemaName = Annotated[
    str,
    typer.Option(
        "--schema",
        "-s",
        metavar="SCHEMA",
        help="A TOML file of fields and rules, or a ready schema: citation, us_address, "
        "person_name, product_title.",
        show_default=False,
    ),
]
Out = Annotated[
    Path,
    typer.Option(
        "--out",
        "-o",
        metavar="OUT",
        help="Output: the input with a column and a probability for each field, as .csv, .parquet "
        "or .jsonl; - writes CSV to standard output.",
        show_default=False,
    ),
]
TextColumn = Annotated[
    str | None,
    typer.Option(
        "--column",
        metavar="COL",
        help="Column of text in a table.",
        show_default="the lines of a text file, or the column with the longest values",
    ),
]
LabelFile = Annotated[
    Path | None,
    typer.Option(
        "--labels",
        metavar="FILE",
        help="Labelled lines, such as <author>Lee, A.</author> <date>1999</date>.",
        show_default="learn from the rules alone",
    ),
]
NBest = Annotated[
    int,
    typer.Option("--n-best", metavar="N", help="Write the N likeliest readings of each line."),
]
Fields = Annotated[
    list[str] | None,
    typer.Option(
        "--field",
        metavar="FIELD",
        help="Field to write, or a parent in the tree of fields with all fields below it; repeat "
        "for several.",
        show_default="all fields",
    ),
]
Level = Annotated[
    int | None,
    typer.Option(
        "--level",
        metavar="N",
        help="Write the fields at level N of the tree: 1 is the top.",
        show_default="all fields",
    ),
]
Suggest = Annotated[
    int,
    typer.Option(
        "--suggest",
        metavar="N",
        help="Print the N lines most worth labelling, tagged with their best reading.",
    ),
]


def extract(
    file: TextFile,
    schema: SchemaName,
    out: Out,
    column: TextColumn = None,
    labels: LabelFile = None,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    n_best: NBest = 0,
    fields: Fields = None,
    level: Level = None,
    suggest: Suggest = 0,
    report: ReportFile = None,
    safe_cells: SafeCells = False,
    force: Force = False,
    json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Extract fields from lines of text, by rules and few or no labels.

    The output is the input with a column for each field, p_FIELD (probability of the value),
    p_line (probability of the whole reading) and spans (characters of each field, as JSON).
    """
    outputs = {"out": (out, TABLES), "report": (report, (".html",))}
    schema_file = schema if schema.endswith(".toml") else None
    check_outputs(
        outputs, [file, schema_file, labels], force=force, json=json, safe_cells=safe_cells
    )
    from partita.cli.inputs import input_path
    from partita.cli.tables import extraction_table
    from partita.text.extraction.extract import extract as extract_fields

    if suggest < 0:
        raise InputError(f"suggest is {suggest}; give a whole number of at least 0")
    began = time.perf_counter()
    result = extract_fields(
        input_path(file),
        schema,
        column=column,
        labels=labels,
        encoding=encoding,
        delimiter=delimiter,
        n_best=n_best,
        fields=fields,
        level=level,
        progress=not quiet,
    )
    outputs_written = {"result": (out, result.write), "report": (report, result.report)}
    written = write_outputs(outputs_written, safe_cells=safe_cells)
    summary = result.summary()
    took = {"wall": time.perf_counter() - began, "cpu": sum(summary["seconds"].values())}
    suggestions = result.suggest(suggest) if suggest else []
    if json:
        print_json({**summary, "suggest": suggestions, "took": took, "files": written})
        return
    # a file of labels holds the characters of the text, but a terminal would obey some
    is_screen = (sys.stderr if is_stdout(out) else sys.stdout).isatty()
    for line in suggestions:
        typer.echo(escape_controls(line) if is_screen else line, err=is_stdout(out))
    if not quiet:
        # suggestions alone go to standard output, so that they can be redirected to a file
        screen = console(stderr=is_stdout(out) or is_stdout(report) or bool(suggestions))
        screen.print(extraction_table(summary, took, written, verbose=verbose))
    print_warnings(summary["warnings"], verbose=verbose)
