"""`python -m benchmarks.extract`: extraction beside other tools, and its speed.

Addresses without labels: the rules of the ready schema `us_address`, without its examples, learn
from the texts of the training part; test and us50 are scored. us50 is labelled at the top of the
tree (one label for the whole street), so that a tool that labels each part of a street rightly has
half the credit for the parts. The row `right at every leaf` has the scores of a tool without an
error; the parts of streets are those of usaddress. `top` rolls the labels of all tools up to the
top, as `partita extract --level 1` does.

Hotel posts without labels: Partita and skweak have the same rules, learn from the unlabelled part
of each split and are scored on its test part. The estimated rates of rules are compared with their
rates by labels. PARTITA_PEERS_PYTHON names the Python of the other tools (default: this Python),
PARTITA_DATA the folder of the data sets. With
--json the last line is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.extract.addresses import (
    FIELDS,
    Address,
    Scores,
    read_addresses,
    refine_truth,
    score_labels,
)
from benchmarks.extract.posts import compare_posts, show_posts
from benchmarks.extract.rates import RateScores, compare_rates
from benchmarks.extract.running import list_firings, run_peer
from benchmarks.measure import machine
from partita.errors import PartitaError
from partita.text.extraction.rules import Rules, compile_rules
from partita.text.extraction.schema import Schema, load_schema
from partita.text.extraction.semi_markov import Lattice, sum_segments
from partita.text.extraction.tokens import Tokens
from partita.text.extraction.trainer import TrainingSettings, fit_segments

__all__ = ["compare_addresses", "main", "time_pass"]

PARTS = ("test", "us50_test")
PEERS = ("python-crfsuite", "usaddress", "skweak vote", "skweak HMM")
LABELS_OF = {
    "python-crfsuite": "1,513 labelled addresses",
    "usaddress": "its own labelled addresses",
    "skweak vote": "none",
    "skweak HMM": "none",
}
LEAF_TOOL = "usaddress"
"""The tool that names the parts of streets where the truth does not."""
LEAF_ROW = "right at every leaf"
"""The row of a tool without an error at the leaves of the tree."""
BLOCK_LINES = 1000
"""Lines in memory at a time in the speed test."""


def compile_part(schema: Schema, addresses: Sequence[Address]) -> Rules:
    """Compile the rules against the tokens of addresses."""
    return compile_rules(schema, Tokens.from_words([address.words for address in addresses]))


def compare_addresses(every: int, tools: Sequence[str]) -> list[dict[str, Any]]:
    """Score Partita with and without the tree, and other tools, on both test parts."""
    schema = replace(load_schema("us_address"), examples=())
    train = read_addresses("train")[::every]
    parts = {name: read_addresses(name) for name in PARTS}
    rules = compile_part(schema, train)
    compiled = {name: compile_part(schema, part) for name, part in parts.items()}
    rows = []
    for title, tree in (("partita, tree", True), ("partita, flat", False)):
        began = time.process_time()
        model = fit_segments(rules, None, TrainingSettings(tree=tree))
        labels = {
            name: [schema.labels[code] for code in model.posterior(part).label]
            for name, part in compiled.items()
        }
        seconds = time.process_time() - began
        rows.append(_score(title, "none", labels, parts) | {"cpu": seconds})
    request = _describe_request(train, parts, rules, compiled)
    for tool in tools:
        answers = run_peer(tool, [request])
        if isinstance(answers, str):
            rows.append({"tool": tool, "labels": LABELS_OF[tool], "status": answers})
            continue
        rows.append(_score(tool, LABELS_OF[tool], answers[0], parts))
        if tool == LEAF_TOOL:
            leaves = {
                name: refine_truth(_list_fields(part), answers[0][name])
                for name, part in parts.items()
            }
            rows.append(_score(LEAF_ROW, f"truth, parts by {tool}", leaves, parts))
    return rows


def _list_fields(addresses: Sequence[Address]) -> list[str]:
    return [field for address in addresses for field in address.fields]


def _score(
    title: str,
    taught: str,
    labels: dict[str, list[str]],
    parts: dict[str, list[Address]],
) -> dict[str, Any]:
    row: dict[str, Any] = {"tool": title, "labels": taught, "status": "ok"}
    for name, part in parts.items():
        scores = score_labels(_list_fields(part), labels[name])
        row |= {f"{name} {kind}": value for kind, value in scores._asdict().items()}
    return row


def _describe_request(
    train: Sequence[Address],
    parts: dict[str, list[Address]],
    rules: Rules,
    compiled: dict[str, Rules],
) -> dict[str, Any]:
    fired = set(rules.firings.rule.tolist())  # skweak fails at a rule without a case in training
    firings = {
        name: [firing for firing in list_firings(part) if firing[0] in fired]
        for name, part in {"train": rules, **compiled}.items()
    }
    return {
        "train": train,
        "test": {name: [address.words for address in part] for name, part in parts.items()},
        "names": FIELDS,
        "labels": list(rules.schema.fields),
        "firings": firings,
    }


def time_pass(lines: int, tokens: int, labels: int, lengths: int) -> float:
    """Return the CPU seconds of one pass of exact sums over lines, without compilation."""
    rng = np.random.default_rng(0)
    steps = rng.normal(size=(labels + 1, labels))
    scores = rng.normal(size=(BLOCK_LINES * tokens, lengths, labels))
    block = Lattice(np.arange(BLOCK_LINES + 1) * tokens, scores, steps)
    sum_segments(block)  # compiles
    began = time.process_time()
    for _ in range(max(1, lines // BLOCK_LINES)):
        sum_segments(block)
    return time.process_time() - began


def describe_limit(rows: Sequence[dict[str, Any]]) -> str:
    """Return a sentence about the highest weighted score of labels at the leaves on us50."""
    by_tool = {row["tool"]: row for row in rows}
    if LEAF_ROW not in by_tool:
        return f"The highest score at the leaves needs {LEAF_TOOL}."
    limit = by_tool[LEAF_ROW]["us50_test weighted"]
    at_top = ", ".join(
        f"{tool} {by_tool[tool]['us50_test top']:.3f}" for tool in ("partita, tree", LEAF_TOOL)
    )
    return (
        f"us50 has one label for a whole street: a tool that labels every part of a street rightly "
        f"has {limit:.3f} weighted. At the level of its labels (top): {at_top}."
    )


def show(
    console: Console,
    rows: Sequence[dict[str, Any]],
    posts: Sequence[dict[str, Any]],
    rates: Sequence[RateScores],
    speed: dict[str, float],
) -> None:
    """Print all tables."""
    table = Table(title="Addresses: token accuracy", title_justify="left")
    columns = [f"{name} {kind}" for name in PARTS for kind in Scores._fields]
    for title in ("tool", "labels", *columns):
        table.add_column(title)
    for row in rows:
        values = [f"{row[name]:.3f}" if name in row else row["status"] for name in columns]
        table.add_row(row["tool"], row["labels"], *values)
    console.print(table)
    console.print(describe_limit(rows), soft_wrap=True)
    show_posts(console, posts)
    table = Table("rates of rules", "rules", "mean error", "bias", "rank correlation")
    for scores in rates:
        figures = f"{scores.error:.3f}", f"{scores.bias:+.3f}", f"{scores.correlation:.2f}"
        table.add_row(scores.data, str(scores.rules), *figures)
    console.print(table)
    for title, seconds in speed.items():
        console.print(f"{title}: {seconds:.1f} s of one core")


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse the command line and run the benchmark."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.extract", description=__doc__)
    parser.add_argument("--json", action="store_true", help="end with one JSON line")
    parser.add_argument("--every", type=int, default=1, help="learn from every n-th address")
    parser.add_argument("--tools", default=",".join(PEERS), help="other tools, or nothing")
    parser.add_argument("--splits", type=int, default=5, help="random splits of the hotel posts")
    parser.add_argument("--lines", type=int, default=10_000, help="lines of the speed test")
    options = parser.parse_args(arguments)
    console = Console(width=None if sys.stdout.isatty() else 140)
    try:
        tools = [name for name in options.tools.split(",") if name]
        rows = compare_addresses(options.every, tools)
        posts = compare_posts(options.splits, tools)
        rates = list(compare_rates())
    except PartitaError as error:
        print(f"python -m benchmarks.extract: {error}", file=sys.stderr)
        return 1
    speed = {
        f"one pass over {options.lines:,} lines of 14 tokens, {labels} labels": time_pass(
            options.lines, 14, labels, 6
        )
        for labels in (4, 45)
    }
    show(console, rows, posts, rates, speed)
    if options.json:
        listed = [scores._asdict() for scores in rates]
        summary = {"addresses": rows, "posts": posts, "rates": listed, "speed": speed}
        print(json.dumps(summary | {"machine": machine()}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
