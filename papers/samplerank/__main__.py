"""`python -m papers.samplerank table1 | table2 | table3`: the experiments of SAMPLERANK."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from rich.console import Console

from papers.command import add_options, run_experiment
from papers.samplerank import table1, table2, table3

TABLES = {
    "table1": (table1, "entity-wise coreference on LitBank and GUM"),
    "table2": (table2, "multi-label classification on scene and yeast"),
    "table3": (table3, "named entities of CoNLL-2003"),
}


def run_table(options: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Run one table and print it beside the paper's."""
    table = TABLES[options.command][0]
    size = table.QUICK if options.quick else table.Size()
    rows = table.run(size, options.seed)
    verdicts = table.show(console, rows)  # type: ignore[arg-type]
    console.print(str(size))
    return {**vars(size), "rows": [vars(row) for row in rows], "claims": verdicts}


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse the command line and run the table that it names."""
    parser = argparse.ArgumentParser(prog="python -m papers.samplerank", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, (_, about) in TABLES.items():
        command = commands.add_parser(name, help=about)
        add_options(command, quick="little data, few epochs: seconds", seed="all learners")
    return run_experiment(parser, arguments, run_table)


if __name__ == "__main__":
    sys.exit(main())
