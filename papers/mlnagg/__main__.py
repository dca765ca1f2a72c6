"""`python -m papers.mlnagg`: Objects against Pairs, the experiments of MLNAGG."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence

from rich.console import Console

from papers.mlnagg import experiment, report
from partita.errors import PartitaError


def run_all(options: argparse.Namespace) -> int:
    """Run the sets asked for and print them beside the paper's."""
    began = time.process_time()
    size = experiment.QUICK if options.quick else experiment.Size()
    kinds = options.only or list(experiment.KINDS)
    rows = experiment.run(kinds, size, options.seed)
    counted = list(dict.fromkeys(row.data for row in rows if row.kind in experiment.COUNTED))
    console = Console(width=None if sys.stdout.isatty() else 150)
    found = report.show(console, rows, counted)
    console.print(f"{size}, {time.process_time() - began:.0f} s of CPU")
    if options.json:
        output = {
            "experiment": "mlnagg",
            "seed": options.seed,
            **vars(size),
            "rows": [vars(row) for row in rows],
            "claim": found,
        }
        print(json.dumps(output, allow_nan=False))
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse the command line and run the experiment."""
    parser = argparse.ArgumentParser(prog="python -m papers.mlnagg", description=__doc__)
    parser.add_argument("--json", action="store_true", help="end with the rows as one JSON line")
    parser.add_argument("--quick", action="store_true", help="60 records of each set: seconds")
    parser.add_argument("--seed", type=int, default=0, help="of sampled pieces (default 0)")
    parser.add_argument(
        "--only", action="append", choices=list(experiment.KINDS), help="only this kind of data"
    )
    options = parser.parse_args(arguments)
    if options.seed < 0:
        parser.error(f"--seed is {options.seed}; give a number of at least 0")
    try:
        return run_all(options)
    except PartitaError as error:
        print(f"python -m papers.mlnagg: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
