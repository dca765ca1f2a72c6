"""`python -m papers.cdrank`: Table 1 of CDRANK, on citations, beside the paper's."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence

from rich.console import Console

from papers.cdrank import table1
from partita.errors import PartitaError


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse the command line and run the table."""
    parser = argparse.ArgumentParser(prog="python -m papers.cdrank", description=__doc__)
    parser.add_argument("--json", action="store_true", help="end with the rows as one JSON line")
    parser.add_argument("--quick", action="store_true", help="60 citations, one draw: seconds")
    parser.add_argument("--seed", type=int, default=0, help="of all learners (default 0)")
    options = parser.parse_args(arguments)
    if options.seed < 0:
        parser.error(f"--seed is {options.seed}; give a number of at least 0")
    began = time.process_time()
    console = Console(width=None if sys.stdout.isatty() else 140)
    size = table1.QUICK if options.quick else table1.Size()
    try:
        rows = table1.run(size, options.seed)
    except PartitaError as error:
        print(f"python -m papers.cdrank: {error}", file=sys.stderr)
        return 1
    verdicts = table1.show(console, rows)
    console.print(f"{size}, {time.process_time() - began:.0f} s of CPU")
    if options.json:
        listed = [{**vars(row), "mean": row.mean, "deviation": row.deviation} for row in rows]
        content = {"experiment": "table1", "seed": options.seed, **vars(size)}
        print(json.dumps({**content, "rows": listed, "claims": verdicts}, allow_nan=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
