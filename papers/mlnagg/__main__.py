"""`python -m papers.mlnagg`: Objects against Pairs, the experiments of MLNAGG."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from rich.console import Console

from papers.command import add_options, run_experiment
from papers.mlnagg import experiment, report


def run_all(options: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Run the chosen kinds of data and print them beside the paper's figures."""
    size = experiment.QUICK if options.quick else experiment.Size()
    kinds = options.only or list(experiment.KINDS)
    rows = experiment.run(kinds, size, options.seed)
    counted = list(dict.fromkeys(row.data for row in rows if row.kind in experiment.COUNTED))
    claim = report.show(console, rows, counted)
    console.print(str(size))
    return {**vars(size), "rows": [vars(row) for row in rows], "claim": claim}


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse the command line and run the experiment."""
    parser = argparse.ArgumentParser(prog="python -m papers.mlnagg", description=__doc__)
    add_options(parser, quick="60 records of each set: seconds", seed="sampled pieces")
    parser.add_argument(
        "--only", action="append", choices=list(experiment.KINDS), help="only this kind of data"
    )
    return run_experiment(parser, arguments, run_all)


if __name__ == "__main__":
    sys.exit(main())
