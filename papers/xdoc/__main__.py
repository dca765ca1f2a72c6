"""`python -m papers.xdoc`: the experiments of XDOC on John Smith and Person-X."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence

from rich.console import Console

from papers.xdoc.experiments import QUICK, Size, run_all, show
from partita.errors import PartitaError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run everything and print it beside the paper's figures."""
    parser = argparse.ArgumentParser(prog="python -m papers.xdoc", description=__doc__)
    parser.add_argument("--json", action="store_true", help="end with the rows as one JSON line")
    parser.add_argument("--quick", action="store_true", help="few people, few rounds: a minute")
    parser.add_argument("--seed", type=int, default=0, help="of all runs (default 0)")
    options = parser.parse_args(arguments)
    if options.seed < 0:
        parser.error(f"--seed is {options.seed}; give a number of at least 0")
    size = QUICK if options.quick else Size()
    console = Console(width=None if sys.stdout.isatty() else 140)
    began = time.process_time()
    try:
        rows = run_all(size, options.seed, lambda row: print(row, file=sys.stderr, flush=True))
    except PartitaError as error:
        print(f"python -m papers.xdoc: {error}", file=sys.stderr)
        return 1
    verdicts = show(console, rows)
    console.print(f"{size}, {time.process_time() - began:.0f} s of CPU")
    if options.json:
        found = {
            "experiment": "xdoc",
            "seed": options.seed,
            **vars(size),
            "rows": [vars(row) for row in rows],
            "claims": verdicts,
        }
        print(json.dumps(found, allow_nan=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
