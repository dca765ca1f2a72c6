"""`python -m papers.kbalign`: Tables 2 and 3 and Figure 2 of KBALIGN on AIDA and GUM, and links."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from typing import Any

from rich.console import Console

from papers.command import add_options, run_experiment, run_parts
from papers.kbalign import report
from papers.kbalign.collapsed import run_collapsed, run_links
from papers.kbalign.experiment import load_task, run_greedy, tabulate

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


def run_all(options: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Run the parts and print them beside the paper's figures."""
    most = QUICK if options.quick else None

    def show(name: str, result: dict[str, Any]) -> None:
        if name == "links":
            report.show_links(console, result)
        else:
            report.show_task(console, name, result)

    run = partial(run_part, seed=options.seed, most=most)
    return run_parts(options.only or PARTS, run, show, console)


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse the command line and run the experiments."""
    parser = argparse.ArgumentParser(prog="python -m papers.kbalign", description=__doc__)
    add_options(parser, quick="few documents of each part", seed="fits and walks")
    parser.add_argument("--only", action="append", choices=list(PARTS), help="only this part")
    return run_experiment(parser, arguments, run_all)


if __name__ == "__main__":
    sys.exit(main())
