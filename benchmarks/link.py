"""Links of rows to a reference, with NIL: Partita beside rapidfuzz, nomenklatura, csv-reconcile.

    python -m benchmarks.link [--sets bft_text,bft,rexa1k] [--people N] [--json]

bft: hotel posts and 132 hotels, of which 97 posts have none. rexa1k: citations and 1,000 records.
Both use the labelled fields of the texts, once by the reading that `link` chooses and once by
words; bft_text has the whole posts in one column. people: generated rows against a generated
master. The peers get the text of all fields; their threshold for NIL is the best one for the
truth, which favours them. A set or a peer that is not installed is skipped with a message.
nomenklatura needs an older DuckDB than the other peers, and csv-reconcile an older normality than
nomenklatura, so that constraints-peers-link.txt and constraints-peers-csv.txt pin them for virtual
environments of their own.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from benchmarks.measure import Stopwatch, machine
from benchmarks.peers.sets import DATA
from partita import link
from partita.kernel import Floats
from partita.metrics import calibration
from partita.synthetic import people

__all__ = ["LinkTask", "load_people", "main", "measure_partita", "measure_rapidfuzz", "read_blocks"]

REXA_FIELDS = ("author", "title", "booktitle", "journal", "date", "pages")
"""Fields of a citation that records have."""
SEED = 3
RECORDS_GENERATED = 2.6
"""Generated records per row: 54 % are the first of their person, of which 80 % form the master."""
TARGETS = {"bft": 0.93, "bft_text": 0.93, "rexa1k": 0.97}
"""Accuracy with NIL that the project aims at."""
HEADER = (
    "set           rows reference  tool          acc.   target  NIL F1    ECE    CPU s   wall s"
    "     GB"
)
Row = dict[str, Any]


class LinkTask(NamedTuple):
    """Rows, a reference, and the id of each row's record; None for NIL."""

    rows: Any
    reference: Any
    truth: list[str | None]


def _join_fields(tokens: Sequence[str], tags: Sequence[str]) -> Row:
    """The text of each field of a tagged line."""
    fields: dict[str, list[str]] = {}
    for token, tag in zip(tokens, tags, strict=True):
        if tag != "O":
            fields.setdefault(tag[2:], []).append(token)
    return {name: " ".join(words) for name, words in fields.items()}


def _fill(rows: list[Row]) -> list[Row]:
    """Rows that all have the same columns."""
    names = dict.fromkeys(name for row in rows for name in row)
    return [{name: row.get(name) for name in names} for row in rows]


def load_bft(folder: Path) -> LinkTask:
    """Hotel posts and the table of hotels."""
    records, texts = (
        [json.loads(line) for line in (folder / name).read_text("utf-8").splitlines()]
        for name in ("records.jsonl", "texts.jsonl")
    )
    reference = [
        {"id": record["cluster"], **_join_fields(record["tokens"], record["tags"])}
        for record in records
    ]
    known = {row["id"] for row in reference}
    truth = [record["cluster"] if record["cluster"] in known else None for record in texts]
    rows = [_join_fields(record["tokens"], record["tags"]) for record in texts]
    return LinkTask(_fill(rows), _fill(reference), truth)


def load_bft_text(folder: Path) -> LinkTask:
    """Whole hotel posts, without labels of their fields, and the table of hotels as texts."""
    task = load_bft(folder)
    posts = (folder / "texts.jsonl").read_text("utf-8").splitlines()
    rows = [{"text": " ".join(json.loads(post)["tokens"])} for post in posts]
    texts = _texts(task.reference)
    reference = [
        {"id": row["id"], "text": text} for row, text in zip(task.reference, texts, strict=True)
    ]
    return LinkTask(rows, reference, task.truth)


def load_rexa(folder: Path) -> LinkTask:
    """Citations and the records of the papers they cite."""
    reference = [{"id": id, **fields} for id, fields in _read_fields(folder / "records.txt")]
    known = {row["id"] for row in reference}
    citations = list(_read_fields(folder / "citations.txt"))
    truth = [id if id in known else None for id, _ in citations]
    return LinkTask(_fill([fields for _, fields in citations]), _fill(reference), truth)


def read_blocks(path: Path) -> Iterator[tuple[str, list[str], list[str]]]:
    """Read the id, tokens and tags of each block of a file of rexa1k: one line each."""
    for block in path.read_text("utf-8").strip().split("\n\n"):
        id, tokens, tags = block.split("\n")[:3]
        yield id, tokens.split("\t"), tags.split("\t")


def _read_fields(path: Path) -> Iterator[tuple[str, Row]]:
    """Read the id of each block and those of its fields that records have."""
    for id, tokens, tags in read_blocks(path):
        fields = _join_fields(tokens, tags)
        yield id, {name: text for name, text in fields.items() if name in REXA_FIELDS}


def load_people(records: int) -> LinkTask:
    """A master of generated people, and as many further records; the master lacks some people."""
    table = people(int(RECORDS_GENERATED * records), seed=SEED).table()
    entity = table.column("entity").to_numpy()
    _, first = np.unique(entity, return_index=True)
    random = np.random.default_rng(SEED)
    is_first = np.zeros(table.num_rows, bool)
    is_first[first] = True
    held = first[random.random(first.size) < 0.8][:records]
    rows = np.flatnonzero(~is_first)[:records]
    columns = table.drop_columns(["entity", "unique_id"])
    ids = [f"M{number}" for number in entity[held]]
    known = set(ids)
    truth = [name if (name := f"M{number}") in known else None for number in entity[rows]]
    master = columns.take(pa.array(held)).add_column(0, "id", pa.array(ids))
    return LinkTask(columns.take(pa.array(rows)), master, truth)


def _score(links: Sequence[str | None], truth: Sequence[str | None]) -> dict[str, float]:
    """Accuracy with NIL, and F1 of NIL."""
    right = [guess == answer for guess, answer in zip(links, truth, strict=True)]
    both = sum(guess is None and answer is None for guess, answer in zip(links, truth, strict=True))
    nils = sum(guess is None for guess in links) + sum(guess is None for guess in truth)
    return {"accuracy": float(np.mean(right)), "nil_f1": 2 * both / nils if nils else 1.0}


def measure_partita(task: LinkTask, reading: str = "auto") -> dict[str, Any]:
    """Scores, calibration error and costs of `partita.link`; memory includes the data."""
    begin, watch = time.process_time(), Stopwatch()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = link(task.rows, to=task.reference, seed=1, reading=reading, progress=True)
        columns = result.results()
    seconds, costs = time.process_time() - begin, watch.facts()
    links = [None if value is None else str(value) for value in columns["link"].to_pylist()]
    p = columns["p_link"].fill_null(0.0).to_numpy(zero_copy_only=False)
    best = np.where([value is None for value in links], columns["p_nil"], p)
    right = np.array([guess == answer for guess, answer in zip(links, task.truth, strict=True)])
    error = calibration(np.clip(best, 0, 1), right).ece_width
    return {
        "tool": "partita" if reading == "auto" else f"partita {reading}",
        **_score(links, task.truth),
        "ece": error,
        "cpu_seconds": seconds,
        "wall_seconds": costs["wall_seconds"],
        "peak_megabytes": costs["peak_megabytes"],
    }


def _texts(rows: Sequence[Row]) -> list[str]:
    return [
        " ".join(str(value) for name, value in row.items() if name != "id" and value)
        for row in rows
    ]


def _choose_best(
    tool: str, task: LinkTask, compare: Callable[[str], tuple[int, float]]
) -> dict[str, Any]:
    """Scores of a tool that ranks records of one row, with the best threshold for NIL."""
    begin = time.process_time()
    best = [compare(text) for text in _texts(task.rows)]
    seconds = time.process_time() - begin
    scores: Floats = np.array([score for _, score in best])
    ids = [str(task.reference[place]["id"]) for place, _ in best]
    choice = max(
        (
            _score(
                [id if score >= least else None for id, score in zip(ids, scores, strict=True)],
                task.truth,
            )
            for least in np.unique(np.quantile(scores, np.linspace(0, 1, 101)))
        ),
        key=lambda row: row["accuracy"],
    )
    return {"tool": tool, **choice, "ece": None, "cpu_seconds": seconds}


def measure_rapidfuzz(task: LinkTask) -> dict[str, Any]:
    """The record of the largest token-set ratio of each row."""
    from rapidfuzz import fuzz, process

    texts = _texts(task.reference)

    def compare(text: str) -> tuple[int, float]:
        _, score, place = process.extractOne(text, texts, scorer=fuzz.token_set_ratio)
        return place, score

    return _choose_best("rapidfuzz", task, compare)


def measure_nomenklatura(task: LinkTask) -> dict[str, Any]:
    """The record of the largest score of nomenklatura's logic for names."""
    from followthemoney import model
    from nomenklatura.matching import LogicV1

    def make(text: str, id: str) -> Any:
        entity = model.make_entity("Thing")
        entity.id = id
        entity.add("name", text)
        return entity

    reference = [make(text, str(place)) for place, text in enumerate(_texts(task.reference))]
    config = LogicV1.default_config()

    def compare(text: str) -> tuple[int, float]:
        query = make(text, "query")
        scores = [LogicV1.compare(query, record, config).score for record in reference]
        return int(np.argmax(scores)), float(np.max(scores))

    return _choose_best("nomenklatura", task, compare)


def measure_csv_reconcile(task: LinkTask) -> dict[str, Any]:
    """The record of the largest Dice coefficient of bigrams, by which csv-reconcile ranks."""
    from csv_reconcile_dice import normalizeWord, scoreMatch

    reference = [normalizeWord(text) for text in _texts(task.reference)]

    def compare(text: str) -> tuple[int, float]:
        # its normalisation fails on a text without letters and digits
        if not any(character.isalnum() for character in text):
            return 0, 0.0
        query = normalizeWord(text)
        scores = [scoreMatch(query, record) for record in reference]
        return int(np.argmax(scores)), float(np.max(scores))

    return _choose_best("csv-reconcile", task, compare)


PEERS = {
    "rapidfuzz": measure_rapidfuzz,
    "nomenklatura": measure_nomenklatura,
    "csv_reconcile_dice": measure_csv_reconcile,
}
"""The function that measures each peer, by the module of the peer."""
LOADERS = {"bft": load_bft, "bft_text": load_bft_text, "rexa1k": load_rexa}


def _measure_set(name: str, task: LinkTask, with_peers: bool) -> list[Row]:
    sizes = {"set": name, "rows": len(task.truth), "reference": len(task.reference)}
    readings = ("auto", "words") if with_peers and name != "bft_text" else ("auto",)
    rows = [
        {**sizes, **measure_partita(task, reading), "target": TARGETS.get(name)}
        for reading in readings
    ]
    for module, measure in PEERS.items() if with_peers else ():
        if importlib.util.find_spec(module) is None:
            print(f"{module} is not installed and is skipped", file=sys.stderr)
            continue
        rows.append({**sizes, **measure(task), "target": None})
    return rows


def _format(row: Row) -> str:
    ece = "" if row["ece"] is None else f"{row['ece']:.3f}"
    target = "" if row["target"] is None else f"{row['target']:.2f}"
    wall, memory = row.get("wall_seconds"), row.get("peak_megabytes")
    return (
        f"{row['set']:<8} {row['rows']:>9,} {row['reference']:>9,}  {row['tool']:<13} "
        f"{row['accuracy']:.3f} {target:>7} {row['nil_f1']:>7.3f} {ece:>6} "
        f"{row['cpu_seconds']:>8.1f}"
        + ("" if wall is None else f" {wall:>8.1f} {memory / 1000:>6.2f}")
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, and with --json one object as the last line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.link", description=__doc__)
    parser.add_argument("--sets", default="bft_text,bft,rexa1k", help="names, separated by commas")
    parser.add_argument("--people", type=int, default=0, help="generated rows and records")
    parser.add_argument("--json", action="store_true", help="print one JSON object as last line")
    options = parser.parse_args(arguments)
    watch, rows = Stopwatch(), []
    for name in filter(None, options.sets.split(",")):
        folder = DATA / name.removesuffix("_text")
        if not folder.is_dir():
            print(f"{folder} is not there; {name} is skipped", file=sys.stderr)
            continue
        rows += _measure_set(name, LOADERS[name](folder), with_peers=True)
    if options.people:
        rows += _measure_set("people", load_people(options.people), with_peers=False)
    print(HEADER)
    for row in rows:
        print(_format(row))
    if options.json:
        print(json.dumps({"rows": rows, "costs": watch.facts(), "machine": machine()}))


if __name__ == "__main__":
    main()
