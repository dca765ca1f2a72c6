"""The panel: zero configuration on twenty labelled sets of eight domains.

    python -m benchmarks.panel [--sets a,b] [--seeds 3] [--lines] [--shared SHARE]
                               [--folder FOLDER] [--priors FOLDER] [--no-splink] [--json]

Each set is resolved whole, with several seeds, beside exact equality, TF-IDF cosine with connected
components, and Splink with default comparisons. The table shows means over seeds; the summary
shows the median, the lower quartile and the worst set, and how many sets lie below the better
naive baseline. Sets without data are skipped with a message. `--lines` joins all columns of a
record to one line of text. `--shared` cuts the sets of one file into two files without duplicates;
SHARE of the second file's records have a match in the first. `--folder` runs all labelled sets of a
folder (NAME/records.csv with the columns `entity` and, for two files, `source`) in place of the
panel, with the prior that is shipped; `python -m benchmarks.unseen` writes such a folder.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.measure import machine
from benchmarks.panel.scoring import BASELINES, measure_baseline, measure_ours, summarise
from benchmarks.panel.sets import (
    PANEL,
    PanelSet,
    cut_in_two,
    find_sets,
    join_columns,
    prepare_task,
)
from benchmarks.panel.with_splink import measure_splink
from benchmarks.peers.running import Limits
from benchmarks.peers.sets import DATA

__all__ = ["main"]

PRIORS = Path(__file__).parents[1] / "priors"
"""One prior a domain, trained without it."""
MEANS = ("precision", "recall", "f1", "b_cubed_f1", "near_ece", "interval_covers")
"""Figures that are averaged over seeds; a share for `interval_covers`."""
COSTS = ("cpu_seconds", "peak_megabytes", "interval_width")
"""Figures that are averaged over seeds as well; the table prints them last."""


def measure_set(data: PanelSet, options: argparse.Namespace, limits: Limits) -> dict[str, Any]:
    """All tools on one set."""
    prior = None if data.folder is not None else options.priors / f"{data.domain}.json"
    if prior is not None and not prior.exists():
        raise SystemExit(
            f"error: there is no {prior}; write it with python -m benchmarks.prior --leave-out"
        )
    with tempfile.TemporaryDirectory() as folder:
        task = prepare_task(data, Path(folder))
        if options.shared is not None:
            task = cut_in_two(task, Path(folder), options.shared)
        if options.lines:
            task = join_columns(task, Path(folder))
        runs = [measure_ours(task, seed, prior, limits) for seed in range(options.seeds)]
        baselines = {name: measure_baseline(name, task, limits) for name in BASELINES}
        row = _means(runs) | {"domain": data.domain, "counted": data.counted}
        row["records"] = task.records
        row["naive_f1"] = max(scores.get("f1", 0.0) for scores in baselines.values())
        if not options.no_splink:
            baselines["splink"] = measure_splink(task, limits)
        return row | {"runs": runs, "baselines": baselines}


def _means(runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Means over the seeds that ended well; None where a figure is absent."""
    means: dict[str, Any] = {}
    for name in (*MEANS, *COSTS):
        values = [float(run[name]) for run in runs if run.get(name) is not None]
        means[name] = statistics.fmean(values) if values else None
    failed = [run["status"] for run in runs if run["status"] != "ok"]
    return means | {"status": failed[0] if failed else "ok"}


def _show(sets: dict[str, Any], summary: dict[str, Any], console: Console) -> None:
    table = Table("set", "domain", "P", "R", "F1", "B3", "exact", "tf-idf", "splink", "near ECE")
    for title in ("covers", "width", "CPU s", "MB"):
        table.add_column(title)
    for name, row in sets.items():
        others = [row["baselines"].get(tool, {}).get("f1") for tool in (*BASELINES, "splink")]
        figures = [row[key] for key in ("precision", "recall", "f1", "b_cubed_f1")] + others
        figures += [row[key] for key in ("near_ece", "interval_covers", "interval_width")]
        cells = ["-" if value is None else f"{value:.3f}" for value in figures]
        costs = [row[key] for key in ("cpu_seconds", "peak_megabytes")]
        cells += ["-" if value is None else f"{value:.0f}" for value in costs]
        title = name if row["counted"] else f"{name} (silver labels, not counted)"
        table.add_row(title, row["domain"], *cells)
    console.print(table)
    for key, value in summary.items():
        console.print(f"{key}: {value}")


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.panel", description=__doc__)
    parser.add_argument("--sets", help=f"comma-separated: {','.join(PANEL)}")
    parser.add_argument("--seeds", type=int, default=3, help="runs of ours on each set")
    parser.add_argument(
        "--priors",
        type=Path,
        default=PRIORS,
        help="folder of priors, one a domain, each trained without it",
    )
    parser.add_argument("--folder", type=Path, help="folder of other labelled sets to run")
    parser.add_argument("--lines", action="store_true", help="give every record as one line")
    parser.add_argument(
        "--shared", type=float, help="cut sets of one file into two that share entities"
    )
    parser.add_argument("--no-splink", action="store_true", help="leave Splink out")
    parser.add_argument("--threads", type=int, default=1, help="threads of every tool")
    parser.add_argument("--timeout", type=float, default=1200.0, help="seconds for one run")
    parser.add_argument("--json", action="store_true", help="print one JSON object as last line")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the panel and print its table and summary."""
    options = _arguments(arguments)
    panel = PANEL if options.folder is None else find_sets(options.folder)
    if not panel:
        raise SystemExit(f"error: {options.folder} holds no set; give a folder of NAME/records.csv")
    whole = [name for name, data in panel.items() if options.shared is None or not data.linked]
    names = options.sets.split(",") if options.sets else whole
    for name in names:
        if name not in panel:
            raise SystemExit(f"error: there is no set {name!r}; give some of {', '.join(panel)}")
        if name not in whole:
            raise SystemExit(f"error: {name} has two files; --shared takes {', '.join(whole)}")
    if options.shared is not None and not 0 < options.shared < 1:
        raise SystemExit(f"error: --shared is {options.shared}; give a share between 0 and 1")
    console = Console(stderr=options.json, width=180)
    limits = Limits(options.threads, options.timeout)
    sets: dict[str, Any] = {}
    for name in names:
        if not panel[name].path.exists():
            print(f"{name}: skipped, no data in {DATA}", file=sys.stderr)
            continue
        sets[name] = measure_set(panel[name], options, limits)
        score = sets[name]["f1"]
        console.print(f"[dim]{name}: {sets[name]['status']}, F1 {score and round(score, 4)}[/dim]")
    summary = summarise(sets)
    _show(sets, summary, console)
    if options.json:
        print(json.dumps({"sets": sets, "summary": summary, "machine": machine()}))


if __name__ == "__main__":
    main()
