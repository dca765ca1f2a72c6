"""Calibration of the range of the number of entities, leave-one-domain-out.

    python -m benchmarks.panel.interval PANEL.json [--json]

PANEL.json holds the object that `python -m benchmarks.panel --json` prints as its last line. For
each domain the base and the slope of the range are chosen on the other domains: the pair of least
median width that covers the true number of entities on enough of their runs.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

from partita.linkage.readings.choice import Reading
from partita.linkage.readings.trust import count_range, overall_agreement

__all__ = ["Case", "choose_width", "evaluate_domains", "main", "read_cases"]

COVERAGE = 0.85
"""Share of runs whose range contains the true number of entities."""
BASES = tuple(step / 100 for step in range(21))
"""Half-widths that are tried where readings agree; see `readings.trust`."""
SLOPES = tuple(step / 40 for step in range(31))
"""Further half-widths that are tried where readings disagree entirely."""


class Case(NamedTuple):
    """One run on one set."""

    name: str
    domain: str
    entities: int
    true_entities: int
    records: int
    """Distinct records."""
    agreement: float

    def find_range(self, base: float, slope: float) -> tuple[float, float]:
        """The range by a base and a slope, without the part of the posterior."""
        written = (float(self.entities), float(self.entities))
        return count_range(self.entities, self.records, written, self.agreement, base, slope)

    def covers(self, base: float, slope: float) -> bool:
        """Whether the range contains the true number of entities."""
        low, high = self.find_range(base, slope)
        return low <= self.true_entities <= high

    def measure_width(self, base: float, slope: float) -> float:
        """The width of the range as a share of the true number."""
        low, high = self.find_range(base, slope)
        return (high - low) / self.true_entities


def read_cases(panel: dict[str, Any]) -> list[Case]:
    """The runs of all counted sets of a panel."""
    cases = []
    for name, row in panel["sets"].items():
        for run in row["runs"] if row["counted"] else ():
            if run["status"] != "ok":
                continue
            reading = Reading(run["reading"], "", run["agreement"])
            cases.append(
                Case(
                    name,
                    row["domain"],
                    run["found_entities"],
                    run["true_entities"],
                    row["records"] - run["identical"],
                    overall_agreement(reading, run["columns"]),
                )
            )
    return cases


def choose_width(cases: Sequence[Case]) -> tuple[float, float]:
    """The base and slope of least median width that cover enough cases; the widest if none do."""
    best, least = (BASES[-1], SLOPES[-1]), math.inf
    for base in BASES:
        for slope in SLOPES:
            if sum(case.covers(base, slope) for case in cases) < COVERAGE * len(cases):
                continue
            width = statistics.median(case.measure_width(base, slope) for case in cases)
            if width < least:
                best, least = (base, slope), width
            # a larger slope only widens the ranges
            break
    return best


def evaluate_domains(cases: Sequence[Case]) -> list[dict[str, Any]]:
    """The range of each case by a base and a slope that are chosen without its domain."""
    rows = []
    for domain in dict.fromkeys(case.domain for case in cases):
        base, slope = choose_width([case for case in cases if case.domain != domain])
        for case in (case for case in cases if case.domain == domain):
            low, high = case.find_range(base, slope)
            rows.append(
                case._asdict()
                | {"base": base, "slope": slope, "low": low, "high": high}
                | {"covers": case.covers(base, slope), "width": case.measure_width(base, slope)}
            )
    return rows


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the range of each set, its coverage and its width."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.panel.interval")
    parser.add_argument("panel", type=Path, help="output of python -m benchmarks.panel --json")
    parser.add_argument("--json", action="store_true", help="print one JSON object as last line")
    options = parser.parse_args(arguments)
    cases = read_cases(json.loads(options.panel.read_text().splitlines()[-1]))
    rows = evaluate_domains(cases)
    base, slope = choose_width(cases)
    summary = {
        "runs": len(rows),
        "covered": sum(row["covers"] for row in rows),
        "width_median": statistics.median(row["width"] for row in rows),
        "base_all_domains": base,
        "slope_all_domains": slope,
    }
    console = Console(stderr=options.json, width=180)
    table = Table("set", "agreement", "true", "written", "low", "high", "covers", "width")
    for row in rows:
        counts = (f"{row[key]:,.0f}" for key in ("true_entities", "entities", "low", "high"))
        covers = "yes" if row["covers"] else "no"
        table.add_row(
            row["name"], f"{row['agreement']:.2f}", *counts, covers, f"{row['width']:.3f}"
        )
    console.print(table)
    for key, value in summary.items():
        console.print(f"{key}: {value}")
    if options.json:
        print(json.dumps({"sets": rows, "summary": summary}))


if __name__ == "__main__":
    main()
