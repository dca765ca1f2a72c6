"""`python -m papers.hcoref`: millions of author mentions, by every variant, in one run."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console

from papers.command import add_options, run_experiment
from papers.hcoref import flat, report
from papers.hcoref.course import Course, apart
from papers.hcoref.data import SCORED, development, made, save
from papers.hcoref.learned import learn
from papers.hcoref.methods import METHODS, Variant
from papers.plots import save as save_figure

OUT = Path("out/papers/hcoref")
SIZES = (145_000, 1_322_985, 5_803_811)
QUICK = (3_000,)
MIN_MENTIONS = 1_000
"""Mentions of a size at least."""
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
    """Run every variant at every size, print the tables and draw the figure."""
    sizes = options.sizes or (QUICK if options.quick else SIZES)
    widths = 2 if options.quick else len(flat.SIZES)
    courses: list[Course] = []
    known: dict[int, Any] = {}
    with tempfile.TemporaryDirectory() as place:
        for size in sizes:
            folder = Path(place) / str(size)
            methods = [m for m in METHODS if size <= m.most and wanted(m, options.methods)]
            known[size] = known.get(LARGEST) if size > LARGEST else None
            if known[size] is None:
                whole = development(min(size, LARGEST), options.seed, DEVELOPMENT)
                known[size] = learn(whole, options.seed, [m.trees for m in methods if m.trees])
            save(made(size, SCORED + options.seed), folder)
            for variant in methods:
                course = apart(folder, variant.name, known[size], options.seed, options.most)
                courses.append(course)
                end = f"F1 {course.f1[-1]:.4f} after {course.seconds[-1]:.2f} CPU s"
                console.print(f"{size:,} {variant.name}: {end}", highlight=False)
    costs = flat.costs(known[sizes[0]], options.seed, flat.SIZES[:widths])
    rows = report.rows(courses)
    report.show(console, rows)
    report.show_costs(console, costs)
    console.print(NOTES, highlight=False)
    verdicts = report.claims(rows, costs)
    report.show_claims(console, verdicts)
    files = save_figure(report.figure(courses, costs), options.out / "hcoref")
    return {
        "rows": rows,
        "costs": costs,
        "learned": {str(size): asdict(w) for size, w in known.items()},
        "claims": verdicts,
        "courses": [asdict(c) for c in courses],
        "files": [str(file) for file in files],
    }


def wanted(variant: Variant, parts: Sequence[str]) -> bool:
    """Whether the name of a method has one of these parts, if there are any."""
    return not parts or any(part in variant.name for part in parts)


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse the command line and run the comparison."""
    parser = argparse.ArgumentParser(prog="python -m papers.hcoref", description=__doc__)
    add_options(parser, quick="few mentions: seconds", seed="data and chains")
    parser.add_argument(
        "--sizes", type=_count_mentions, nargs="+", help=f"numbers of mentions ({SIZES})"
    )
    parser.add_argument("--methods", nargs="+", default=[], help="parts of names; default all")
    parser.add_argument("--most", type=float, default=240.0, help="CPU s of a variant, about")
    parser.add_argument("--out", type=Path, default=OUT, help=f"folder of figures ({OUT})")
    return run_experiment(parser, arguments, run)


def _count_mentions(text: str) -> int:
    if int(text) < MIN_MENTIONS:
        raise argparse.ArgumentTypeError(
            f"{text} is too small; give numbers of at least {MIN_MENTIONS}"
        )
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
