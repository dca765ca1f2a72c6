"""Tables of KBALIGN beside ours, which are of other data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table

__all__ = ["TARGETS", "show_links", "show_task"]

PAPER_TABLE_2 = {
    "wiki-linking": (24.30, 41.10, 58.47, 70.81),
    "baseline": (55.14, 77.05, 75.49, 81.12),
    "static": (54.61, 76.18, 75.44, 81.66),
    "dynamic": (57.23, 78.01, 76.46, 82.21),
}
"""F1 on ACE 2004: pairwise, MUC, CEAF-m, B3."""
PAPER_TABLE_3 = {
    "baseline": (82.50, 79.77),
    "static": (83.06, 80.25),
    "dynamic": (83.32, 81.13),
}
"""B3 on ACE 2004: other documents, transcripts."""
PAPER_FIGURE_2 = {10: 83.08, 33: 79.29, 40: 79.64, 50: 79.77}
"""B3 of the baseline on the largest documents of ACE 2004, in percent of all."""
TITLES = {
    "aida": "AIDA-CoNLL testb, names with an article; a stand-in for ACE 2004",
    "gum": "GUM test, all gold mentions; a stand-in for ACE 2004",
}
METRICS = {"pairwise": "pairwise", "muc": "MUC", "ceaf_m": "CEAF-m", "bcubed": "B3"}
TARGETS = {
    "aida": "targets: baseline 97.5, collapsed 98.6 B3",
    "gum": "targets: collapsed +0.3 B3 against the baseline, +1.0 on named entities",
    "links": "targets: 85 in the base from priors and joint inference, ECE at most .03",
}
STEP = 0.25
"""Points of B3 per character of the plot."""


def show_task(console: Console, name: str, result: Mapping[str, Any]) -> None:
    """Print Tables 2 and 3, named entities, and the plot by document size."""
    title = f"Table 2 on {TITLES[name]}: P/R/F1 (paper's F1 on ACE 2004)"
    table = Table("system", *METRICS.values(), title=title)
    for system, scores in result["table_2"].items():
        paper = PAPER_TABLE_2.get(system)
        cells = []
        for k, metric in enumerate(METRICS):
            beside = f" ({paper[k]:.2f})" if paper else ""
            cells.append("/".join(f"{value:.2f}" for value in scores[metric]) + beside)
        table.add_row(system, *cells)
    console.print(table)
    _show_parts(console, result)
    _show_sizes(console, result["figure_2"])
    console.print(
        f"{result['documents']} documents, {result['mentions']:,} mentions; weights beside the "
        f"antecedents: link {result['weights']['link']:.2f}, entity "
        f"{result['weights']['entity']:.2f}, chosen on the development part; "
        f"{TARGETS[name]}",
        highlight=False,
    )


def _show_parts(console: Console, result: Mapping[str, Any]) -> None:
    """Print B3 on entities that the base names, and on written texts and transcripts."""
    columns = {"named entities": result["named"]}
    if "table_3" in result:
        columns |= {f"Table 3, {name}": part for name, part in result["table_3"].items()}
    table = Table("B3 F1", *columns)
    for system in result["table_2"]:
        paper = dict(
            zip(
                ("Table 3, written", "Table 3, transcripts"),
                PAPER_TABLE_3.get(system, ()),
                strict=False,
            )
        )
        cells = [
            f"{part[system]:.2f}" + (f" ({paper[name]:.2f})" if name in paper else "")
            for name, part in columns.items()
        ]
        table.add_row(system, *cells)
    console.print(table)


def _show_sizes(console: Console, sizes: Mapping[int, Mapping[str, float]]) -> None:
    """Plot the gain of each system over the baseline on the largest documents (Figure 2)."""
    console.print("Figure 2: B3 above the baseline on the largest documents", highlight=False)
    for share, scores in sizes.items():
        base = scores["baseline"]
        console.print(
            f"  largest {share} %: baseline {base:.2f} (paper {PAPER_FIGURE_2[share]:.2f})",
            highlight=False,
        )
        for system, value in scores.items():
            if system not in ("baseline", "wiki-linking"):
                mark = "+" if value >= base else "-"
                bar = mark * round(abs(value - base) / STEP)
                console.print(f"    {system:12} {value - base:+.2f} {bar}", highlight=False)


def show_links(console: Console, result: Mapping[str, Any]) -> None:
    """Print the accuracy and calibration of links."""
    title = f"AIDA-CoNLL testb, links of {result['linked']:,} names and {result['nil']:,} NIL"
    heads = ("among candidates", "with NIL chosen", "all with NIL", "NIL F1", "ECE")
    table = Table("links", *heads, title=title)
    for name in ("priors", "context"):
        for way in ("alone", "joint"):
            row = result[name][way]
            shares = [f"{100 * row[key]:.1f}" for key in ("in_base", "micro", "with_nil")]
            table.add_row(f"{name}, {way}", *shares, f"{row['nil_f1']:.3f}", f"{row['ece']:.3f}")
    console.print(table)
    console.print(
        "Published on the same task, among candidates: AIDA 82.3, PPRforNED 91.8, Ganea and "
        f"Hofmann 92.2, Mulang 94.9. {TARGETS['links']}",
        highlight=False,
    )
