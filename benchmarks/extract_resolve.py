"""`python -m benchmarks.extract_resolve [--json]`: citations to papers, from text alone.

Fields of the citations of rexa1k are extracted by the ready schema `citation`, without labels, and
the citations are resolved to papers. The one-best pipeline resolves the columns of `extract`. The
joint run compares readings of each citation, drawn from the posterior, and reads each citation
again with the fields of the others in its first cluster.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.link import read_blocks
from benchmarks.measure import machine
from papers.samplerank.data import folder
from partita import extract, resolve
from partita.errors import InputError, PartitaError
from partita.metrics import pairwise
from partita.text.extraction.schema import load_schema

__all__ = ["main", "measure", "read_citations"]

SCHEMA = "citation"


class Citations(NamedTuple):
    """Citations as lines of text, and the paper of each."""

    lines: list[str]
    paper: list[str]


def read_citations(most: int | None = None) -> Citations:
    """Read the citations of rexa1k: all of them, or those of the first papers."""
    citations = Citations([], [])
    for paper, tokens, _ in read_blocks(folder("rexa1k", "citations.txt")):
        citations.paper.append(paper)
        citations.lines.append(" ".join(tokens))
    papers = set(list(dict.fromkeys(citations.paper))[:most])
    kept = [k for k, paper in enumerate(citations.paper) if paper in papers]
    return Citations([citations.lines[k] for k in kept], [citations.paper[k] for k in kept])


def measure(citations: Citations, seed: int) -> list[dict[str, Any]]:
    """Resolve the citations by three ways; return a row for each."""
    _, truth = np.unique(citations.paper, return_inverse=True)
    lines = [{"text": line} for line in citations.lines]
    rows: list[dict[str, Any]] = []

    def run(way: str, data: list[dict[str, Any]], **options: Any) -> Any:
        began = time.process_time()
        result = resolve(data, seed=seed, **options)
        score = pairwise(result.labels, truth)
        rows.append(
            {
                "way": way,
                "f1": score.f1,
                "precision": score.precision,
                "recall": score.recall,
                "entities": int(np.unique(result.labels).size),
                "cpu_seconds": time.process_time() - began,
            }
        )
        return result

    run("text", lines)
    run("joint", lines, extract=SCHEMA)
    fields = ("text", *load_schema(SCHEMA).fields)
    best = [{name: row[name] for name in fields} for row in extract(lines, SCHEMA).table()]
    run("one best", best, columns={"text": {"role": "block"}})
    return rows


def main(arguments: Sequence[str] | None = None) -> int:
    """Run all ways and print a table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.extract_resolve", description=__doc__
    )
    parser.add_argument("--json", action="store_true", help="end in one line of JSON")
    parser.add_argument("--papers", type=int, default=None, help="the first papers only")
    parser.add_argument("--seed", type=int, default=0, help="of the resolution (default 0)")
    options = parser.parse_args(arguments)
    try:
        if options.papers is not None and options.papers < 2:
            raise InputError(f"--papers is {options.papers}; give at least 2")
        citations = read_citations(options.papers)
        rows = measure(citations, options.seed)
    except PartitaError as error:
        print(f"python -m benchmarks.extract_resolve: {error}", file=sys.stderr)
        return 1
    table = Table(title=f"{len(citations.lines):,} citations of {len(set(citations.paper))} papers")
    for title in ("way", "pairwise F1", "precision", "recall", "entities", "CPU s"):
        table.add_column(title, justify="left" if title == "way" else "right")
    for row in rows:
        scores = (f"{row[name]:.4f}" for name in ("f1", "precision", "recall"))
        table.add_row(row["way"], *scores, f"{row['entities']:,}", f"{row['cpu_seconds']:.1f}")
    Console(stderr=options.json, width=110).print(table)
    by = {row["way"]: row["f1"] for row in rows}
    verdict = {"the joint run beats the best readings": by["joint"] > by["one best"]}
    print(*(f"{'yes' if holds else 'NO '}  {claim}" for claim, holds in verdict.items()))
    if options.json:
        print(json.dumps({"rows": rows, "claims": verdict, "machine": machine()}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
