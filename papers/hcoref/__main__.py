"""`python -m papers.hcoref`: millions of author mentions, by every variant, in one run."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console

from papers.hcoref import flat, report
from papers.hcoref.course import Course, apart
from papers.hcoref.data import SCORED, development, made, save
from papers.hcoref.learned import learn
from papers.hcoref.methods import METHODS, Variant
from papers.plots import save as save_figure

OUT = Path("out/papers/hcoref")
SIZES = (145_000, 1_322_985, 5_803_811)
QUICK = (3_000,)
DEVELOPMENT, LARGEST = 145_000, 1_322_985
"""Mentions of the development sample, and of the data of another seed that it is drawn from."""

NOTES = """\
Generated author mentions stand for BibTeX, DBLP and REXA; truth is known for all mentions. Weights
of pairs (SampleRank), concentrations (likelihood, then F1), costs of entities and weights of trees
(from the paper's, by F1, one at a time) come from a development set of the same size (1.3 million
at most) and another seed; trees "as in the paper" have the weights printed there, which its authors
chose on a development set of their own.
CPU seconds: from encoded mentions to labels, one process by variant, one thread; without
compilation and evaluation. In canopy order the largest come first, and F1 counts all that is not
reached yet as singletons. "to 90%" is the first look at which F1 is there; the end is what counts.
A true delta of trees with factors between nodes and parents has a factor for every child of every
node above what moves; over pairs it has one for each of two roots, whatever the tree.
A proposal looks at as many cells in large entities as in small ones, but they come from farther
away in memory; the first row of costs is what it takes to draw two mentions and only read one.
Lazy pairwise draws two mentions of a canopy at random, in random order, as the paper does. Two
threads against one are measured by `python -m benchmarks.threads`."""


def run(options: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Everything at the sizes asked for."""
    courses: list[Course] = []
    known: dict[int, Any] = {}
    with tempfile.TemporaryDirectory() as place:
        for size in options.sizes:
            folder = Path(place) / str(size)
            asked = [one for one in METHODS if size <= one.most and wanted(one, options.methods)]
            known[size] = known.get(LARGEST) if size > LARGEST else None
            if known[size] is None:
                whole = development(min(size, LARGEST), options.seed, DEVELOPMENT)
                known[size] = learn(whole, options.seed, [one.trees for one in asked if one.trees])
            save(made(size, SCORED + options.seed), folder)
            for variant in asked:
                course = apart(folder, variant.name, known[size], options.seed, options.most)
                courses.append(course)
                end = f"F1 {course.f1[-1]:.4f} after {course.seconds[-1]:.2f} CPU s"
                console.print(f"{size:,} {variant.name}: {end}", highlight=False)
    costs = flat.costs(known[options.sizes[0]], options.seed, flat.SIZES[: options.widths])
    found = report.rows(courses)
    report.show(console, found)
    report.show_costs(console, costs)
    console.print(NOTES, highlight=False)
    verdicts = report.claims(found, costs)
    report.show_claims(console, verdicts)
    files = save_figure(report.figure(courses, costs), options.out / "hcoref")
    return {
        "rows": found,
        "costs": costs,
        "learned": {str(size): asdict(one) for size, one in known.items()},
        "claims": verdicts,
        "courses": [asdict(one) for one in courses],
        "files": [str(file) for file in files],
    }


def wanted(variant: Variant, parts: Sequence[str]) -> bool:
    """Whether the name of a method has one of these parts, if there are any."""
    return not parts or any(part in variant.name for part in parts)


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse the command line and run the comparison."""
    parser = argparse.ArgumentParser(prog="python -m papers.hcoref", description=__doc__)
    parser.add_argument("--json", action="store_true", help="end with the tables as one JSON line")
    parser.add_argument("--quick", action="store_true", help="few mentions: seconds")
    parser.add_argument("--sizes", type=int, nargs="+", help=f"numbers of mentions ({SIZES})")
    parser.add_argument("--methods", nargs="+", default=[], help="parts of names; default all")
    parser.add_argument("--most", type=float, default=240.0, help="CPU s of a variant, about")
    parser.add_argument("--seed", type=int, default=0, help="of data and chains (default 0)")
    parser.add_argument("--out", type=Path, default=OUT, help=f"folder of figures ({OUT})")
    options = parser.parse_args(arguments)
    options.sizes = options.sizes or list(QUICK if options.quick else SIZES)
    options.widths = 2 if options.quick else len(flat.SIZES)
    if options.seed < 0:
        parser.error(f"--seed is {options.seed}; give a number of at least 0")
    if min(options.sizes) < 1000:
        parser.error(f"--sizes has {min(options.sizes)}; give numbers of at least 1000")
    began = time.perf_counter()
    # a pipe has no width of its own, and the table needs this much
    console = Console(width=None if sys.stdout.isatty() else 180)
    found = run(options, console)
    spent = time.perf_counter() - began
    console.print(f"{spent:.0f} s; {', '.join(found['files'])}", highlight=False)
    if options.json:
        named = {"experiment": "hcoref", "seed": options.seed, "quick": options.quick}
        print(json.dumps({**named, **found}, allow_nan=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
