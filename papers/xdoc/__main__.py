"""`python -m papers.xdoc`: the experiments of XDOC on John Smith and Person-X."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from rich.console import Console

from papers.command import add_options, run_experiment
from papers.xdoc.experiments import QUICK, Size, run_all, show


def run_rows(options: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Run everything and print it beside the paper's figures."""
    size = QUICK if options.quick else Size()
    rows = run_all(size, options.seed, lambda row: print(row, file=sys.stderr, flush=True))
    verdicts = show(console, rows)
    console.print(str(size))
    return {**vars(size), "rows": [vars(row) for row in rows], "claims": verdicts}


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse the command line and run the experiments."""
    parser = argparse.ArgumentParser(prog="python -m papers.xdoc", description=__doc__)
    add_options(parser, quick="few people, few rounds: a minute", seed="all runs")
    return run_experiment(parser, arguments, run_rows)


if __name__ == "__main__":
    sys.exit(main())
