"""`python -m papers.sdds emm` and `dpmm`: the experiments of SDDS."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from papers.command import add_options, run_experiment
from papers.plots import save
from papers.sdds import dpmm, emm, report

OUT = Path("out/papers/sdds")

EMM_NOTES = """\
States are unlabelled partitions with K^-N kept and empty entities integrated out; K counts them.
Iterations: one split-merge proposal and one Gibbs step of one mention; RGSM (5,1,1) a whole scan.
The ramped burn-in begins with K^-N switched off, brings it back over its first half, and then
runs as long with the model itself; the curve and the mean of K begin after it.
Accepted splits and merges: shares of all split-merge proposals, from a fresh start with K0 = 5.
Microseconds are CPU time at the end of the chain, all methods in this run."""

DPMM_NOTES = """\
CPU seconds of one thread from one cluster, by chain. The high-probability region: 99% of what the
components that made the data gain over the start; chains stop soon after.
The median counts a chain that never arrived as late. SDDS takes its
steps twenty times a Gibbs scan, because they are cheap; "one scan" shows it without that."""


def run_emm(options: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Figures 3-5."""
    size = emm.QUICK if options.quick else emm.Size()
    curves = emm.run(size, options.seed)
    rows = report.emm_rows(curves)
    report.show_emm(console, rows)
    console.print(EMM_NOTES, highlight=False)
    verdicts = report.claims_emm(rows)
    report.show_claims(console, verdicts)
    files = save(report.figure_emm(curves), options.out / "emm")
    return {"rows": rows, "claims": verdicts, "files": [str(file) for file in files]}


def run_dpmm(options: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Figure 6."""
    size = dpmm.QUICK if options.quick else dpmm.Size()
    courses = dpmm.run(size, options.seed)
    rows = dpmm.table(courses)
    report.show_dpmm(console, rows)
    console.print(DPMM_NOTES, highlight=False)
    verdicts = report.claims_dpmm(rows)
    report.show_claims(console, verdicts)
    files = save(report.figure_dpmm(courses), options.out / "dpmm")
    return {"rows": rows, "claims": verdicts, "files": [str(file) for file in files]}


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse the command line and run the experiment it names."""
    parser = argparse.ArgumentParser(prog="python -m papers.sdds", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, run, words in (
        ("emm", run_emm, "samplers of the entity/mention model (Figures 3-5)"),
        ("dpmm", run_dpmm, "Dirichlet-process mixture of Bernoulli columns (Figure 6)"),
    ):
        command = commands.add_parser(name, help=words)
        command.set_defaults(run=run)
        add_options(command, quick="little data and few steps: seconds", seed="data and chains")
        command.add_argument("--out", type=Path, default=OUT, help=f"folder of figures ({OUT})")
    return run_experiment(parser, arguments)


if __name__ == "__main__":
    sys.exit(main())
