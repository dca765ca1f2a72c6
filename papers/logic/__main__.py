"""`python -m papers.logic`: Table 1 of LOGIC for both forms over seeds, and real sets."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from rich.console import Console

from papers.command import add_options, run_experiment, run_parts
from papers.logic import graphs, nyt, report, toy

SEEDS, GRAPH_SEEDS = 20, 4
QUICK_SEEDS, QUICK_QUERIES = 3, 100


def run_toys(quick: bool, seed: int) -> dict[str, Any]:
    """Both forms of the toy."""
    seeds = QUICK_SEEDS if quick else SEEDS
    return {form: toy.summarise(toy.run_toy(form, seeds)) for form in ("tensor", "sigmoid")}


def run_countries(quick: bool, seed: int) -> dict[str, Any]:
    """AUC-PR of the three levels, with and without the rule of the level."""
    seeds = range(seed, seed + (1 if quick else GRAPH_SEEDS))
    scores = {}
    for level in (1, 2, 3):
        for rules in (False, True):
            values = [graphs.run_countries(level, k, rules=rules) for k in seeds]
            title = f"S{level} {'with rules' if rules else 'without'}"
            scores[title] = {"mean": float(np.mean(values)), "values": values}
    return scores


PARTS: dict[str, Callable[[bool, int], dict[str, Any]]] = {
    "toy": run_toys,
    "countries": run_countries,
    "nations": lambda quick, seed: graphs.run_nations(seed),
    "nyt": lambda quick, seed: nyt.run_nyt(seed),
    "kinship": lambda quick, seed: graphs.run_kinship(seed),
    "wn18": lambda quick, seed: graphs.run_wn18(seed, QUICK_QUERIES if quick else None),
}


def run_all(options: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Run the parts and print them beside the figures of the paper and of others."""
    return run_parts(
        options.only or PARTS,
        lambda name: PARTS[name](options.quick, options.seed),
        lambda name, scores: report.SHOWN[name](console, scores),
        console,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse the command line and run the experiments."""
    parser = argparse.ArgumentParser(prog="python -m papers.logic", description=__doc__)
    add_options(parser, quick="fewer seeds and queries", seed="embeddings and walks")
    parser.add_argument("--only", action="append", choices=list(PARTS), help="only this part")
    return run_experiment(parser, arguments, run_all)


if __name__ == "__main__":
    sys.exit(main())
