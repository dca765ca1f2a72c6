"""`python -m papers.ads`: the claims of ADS on stand-in data; the paper's ads are private."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from papers.ads.experiments import SHARES, Row, run_addresses, run_posts
from papers.ads.projections import run_projections
from papers.command import add_options, run_experiment

PAPER = (
    ("dictionary", (0.454, 0.170, 0.136, 0.151, 0.162)),
    ("constraints, 14k ads", (0.596, 0.329, 0.265, 0.293, 0.313)),
    ("constraints, 42k ads", (0.629, 0.271, 0.297, 0.283, 0.276)),
    ("supervised on queries", (0.665, 0.286, 0.392, 0.331, 0.303)),
)
"""Table 1 of ADS, unweighted: accuracy, recall, precision, F1, F2."""
COLUMNS = ("accuracy", "recall", "precision", "F1", "F2")
SPLITS = 5
"""Random splits of the posts."""
MIN_REDUCTION = 0.6
"""Share of the dictionary's errors that constraints must remove; in the paper 0.32."""

TREE_CLAIM = "the tree raises the accuracy of every set of addresses"
TREE_SCORES = {"addresses test": "mean", "addresses us50_test": "weighted"}
"""The score by which the tree is judged on each set of addresses."""


def summarise(rows: Sequence[Row]) -> list[dict[str, object]]:
    """Average the scores of each method over its runs."""
    summary = []
    for data, method in dict.fromkeys((row.data, row.method) for row in rows):
        same = [row for row in rows if (row.data, row.method) == (data, method)]
        scores = np.array([row.scores for row in same])
        weighted = [row.weighted for row in same if row.weighted is not None]
        seconds = [row.seconds for row in same if row.seconds is not None]
        summary.append(
            {
                "data": data,
                "method": method,
                "runs": len(same),
                "mean": [round(float(value), 4) for value in scores.mean(0)],
                "deviation": [round(float(value), 4) for value in scores.std(0)],
                "weighted": [round(float(v), 4) for v in np.mean(weighted, 0)]
                if weighted
                else None,
                "cpu_seconds": round(float(np.mean(seconds)), 1) if seconds else None,
            }
        )
    return summary


def judge(summary: list[dict[str, object]]) -> dict[str, bool]:
    """Return which claims of the paper hold on the posts and the addresses."""
    means = {(row["data"], row["method"]): row["mean"] for row in summary}
    accuracy = {
        method: values[0]  # type: ignore[index]
        for (data, method), values in means.items()
        if data == "posts"
    }
    shares = [accuracy[f"constraints, {share:.0%} of the posts"] for share in SHARES]
    error = 1 - accuracy["dictionary"]
    claims = {
        "constraints remove most errors of the dictionary": (shares[-1] - accuracy["dictionary"])
        >= MIN_REDUCTION * error,
        "more unlabelled posts raise accuracy": shares[0] < shares[1] < shares[2],
        "constraints beat the vote of the same rules": shares[-1]
        > accuracy["majority vote of the rules"],
    }
    pairs = compare_trees(summary)
    if pairs:
        claims[TREE_CLAIM] = all(tree > flat for _, tree, flat in pairs)
    return {name: bool(holds) for name, holds in claims.items()}


def compare_trees(summary: list[dict[str, object]]) -> list[tuple[str, float, float]]:
    """Return name, score with the tree and score of flat fields of each set of addresses.

    us50 has the labels of parents, so its score is the one with partial credit.
    """
    rows = {(row["data"], row["method"]): row for row in summary}
    pairs = []
    for data, column in TREE_SCORES.items():
        tree, flat = (rows.get((data, f"constraints, {kind}")) for kind in ("tree", "flat"))
        if tree and flat:
            name = data if column == "mean" else f"{data}, partial credit"
            pairs.append((name, tree[column][0], flat[column][0]))  # type: ignore[index]
    return pairs


def show_claims(
    console: Console, claims: dict[str, bool], trees: list[tuple[str, float, float]]
) -> None:
    """Print whether each claim holds; the claim about the tree has its figures."""
    figures = "; ".join(f"{name}: {tree:.3f} tree, {flat:.3f} flat" for name, tree, flat in trees)
    for claim, holds in claims.items():
        detail = f" ({figures})" if claim == TREE_CLAIM else ""
        console.print(f"{'yes' if holds else 'no ':3}  {claim}{detail}", highlight=False)


def show(console: Console, summary: list[dict[str, object]]) -> None:
    """Print the table of each data set, with the paper's table first."""
    table = Table("Table 1 of the paper (private ads)", *COLUMNS)
    for method, values in PAPER:
        table.add_row(method, *(f"{value:.3f}" for value in values))
    console.print(table)
    for data in dict.fromkeys(row["data"] for row in summary):
        table = Table(str(data), *COLUMNS, "weighted accuracy", "CPU s")
        for row in summary:
            if row["data"] == data:
                cells = zip(row["mean"], row["deviation"], strict=True)  # type: ignore[call-overload]
                weighted = row["weighted"]
                table.add_row(
                    str(row["method"]),
                    *(f"{mean:.3f} ± {deviation:.3f}" for mean, deviation in cells),
                    f"{weighted[0]:.3f}" if weighted else "",  # type: ignore[index]
                    "" if row["cpu_seconds"] is None else f"{row['cpu_seconds']}",
                )
        console.print(table)


def run_claims(options: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Run the experiments and print their tables and the claims."""
    splits = 1 if options.quick else SPLITS
    rows = [*run_posts(splits, options.seed), *run_projections(splits, options.seed)]
    rows += [] if options.quick else list(run_addresses())
    summary = summarise(rows)
    claims = judge(summary)
    show(console, summary)
    console.print("The ads of the paper are private: the tables test its claims on other data.")
    show_claims(console, claims, compare_trees(summary))
    return {"experiment": "claims", "rows": summary, "claims": claims}


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse the command line and run the experiments."""
    parser = argparse.ArgumentParser(prog="python -m papers.ads", description=__doc__)
    add_options(parser, quick="one split of the posts, no addresses", seed="the splits")
    return run_experiment(parser, arguments, run_claims)


if __name__ == "__main__":
    sys.exit(main())
