"""`python -m papers.mcmcmc figure2 | table1 | table2`: the experiments of MCMCMC."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console

from papers.command import add_options, run_experiment
from papers.mcmcmc import figure2, figure2_report, table1, table1_report, table2
from papers.plots import save

OUT = Path("out/papers/mcmcmc")

NOTES = """\
Error is |running P(label 1) - exact P(label 1)|, mean over models; the start counts as a state.
Factors to an error: after them the mean error stays within it (speedup over p = 1 in brackets).
Fall: error at the end over error at a quarter of the factors (.25 as 1/n, .5 as 1/sqrt n, 1 floor).
2nd half: only states since half of the factors count; compare with p = 1, 2nd half.
flip, minibatch: Metropolis-Hastings, not Gibbs; compare the minibatch with p = 1, flip.
On the paper's models the exact marginals are 1 to many digits, so the error of p = 1 is the share
of the start among the states; the hard models are an addition in which the marginal matters.
An interval can be narrow by chance: two factors that agree end a step at once, whatever the rest
say. The error that these stops cause is computed from all pairs of factors of each model."""


def run_figure2(options: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Run, print and draw Figure 2."""
    size = figure2.QUICK if options.quick else figure2.Size()
    panels = figure2.run(size, options.seed)
    tables = {panel.key: figure2.table(panel) for panel in panels}
    intervals = {panel.key: figure2.intervals(panel) for panel in panels}
    verdicts = figure2_report.claims(tables["paper"])
    for panel in panels:
        figure2_report.show_panel(console, panel, tables[panel.key])
        figure2_report.show_intervals(console, panel, intervals[panel.key])
    console.print(NOTES, highlight=False)
    figure2_report.show_claims(console, verdicts)
    files = save(figure2_report.figure(panels), options.out / "figure2")
    console.print(str(size))
    return {
        **vars(size),
        "tables": tables,
        "intervals": intervals,
        "claims": verdicts,
        "files": [str(file) for file in files],
    }


def run_table1(options: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Run and print Table 1."""
    size = table1.QUICK if options.quick else table1.Size()
    rows, folds = table1.table(size, options.seed), table1.run_folds(size, options.seed)
    verdicts = table1_report.claims(rows, folds)
    table1_report.show(console, rows, folds)
    table1_report.show_claims(console, verdicts)
    console.print(str(size))
    return {
        **vars(size),
        "rows": [vars(row) for row in rows],
        "folds": [vars(fold) for fold in folds],
        "claims": verdicts,
    }


def run_table2(options: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Run and print Table 2."""
    size = table2.QUICK if options.quick else table2.Size()
    size = replace(size, mentions=options.mentions or size.mentions)
    rows = table2.run(size, options.seed)
    verdicts = table2.claims(rows)
    table2.show(console, size, rows)
    console.print(table2.NOTES, highlight=False)
    table2.show_claims(console, verdicts)
    console.print(str(size))
    return {**vars(size), "rows": rows, "claims": verdicts}


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse the command line and run the experiment it names."""
    parser = argparse.ArgumentParser(prog="python -m papers.mcmcmc", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("figure2", help="marginals on synthetic star models")
    command.set_defaults(run=run_figure2)
    command = commands.add_parser("table1", help="citations of Cora: factors to 90%% B-cubed F1")
    command.set_defaults(run=run_table1)
    command = commands.add_parser("table2", help="authors: factors to 80%% B-cubed F1")
    command.set_defaults(run=run_table2)
    command.add_argument("--mentions", type=int, help=f"how many ({table2.Size().mentions})")
    for command in commands.choices.values():
        add_options(command, quick="few models and factors: seconds", seed="models and chains")
        command.add_argument("--out", type=Path, default=OUT, help=f"folder of figures ({OUT})")
    return run_experiment(parser, arguments)


if __name__ == "__main__":
    sys.exit(main())
