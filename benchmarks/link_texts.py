"""Links of one column of text, read by words and by other readings, on sets with clusters.

    python -m benchmarks.link_texts [--sets games,abt_buy] [--json]

One record of each cluster is the reference, for four fifths of the clusters; the other records are
the rows, and those of the other clusters have no link. The readings em and pooled compare groups
of words by their similarity.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow.csv as csv

from benchmarks.link import LinkTask, measure_partita
from benchmarks.peers.sets import DATA

__all__ = ["TEXTS", "load_texts", "main"]

TEXTS = {
    "games": "text",
    "animals": "text",
    "business_names": "text",
    "abt_buy": "name",
    "patstat_leuven": "person_name",
    "chicago_early_childhood": "Site name",
    "dblp_acm": "title",
    "amazon_google": "title",
    "musicbrainz_entity_embed": "title",
    "cora_hpi_1879": "text",
}
"""The column of text of each set."""
READINGS = ("words", "em", "pooled")
KNOWN = 0.8
"""Share of the clusters with a record in the reference."""
MAX_CLUSTERS = 1_000
"""Clusters of at least two records that are used, at most, to bound the time."""
SEED = 0


def load_texts(folder: Path, column: str) -> LinkTask:
    """The texts of clusters: a reference of one record each, and the other records as rows."""
    table = csv.read_csv(folder / "records.csv")
    texts, entity = (table.column(name).to_pylist() for name in (column, "entity"))
    clusters: dict[str, list[str]] = {}
    for text, name in zip(texts, entity, strict=True):
        if text is not None and str(text).strip():
            clusters.setdefault(str(name), []).append(str(text))
    random = np.random.default_rng(SEED)
    names = sorted(name for name, members in clusters.items() if len(members) > 1)
    rows, reference, truth = [], [], []
    for place in random.permutation(len(names))[:MAX_CLUSTERS]:
        name, members = names[place], clusters[names[place]]
        first, is_known = int(random.integers(len(members))), random.random() < KNOWN
        if is_known:
            reference.append({"id": name, "text": members[first]})
        rows += [{"text": text} for k, text in enumerate(members) if k != first]
        truth += [name if is_known else None] * (len(members) - 1)
    return LinkTask(rows, reference, truth)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print accuracy and calibration error of each reading, and with --json one object."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.link_texts", description=__doc__)
    parser.add_argument("--sets", default=",".join(TEXTS), help="names, separated by commas")
    parser.add_argument("--json", action="store_true", help="print one JSON object as last line")
    options, listed = parser.parse_args(arguments), []
    print("set                        rows reference  reading   acc.    ECE   CPU s")
    for name in filter(None, options.sets.split(",")):
        if not (DATA / name).is_dir():
            print(f"{DATA / name} is not there; {name} is skipped", file=sys.stderr)
            continue
        task = load_texts(DATA / name, TEXTS[name])
        for reading in READINGS:
            row = measure_partita(task, reading)
            listed.append({"set": name, "reading": reading, **row})
            print(
                f"{name:<24} {len(task.rows):>6,} {len(task.reference):>9,}  {reading:<8} "
                f"{row['accuracy']:.3f}  {row['ece']:.3f} {row['cpu_seconds']:>7.1f}",
                flush=True,
            )
    if options.json:
        print(json.dumps({"rows": listed}))


if __name__ == "__main__":
    main()
