"""`python -m benchmarks.extract.bft`: hotel posts without labels, beside skweak on the same rules.

Both learn from the unlabelled part of each split and are scored on its test part. With --json the
last line is one JSON object. PARTITA_PEERS_PYTHON names the Python of skweak.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.extract.__main__ import list_firings, run_peer
from papers.ads.data import post_schema, read_posts, split_posts
from papers.ads.experiments import number_labels
from partita.errors import PartitaError
from partita.metrics import FieldScores, score_fields
from partita.text.extraction.rules import compile_rules
from partita.text.extraction.tokens import Tokens
from partita.text.extraction.trainer import fit_segments

__all__ = ["compare_posts", "main"]

PEERS = ("skweak vote", "skweak HMM")


def compare_posts(
    splits: int, tools: Sequence[str]
) -> Iterator[tuple[str, int, FieldScores | str]]:
    """Yield tool, split and scores, or the reason for none."""
    schema, posts = post_schema(), read_posts()
    places = {label: k for k, label in enumerate(schema.labels)}
    other = places[schema.other or ""]
    for split in range(splits):
        train, test = split_posts(posts, split)
        known = compile_rules(schema, Tokens.from_words(train.words))
        rules = compile_rules(schema, Tokens.from_words(test.words))
        truth = number_labels(schema, test)
        guess = fit_segments(known).posterior(rules).label
        yield "partita", split, score_fields(truth, guess, other)
        request = {
            "train": list(zip(train.words, train.labels, strict=True)),
            "test": {"test": test.words},
            "labels": list(schema.labels),
            "firings": {"train": list_firings(known), "test": list_firings(rules)},
        }
        for tool in tools:
            answer = run_peer(tool, request)
            if isinstance(answer, str):
                yield tool, split, answer
            else:
                codes = np.array([places[label] for label in answer["test"]])
                yield tool, split, score_fields(truth, codes, other)


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse the command line and run all splits."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.extract.bft", description=__doc__)
    parser.add_argument("--json", action="store_true", help="end with the rows as one JSON line")
    parser.add_argument("--splits", type=int, default=5, help="random splits (default 5)")
    options = parser.parse_args(arguments)
    try:
        rows = list(compare_posts(options.splits, PEERS))
    except PartitaError as error:
        print(f"python -m benchmarks.extract.bft: {error}", file=sys.stderr)
        return 1
    table = Table("tool, no labels", "accuracy", "recall", "precision", "F1")
    listed = []
    for tool in dict.fromkeys(row[0] for row in rows):
        scores = [row[2] for row in rows if row[0] == tool]
        values = [score for score in scores if not isinstance(score, str)]
        if values:
            means = np.mean(values, 0)
            table.add_row(tool, *(f"{value:.3f}" for value in means[:4]))
            listed.append({"tool": tool, "splits": len(values), "mean": means.round(4).tolist()})
        else:
            table.add_row(tool, str(scores[0]))
            listed.append({"tool": tool, "status": scores[0]})
    Console().print(table)
    if options.json:
        print(json.dumps({"benchmark": "bft", "rows": listed}, allow_nan=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
