"""`python -m papers.cdrank`: Table 1 of CDRANK, on citations, beside the paper's."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rich.console import Console

from papers.cdrank import table1
from papers.cdrank.other_sets import show_strengths
from papers.command import add_options, run_experiment


def run_table(options: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Run the table and print it beside the paper's, or the strengths on other sets."""
    if options.other_sets:
        return {"strengths": show_strengths(console, options.quick, options.seed)}
    size = table1.QUICK if options.quick else table1.Size()
    if options.labels:
        size = replace(size, sizes=tuple(sorted(set(options.labels))))
    rows = table1.run(size, options.seed)
    verdicts = table1.show(console, rows)
    console.print(str(size))
    listed = [{**vars(row), "mean": row.mean, "deviation": row.deviation} for row in rows]
    return {"experiment": "table1", **vars(size), "rows": listed, "claims": verdicts}


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse the command line and run the table."""
    parser = argparse.ArgumentParser(prog="python -m papers.cdrank", description=__doc__)
    add_options(parser, quick="60 citations, one draw: seconds", seed="all learners")
    sizes = (0, *table1.SIZES)
    parser.add_argument(
        "--labels", type=int, nargs="+", choices=sizes, help="labelled citations (default: all)"
    )
    parser.add_argument(
        "--other-sets", action="store_true", help="the strength of constraints on cora_ie instead"
    )
    return run_experiment(parser, arguments, run_table)


if __name__ == "__main__":
    sys.exit(main())
