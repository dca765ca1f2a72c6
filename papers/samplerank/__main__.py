"""`python -m papers.samplerank table1 | table2 | table3`: the experiments of SAMPLERANK."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence

from rich.console import Console

from papers.samplerank import table1, table2, table3
from partita.errors import PartitaError

TABLES = {
    "table1": (table1, "entity-wise coreference on LitBank and GUM"),
    "table2": (table2, "multi-label classification on scene and yeast"),
    "table3": (table3, "named entities of CoNLL-2003"),
}


def run_table(options: argparse.Namespace) -> int:
    """Run one table and print it beside the paper's."""
    began = time.process_time()
    table = TABLES[options.command][0]
    size = table.QUICK if options.quick else table.Size()
    console = Console(width=None if sys.stdout.isatty() else 140)
    rows = table.run(size, options.seed)
    verdicts = table.show(console, rows)  # type: ignore[arg-type]
    console.print(f"{size}, {time.process_time() - began:.0f} s of CPU")
    if options.json:
        found = {
            "experiment": options.command,
            "seed": options.seed,
            **vars(size),
            "rows": [vars(row) for row in rows],
            "claims": verdicts,
        }
        print(json.dumps(found, allow_nan=False))
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse the command line and run the table it names."""
    parser = argparse.ArgumentParser(prog="python -m papers.samplerank", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, (_, about) in TABLES.items():
        one = commands.add_parser(name, help=about)
        one.add_argument("--json", action="store_true", help="end with the rows as one JSON line")
        one.add_argument("--quick", action="store_true", help="little data, few epochs: seconds")
        one.add_argument("--seed", type=int, default=0, help="of all learners (default 0)")
    options = parser.parse_args(arguments)
    if options.seed < 0:
        parser.error(f"--seed is {options.seed}; give a number of at least 0")
    try:
        return run_table(options)
    except PartitaError as error:
        print(f"python -m papers.samplerank: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
