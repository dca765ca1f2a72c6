"""Train the pretrained prior of readings.

    python -m benchmarks.prior --out prior.json          all open sets and generated files
    python -m benchmarks.prior --leave-out FOLDER        one prior a domain, trained without it

The panel (`python -m benchmarks.panel --priors FOLDER`) loads the prior that has not seen a set's
domain. Features are read once and kept in memory: about 15 CPU minutes in all.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.prior.pairs import LabelledPairs, list_files, read_pairs
from benchmarks.prior.train import train_prior
from partita.io import write_text

__all__ = ["main"]


def _read_all(names: Sequence[str]) -> dict[str, LabelledPairs]:
    tasks = {}
    for name in names:
        tasks[name] = read_pairs(name)
        pairs = tasks[name]
        print(f"{name}: {pairs.match.size:,} pairs, {pairs.match.sum():,} match", file=sys.stderr)
    return tasks


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.prior", description=__doc__)
    parser.add_argument("--out", type=Path, help="file of the prior trained on everything")
    parser.add_argument("--leave-out", type=Path, help="folder of one prior for each domain")
    parser.add_argument("--json", action="store_true", help="print one JSON object as last line")
    options = parser.parse_args(arguments)
    if options.out is None and options.leave_out is None:
        parser.error("give --out, --leave-out or both")
    return options


def main(arguments: Sequence[str] | None = None) -> None:
    """Train the priors and write them."""
    options = _arguments(arguments)
    begin = time.process_time()
    dedupe, link = list_files(linked=False), list_files(linked=True)
    pairs = _read_all(list(dict.fromkeys([*dedupe, *link])))
    written: dict[str, Any] = {}
    targets = [] if options.out is None else [("", options.out)]
    if options.leave_out is not None:
        options.leave_out.mkdir(parents=True, exist_ok=True)
        domains = dict.fromkeys(task.domain for task in pairs.values())
        targets += [(name, options.leave_out / f"{name}.json") for name in [*domains, "authors"]]
    for domain, path in targets:
        tasks = [[pairs[n] for n in names if pairs[n].domain != domain] for names in (dedupe, link)]
        text = json.dumps(train_prior(*tasks), separators=(",", ":"))
        write_text(path, text)
        written[path.name] = len(text)
        print(f"{path}: {len(text):,} bytes", file=sys.stderr)
    if options.json:
        seconds = time.process_time() - begin
        print(json.dumps({"files": len(pairs), "bytes": written, "cpu_seconds": seconds}))


if __name__ == "__main__":
    main()
