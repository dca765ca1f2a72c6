"""Tables of LOGIC and of the real sets, beside the targets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rich.console import Console
from rich.table import Table

from papers.logic import toy
from papers.logic.graphs import PAPER

__all__ = ["SHOWN"]

TARGETS = {"S1": 0.99, "S2": 0.99, "S3": 0.98, "kinship": 0.88, "wn18": 0.90, "ece": 0.05}


def show_toy(console: Console, scores: dict[str, Any]) -> None:
    """Print the paper's Table 1 beside ours for the seed of the smallest training loss."""
    for form in ("tensor", "sigmoid"):
        row = scores[form]
        title = f"Table 1, {form} form, seed {row['best_seed']} of {row['seeds']}: paper | ours"
        table = Table("pair", *toy.RELATIONS, title=f"{title}, with rules")
        for pair, paper, ours in zip(toy.PAIRS, toy.PAPER["rules"], row["best_rules"], strict=True):
            cells = (f"{a:.2f} | {b:.2f}" for a, b in zip(paper, ours, strict=True))
            table.add_row(pair, *cells)
        console.print(table)
        console.print(
            f"{form}: all seven test cells right in {row['all_right_rules']:.0%} of seeds with "
            f"rules, {row['all_right_facts']:.0%} without (target of the sigmoid form: 90%); "
            f"largest rise of a false cell {row['largest_rise_of_a_false_cell']:+.3f} (target: .1)",
            highlight=False,
        )
        for name, (facts, rules) in row["cells"].items():
            console.print(f"  {name}: {facts:.2f} without, {rules:.2f} with", highlight=False)


def show_countries(console: Console, scores: dict[str, Any]) -> None:
    """Print AUC-PR by level."""
    table = Table("level", title="Countries, AUC-PR")
    for head in ("without", "with rules", "target", "others"):
        table.add_column(head, justify="right")
    for level in ("S1", "S2", "S3"):
        means = [scores[f"{level} {title}"]["mean"] for title in ("without", "with rules")]
        row = (f"{mean:.3f}" for mean in means)
        table.add_row(level, *row, f"{TARGETS[level]:.2f}", PAPER[level])
    console.print(table)


def show_ranks(name: str, target: float | None) -> Callable[[Console, dict[str, Any]], None]:
    """Return a function that prints ranks and the calibration of the joint posterior."""

    def show(console: Console, scores: dict[str, Any]) -> None:
        table = Table(name)
        for head in ("MRR", "hits@1", "hits@3", "hits@10"):
            table.add_column(head, justify="right")
        for title in ("without", "with_rules"):
            row = scores[title]
            keys = ("mrr", "hits_1", "hits_3", "hits_10")
            table.add_row(title.replace("_", " "), *(f"{row[key]:.3f}" for key in keys))
        console.print(table)
        joint = scores["posterior"]
        console.print(
            f"{name}: target of MRR {'-' if target is None else target}; joint posterior of "
            f"{joint['facts']:,} facts, {joint['true']:,} true: ECE {joint['ece']:.3f} "
            "(target .05), "
            f"average precision {joint['average_precision']:.3f}, without the rules' factors "
            f"{joint['average_precision_embedding']:.3f}",
            highlight=False,
        )

    return show


def show_nyt(console: Console, scores: dict[str, Any]) -> None:
    """Print weighted MAP of earlier systems and of ours."""
    title = f"NYT, {scores['facts']:,} judged facts, {scores['true']:,} true: weighted MAP"
    table = Table("system", "weighted MAP", title=title)
    for name, value in scores["weighted_map"].items():
        table.add_row(name, f"{value:.3f}")
    console.print(table)
    console.print(
        "Transductive, on the patterns of the test pairs; no label of any relation. Target: above "
        "mintz09 and yao11.",
        highlight=False,
    )


SHOWN: dict[str, Callable[[Console, dict[str, Any]], None]] = {
    "toy": show_toy,
    "countries": show_countries,
    "nations": show_ranks("nations", None),
    "nyt": show_nyt,
    "kinship": show_ranks("kinship", TARGETS["kinship"]),
    "wn18": show_ranks("WN18, test-II", TARGETS["wn18"]),
}
