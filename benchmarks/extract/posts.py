"""Hotel posts without labels, beside skweak on the same rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.extract.running import list_firings, run_peer
from papers.ads.data import post_schema, read_posts, split_posts
from papers.ads.experiments import number_labels
from partita.metrics import FieldScores, score_fields
from partita.text.extraction.rules import compile_rules
from partita.text.extraction.tokens import Tokens
from partita.text.extraction.trainer import fit_segments

__all__ = ["PEERS", "compare_posts", "show_posts"]

PEERS = ("skweak vote", "skweak HMM")
"""Other tools that learn from rules."""


def compare_posts(splits: int, tools: Sequence[str]) -> list[dict[str, Any]]:
    """Return the mean scores of each tool over all splits, or the reason for none."""
    schema, posts = post_schema(), read_posts()
    places = {label: k for k, label in enumerate(schema.labels)}
    other = places[schema.other or ""]
    truths, requests, scores = [], [], []
    for split in range(splits):
        train, test = split_posts(posts, split)
        known = compile_rules(schema, Tokens.from_words(train.words))
        rules = compile_rules(schema, Tokens.from_words(test.words))
        truths.append(number_labels(schema, test))
        guess = fit_segments(known).posterior(rules).label
        scores.append(score_fields(truths[-1], guess, other))
        requests.append(
            {
                "train": list(zip(train.words, train.labels, strict=True)),
                "test": {"test": test.words},
                "labels": list(schema.labels),
                "firings": {"train": list_firings(known), "test": list_firings(rules)},
            }
        )
    rows = [_average("partita", scores)]
    for tool in PEERS:
        answers = run_peer(tool, requests) if tool in tools else "not run"
        if isinstance(answers, str):
            rows.append({"tool": tool, "status": answers})
            continue
        guesses = [np.array([places[label] for label in answer["test"]]) for answer in answers]
        pairs = zip(truths, guesses, strict=True)
        rows.append(_average(tool, [score_fields(truth, guess, other) for truth, guess in pairs]))
    return rows


def _average(tool: str, scores: Sequence[FieldScores]) -> dict[str, Any]:
    mean = FieldScores(*np.mean(scores, 0).tolist())
    return {"tool": tool, "status": "ok", "splits": len(scores), **mean._asdict()}


def show_posts(console: Console, rows: Sequence[dict[str, Any]]) -> None:
    """Print the mean scores of each tool."""
    names = ("accuracy", "recall", "precision", "f1")
    table = Table("hotel posts, no labels", *names)
    for row in rows:
        values = [f"{row[name]:.3f}" if name in row else row["status"] for name in names]
        table.add_row(row["tool"], *values)
    console.print(table)
