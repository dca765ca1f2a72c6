"""Medians and worst figures by law and by set, and whether each law keeps its tolerance."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from typing import Any, TypeGuard

from rich.console import Console
from rich.table import Table

from benchmarks.laws.agreement import PairCounts
from benchmarks.laws.law import AGREEMENT, APART, LOSS, POOLED, Law
from benchmarks.laws.measure import PLAIN
from benchmarks.laws.presentations import LAWS

__all__ = ["find_figures", "show_report", "summarise_families", "summarise_laws", "summarise_sets"]

Row = dict[str, Any]
ROUNDING = 5e-7
"""A figure this little below a floor meets it: sums of shares are rounded."""

MIN_HOLDS = 0.9
"""Least share of files without duplicates whose range of entities holds the true number."""
MAX_WIDTH = 0.03
"""Mean width of that range at most, as a share of the records."""


def find_figures(law: Law, rows: Sequence[Row]) -> dict[str, list[float]]:
    """The figures of a law for each set; a run that failed counts as the worst figure."""
    sets: dict[str, list[Row]] = {}
    for row in rows:
        sets.setdefault(row["set"], []).append(row)
    return {name: _figures(law, group) for name, group in sets.items()}


def _figures(law: Law, rows: Sequence[Row]) -> list[float]:
    worst = -1.0 if law.figure == LOSS else 0.0
    if law.figure == POOLED:
        counts = PairCounts(0, 0, 0)
        for row in rows:
            counts = counts.plus(PairCounts(*row.get("pairs", (0, 0, 1))))
        return [counts.precision]
    return [_figure(law, row) if row["status"] == "ok" else worst for row in rows]


def _figure(law: Law, row: Row) -> float:
    if law.figure == APART:
        return row["apart"]
    if law.figure == LOSS:
        return row["plain_f1"] - row["f1"]
    return row.get(AGREEMENT, 0.0)


def summarise_laws(rows: Iterable[Row]) -> list[Row]:
    """Median and worst figure of each law over the counted sets, beside its floor.

    The median is that of the sets' medians; the worst figure is that of all runs.
    Laws with another floor for lists of one telling column have a line for these.
    """
    lines = []
    counted = [row for row in rows if row["counted"]]
    for law in LAWS.values():
        of_law = [row for row in counted if row["law"] == law.name]
        of_one = [row for row in of_law if law.floor_for(row["telling"]) is not law.floor]
        others = [row for row in of_law if law.floor_for(row["telling"]) is law.floor]
        for part, title in ((others, law.name), (of_one, f"{law.name}; one telling column")):
            if part:
                lines.append(_summarise_law(law, part, title))
    return lines


def _summarise_law(law: Law, rows: Sequence[Row], title: str) -> Row:
    by_set = find_figures(law, rows)
    worst_set = min(by_set, key=lambda name: min(by_set[name]))
    floor = law.floor_for(rows[0]["telling"])
    median = statistics.median(statistics.median(values) for values in by_set.values())
    worst = min(by_set[worst_set])
    met = None
    ended = [row for row in rows if row["status"] == "ok"]
    if floor is not None:
        met = median >= floor[0] - ROUNDING and worst >= floor[1] - ROUNDING
    if law.figure == APART:
        holds, width = (_mean(row[key] for row in ended) for key in ("range_holds", "range_width"))
        met = bool(met) and (holds or 0.0) >= MIN_HOLDS and (width or 0.0) <= MAX_WIDTH
    line: Row = {
        **{
            "law": title,
            "group": law.group,
            "figure": law.figure,
            "for_training": law.for_training,
        },
        **{"sets": len(by_set), "runs": len(rows), "failed": len(rows) - len(ended)},
        **{"median": median, "worst": worst, "worst_set": worst_set, "floor": floor, "met": met},
        "f1_median": _median(row["f1"] for row in ended),
        "plain_f1_median": _median(row.get("plain_f1") for row in ended),
        "range_holds": _mean(row["range_holds"] for row in ended),
        "range_width": _median(row["range_width"] for row in ended),
    }
    beside = [row for row in ended if row.get("f1_beside") is not None]
    if beside:
        below = sum(row["f1"] < row["f1_beside"] - ROUNDING for row in beside)
        line |= {"below_beside": below, "met": met and not below}
    return line


def summarise_sets(rows: Iterable[Row]) -> list[Row]:
    """The plain run of each set, and its worst laws of agreement."""
    sets: dict[str, list[Row]] = {}
    for row in rows:
        sets.setdefault(row["set"], []).append(row)
    lines = []
    for name, group in sets.items():
        plain = [row for row in group if row["law"] == PLAIN]
        ended = [row for row in group if row["status"] == "ok"]
        agreeing = [
            row
            for row in ended
            if row["law"] in LAWS
            and LAWS[row["law"]].floor
            and row.get(AGREEMENT) is not None
            and LAWS[row["law"]].figure == AGREEMENT
        ]
        worst = min(agreeing, key=lambda row: row[AGREEMENT], default={})
        lines.append(
            {
                **{"set": name, "telling": group[0]["telling"], "counted": group[0]["counted"]},
                "records": _median(row.get("records") for row in plain),
                "plain_f1": _median(row.get("f1") for row in plain),
                "near_ece": _median(row.get("near_ece") for row in plain),
                "agreement_median": _median(row[AGREEMENT] for row in agreeing),
                **{"agreement_worst": worst.get(AGREEMENT), "worst_law": worst.get("law")},
                "contradicted_worst": max((row["contradicted"] for row in ended), default=None),
                "unblocked_worst": max((row["unblocked_pairs"] for row in ended), default=None),
                "failed": len(group) - len(ended),
                "cpu_seconds": sum(row["cpu_seconds"] for row in ended),
            }
        )
    return lines


def summarise_families(rows: Iterable[Row]) -> list[Row]:
    """Plain runs of the counted sets of each family."""
    plain = [row for row in rows if row["law"] == PLAIN and row["counted"]]
    lines = []
    for family in dict.fromkeys(row["family"] for row in plain):
        group = [row for row in plain if row["family"] == family]
        f1 = [row.get("f1", 0.0) for row in group]
        lines.append(
            {
                **{"family": family, "sets": len({row["set"] for row in group})},
                **{"f1_median": statistics.median(f1), "f1_worst": min(f1)},
                "f1_across_median": _median(row.get("f1_across") for row in group),
                "f1_within_median": _median(row.get("f1_within") for row in group),
                "range_holds": _mean(row.get("range_holds") for row in group),
                "near_ece_median": _median(row.get("near_ece") for row in group),
            }
        )
    return lines


def _median(values: Iterable[Any]) -> float | None:
    present = [float(value) for value in values if value is not None]
    return statistics.median(present) if present else None


def _mean(values: Iterable[Any]) -> float | None:
    present = [float(value) for value in values if value is not None]
    return statistics.fmean(present) if present else None


def show_report(
    laws: Sequence[Row], sets: Sequence[Row], families: Sequence[Row], console: Console
) -> None:
    """Print the tables of laws, of sets, and of the plain runs of each family."""
    table = Table("law", "figure", "sets", "runs", "median", "worst", "worst set", "floor", "met")
    for title in ("F1", "plain F1", "range holds", "width"):
        table.add_column(title)
    for line in laws:
        floor = "-" if line["floor"] is None else " / ".join(f"{x:g}" for x in line["floor"])
        met = {None: "-", True: "yes", False: "NO"}[line["met"]]
        keys = ("f1_median", "plain_f1_median", "range_holds", "range_width")
        table.add_row(
            *(line["law"], line["figure"], str(line["sets"]), str(line["runs"])),
            *(_format(line["median"]), _format(line["worst"]), line["worst_set"], floor, met),
            *(_format(line[key]) for key in keys),
        )
    console.print(table)
    table = Table("set", "records", "telling", "plain F1", "near ECE", "agreement", "worst", "law")
    for title in ("p < .5", "unblocked", "failed", "CPU s"):
        table.add_column(title)
    for line in sets:
        table.add_row(
            *(line["set"], f"{line['records'] or 0:.0f}", str(line["telling"])),
            *(_format(line[key]) for key in ("plain_f1", "near_ece", "agreement_median")),
            *(_format(line["agreement_worst"]), line["worst_law"] or "-"),
            *(_format(line["contradicted_worst"]), str(line["unblocked_worst"] or 0)),
            *(str(line["failed"]), f"{line['cpu_seconds']:.0f}"),
        )
    console.print(table)
    for line in families:
        figures = (f"{key} {value:.3g}" for key, value in line.items() if _is_number(value))
        console.print(f"plain, {line['family']}: {', '.join(figures)}")


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float)


def _format(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
