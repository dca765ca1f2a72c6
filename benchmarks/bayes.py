"""`python -m benchmarks.bayes [--sets a,b] [--posterior full] [--json]`: scores without labels.

Resolves labelled sets with `posterior="full"`, without labels and with default settings, and scores
the posterior: pairwise F1 of its point estimate, the 95% interval of the number of entities, the
calibration of p_same on near pairs (p_same of at least .01), the R-hat of its chains, and CPU
seconds. PARTITA_DATA names the folder of the data sets; `people` is generated.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.measure import machine
from benchmarks.peers.sets import PEOPLE, SETS, DataSet, Prepared, prepare, prepare_people
from partita.errors import InputError
from partita.linkage.resolve import resolve
from partita.linkage.result import Resolution
from partita.metrics import calibration, labels_to_codes, pairwise
from partita.states.checks import whole

__all__ = ["judge", "main", "measure"]

KNOWN = {"RLdata500": DataSet("RLdata500"), **SETS}
USUAL = ("RLdata500", "RLdata10000", "febrl3", "fake_1000", PEOPLE, "historical_50k")
NEAR = 0.01
"""Smallest p_same of a near pair."""
WARM = 400
BASELINES = {
    "RLdata500": {"d-blink (measured)": {"f1": 0.889}},
    "RLdata10000": {
        "d-blink (published)": {"f1": 0.775, "precision": 0.633, "cpu_hours": 7.1},
        "Splink 5 at its default threshold (measured)": {"f1": 0.861},
    },
}
NOTES = """\
One setting for all sets, no labels. near: compared pairs with p_same of at least .01; its error is
the expected calibration error over ten bins of equal width; missed: true pairs below .01.
R-hat: the largest of all traces (entities, log score, every rate), and that of the entities;
converged: as `resolve` reports it for this run.
CPU seconds of all stages and chains, compiled code on disk. people: generated, with households.
The errors on fake_1000 and people were inspected (people with equal names and similar e-mail
addresses, names of three letters), and the share of moves to any entity was chosen among five
values on fake_1000; so these two sets are no blind test of the model.
d-blink and Splink: published or measured elsewhere, on the same records, not in this run."""


def judge(result: Resolution, truth: Any) -> dict[str, Any]:
    """Scores of a resolution by the true entities of its records."""
    true = labels_to_codes(truth)
    score, pairs = pairwise(result.labels, true), result.record_pairs
    same = true[pairs.left] == true[pairs.right]
    near = pairs.p_same >= NEAR
    honest = calibration(pairs.p_same[near], same[near]) if near.any() else None
    mean, low, high = result.marginals.entity_count()
    entities = int(np.unique(true).size)
    r_hat = {name: row["r_hat"] for name, row in result.diagnostics.items()}
    return {
        "records": result.records.n,
        "f1": score.f1,
        "precision": score.precision,
        "recall": score.recall,
        "entities": entities,
        "expected": {"mean": mean, "low": low, "high": high},
        "inside": bool(low <= entities <= high),
        "near_pairs": int(near.sum()),
        "missed_pairs": int((same & ~near).sum()),
        "ece": honest.ece_width if honest else None,
        "brier": honest.brier if honest else None,
        "reliability": honest.by_width.as_dict() if honest else None,
        "chains": result.settings.chains,
        "draws": result.n_draws,
        "r_hat": {name: round(value, 4) for name, value in r_hat.items() if value == value},
        "converged": result.converged,
        "model": result.chosen_model,
    }


def measure(data: Prepared, posterior: str, seed: int) -> dict[str, Any]:
    """Resolve one set and score the result."""
    begin = time.process_time()
    result = resolve(
        data.path, id="id" if data.name != PEOPLE else None, posterior=posterior, seed=seed
    )
    spent = time.process_time() - begin
    return {"name": data.name, "cpu_seconds": round(spent, 2), **judge(result, data.truth)}


def _prepared(name: str, n: int, seed: int, folder: Path) -> Prepared:
    if name == PEOPLE:
        return prepare_people(n, seed, folder)
    if name not in KNOWN:
        raise InputError(f"there is no set {name!r}; give some of {', '.join((*KNOWN, PEOPLE))}")
    if not KNOWN[name].path.exists():
        raise InputError(f"there is no {KNOWN[name].path}; set PARTITA_DATA to its folder")
    return prepare(KNOWN[name], folder)


def _show(rows: list[dict[str, Any]], console: Console) -> None:
    table = Table("set", "F1", "P", "R", "entities", "95% interval", "in", "near", "ECE", "missed")
    for name in ("R-hat", "of entities", "converged", "draws", "CPU s"):
        table.add_column(name, justify="right")
    for row in rows:
        low, high = (f"{row['expected'][end]:.0f}" for end in ("low", "high"))
        worst = max(row["r_hat"].values(), default=float("nan"))
        table.add_row(
            row["name"],
            *(f"{row[figure]:.4f}" for figure in ("f1", "precision", "recall")),
            str(row["entities"]),
            f"{low} - {high}",
            "yes" if row["inside"] else "no",
            str(row["near_pairs"]),
            "-" if row["ece"] is None else f"{row['ece']:.4f}",
            str(row["missed_pairs"]),
            f"{worst:.3f}",
            f"{row['r_hat'].get('entities', float('nan')):.3f}",
            "yes" if row["converged"] else "no",
            f"{row['chains']} x {row['draws']}",
            f"{row['cpu_seconds']:.1f}",
        )
        for baseline, figures in BASELINES.get(row["name"], {}).items():
            rest = [
                f"{figures[figure]:.3f}" if figure in figures else ""
                for figure in ("precision", "recall")
            ]
            hours = f"{figures['cpu_hours']} h" if "cpu_hours" in figures else ""
            table.add_row(
                f"  {baseline}", f"{figures['f1']:.3f}", *rest, *[""] * 10, hours, style="dim"
            )
    console.print(table)
    console.print(NOTES, highlight=False)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print a table and, with --json, one line of JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bayes", description=__doc__)
    parser.add_argument("--sets", default=",".join(USUAL), help=f"some of {','.join(USUAL)}")
    parser.add_argument("--posterior", default="full", choices=("full", "quick"))
    parser.add_argument("--n", type=int, default=10_000, help="how many people to generate")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true", help="end in one line of JSON")
    options = parser.parse_args(arguments)
    console = Console(stderr=options.json, width=160)
    try:
        whole(options.n, "n", 2)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            # compiles, and is not measured
            measure(prepare_people(WARM, options.seed, folder), options.posterior, options.seed)
            data = [
                _prepared(task, options.n, options.seed, folder) for task in options.sets.split(",")
            ]
            rows = []
            for task in data:
                rows.append(measure(task, options.posterior, options.seed))
                console.print(f"[dim]{task.name}: {rows[-1]['cpu_seconds']} CPU s[/dim]")
    except InputError as error:
        raise SystemExit(f"error: {error}") from None
    _show(rows, console)
    if options.json:
        output = {
            "sets": rows,
            "baselines": BASELINES,
            "posterior": options.posterior,
            "seed": options.seed,
        }
        print(json.dumps({**output, "notes": NOTES.splitlines(), "machine": machine()}))


if __name__ == "__main__":
    main()
