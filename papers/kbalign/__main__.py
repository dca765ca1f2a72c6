"""`python -m papers.kbalign`: Tables 2 and 3 and Figure 2 of KBALIGN on AIDA and GUM, and links."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from typing import Any

from rich.console import Console

from papers.kbalign import report
from papers.kbalign.collapsed import run_collapsed, run_links
from papers.kbalign.experiment import load_task, run_greedy, tabulate
from partita.errors import PartitaError

PARTS = ("aida", "links", "gum")
QUICK = 12
"""Documents of each part in a quick run."""


def run_part(name: str, seed: int, most: int | None) -> dict[str, Any]:
    """Run one part: all systems on a set, or links."""
    if name == "links":
        return run_links(seed, most)
    task = load_task(name, most)
    systems = run_greedy(task, seed)
    ours, weights = run_collapsed(task, seed)
    return {**tabulate(task, {**systems, **ours}), "weights": weights._asdict()}


def run_all(options: argparse.Namespace) -> int:
    """Run the parts and print them beside the paper's figures."""
    console = Console(width=None if sys.stdout.isatty() else 150)
    output: dict[str, Any] = {"experiment": "kbalign", "seed": options.seed, "quick": options.quick}
    for name in options.only or PARTS:
        began = time.process_time()
        try:
            output[name] = run_part(name, options.seed, QUICK if options.quick else None)
        except PartitaError as error:
            if "PARTITA_DATA" not in str(error):
                raise
            console.print(f"{name} is skipped: {error}", highlight=False)
            continue
        output[name]["cpu_seconds"] = round(time.process_time() - began, 1)
        if name == "links":
            report.show_links(console, output[name])
        else:
            report.show_task(console, name, output[name])
    if options.json:
        print(json.dumps(output, allow_nan=False))
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse the command line and run the experiments."""
    parser = argparse.ArgumentParser(prog="python -m papers.kbalign", description=__doc__)
    parser.add_argument("--json", action="store_true", help="end with the results as one JSON line")
    parser.add_argument("--quick", action="store_true", help="few documents of each part")
    parser.add_argument("--seed", type=int, default=0, help="of fits and walks (default 0)")
    parser.add_argument("--only", action="append", choices=list(PARTS), help="only this part")
    options = parser.parse_args(arguments)
    if options.seed < 0:
        parser.error(f"--seed is {options.seed}; give a number of at least 0")
    try:
        return run_all(options)
    except PartitaError as error:
        print(f"python -m papers.kbalign: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
