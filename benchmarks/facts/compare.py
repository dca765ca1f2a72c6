"""Filtered ranks of the test facts of real graphs: ours beside PyKEEN, by one evaluator.

Every tool has three configurations. The one with the best mean reciprocal rank (MRR) of the
validation facts is scored on the test facts. Both sides of a fact are ranked; known answers do not
count, and equal scores share their mean rank. The MRR of validation facts is lower than that of
test facts, because test facts are not known there: dense graphs have many answers to a query.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.facts.answers import SIDES, Graph
from benchmarks.facts.speed import RULES, make_graph
from benchmarks.peers.running import NOT_INSTALLED, OURS, Limits, run_child
from papers.logic.graphs import CLAUSES, load_parts, read_clauses
from papers.logic.ranks import collect_answers, rank_side
from partita.kernel import Floats
from partita.knowledge.triples import Triples
from partita.metrics import Ranking

__all__ = ["SETS", "RankTask", "compare_tools", "load_task", "show_ranks", "warm_up"]

SETS = tuple(CLAUSES)
PEER = "pykeen"
HOW_TO_INSTALL = (
    "not installed; install pykeen with constraints-peers-facts.txt into a virtual environment and "
    "name its Python in PARTITA_PEERS_PYTHON"
)
LACROIX = {
    **{"optimiser": "Adagrad", "rate": 0.1, "start": 1e-3, "batch": 128, "smoothing": 0.0},
    "inverse": True,
}
"""Training of Lacroix et al. 2018, as ours: Adagrad, reciprocal relations, the nuclear 3-norm."""
XAVIER = 0.057
"""Standard deviation of first coordinates after Glorot and Bengio 2010, for 104 vectors of 512."""
CONFIGURATIONS: dict[str, list[dict[str, Any]]] = {
    OURS: [{"rank": rank} for rank in (100, 200, 400)],
    PEER: [
        {"rank": 400, "epochs": 40, "penalty": 0.01, **LACROIX},
        {"rank": 400, "epochs": 100, "penalty": 0.005, **LACROIX},
        {
            **{"rank": 256, "epochs": 750, "penalty": 0.0, "inverse": True},
            **{"optimiser": "Adadelta", "rate": 1.0, "start": XAVIER, "batch": 256},
            "smoothing": 0.7393581121696607,
        },
    ],
}
"""Settings of each tool. The third of PyKEEN is the published result of its authors' search for
kinship (Ali et al. 2020: ComplEx, cross entropy, inverse relations). Their first losses are those
of equal scores, so their coordinates were small at the start. PyKEEN 1.11.1 does not repeat their
result, neither so nor with its default, a standard deviation of 1."""


class RankTask(NamedTuple):
    """Training, validation and test facts of a graph, and its rules as text."""

    name: str
    train: Triples
    valid: Triples
    test: Triples
    rules: str


def load_task(name: str) -> RankTask:
    """Load a graph with its mined rules."""
    return RankTask(name, *load_parts(name), read_clauses(CLAUSES[name]))


def fit_tool(
    tool: str, task: RankTask, settings: dict[str, Any], limits: Limits, *, rules: bool = False
) -> dict[str, Any]:
    """Fit one configuration in a process of its own; return its status, costs and scores."""
    queries = np.concatenate([task.valid.facts, task.test.facts])
    graph = Graph(task.train.facts, queries, len(task.train.entities), len(task.train.relations))
    with TemporaryDirectory() as folder:
        place = Path(folder)
        request = {
            **{"tool": tool, "module": f"benchmarks.facts.with_{tool}", "settings": settings},
            **{"threads": limits.threads, "seed": limits.seed, "others": {}},
            **{"relations": task.train.relations, "rules": task.rules if rules else None},
            **{name: str(place / f"{name}.npy") for name in ("answer", "cost")},
            "path": str(place / "graph.npz"),
        }
        graph.write(request["path"])
        (place / "request.json").write_text(json.dumps(request))
        status = run_child(tool, place, limits)
        if status != "ok":
            return {"status": HOW_TO_INSTALL if status == NOT_INSTALLED else status}
        cost = json.loads(Path(request["cost"]).read_text())
        return {"status": "ok", **cost, "scores": np.load(request["answer"])}


def rank_part(scores: Floats, part: Triples, known: tuple[Triples, ...]) -> Ranking:
    """Rank heads and tails of a part by the scores of its queries."""
    answers = collect_answers(known)
    pairs = zip(SIDES, scores, strict=True)
    return Ranking.of(
        [rank for side, rows in pairs for rank in rank_side(rows, part.facts, side, answers)]
    )


def tune_tool(tool: str, task: RankTask, limits: Limits) -> dict[str, Any]:
    """Choose a configuration by the validation facts and rank the test facts with it.

    A configuration that fails does not count; the row has the reason if all fail.
    """
    trials = []
    for settings in CONFIGURATIONS[tool]:
        trial = {"tool": tool, "settings": settings, **fit_tool(tool, task, settings, limits)}
        if trial["status"] == HOW_TO_INSTALL:
            return trial
        if trial["status"] == "ok":
            valid = trial["scores"][:, : task.valid.n]
            trial["valid_mrr"] = rank_part(valid, task.valid, (task.train, task.valid)).mrr
        trials.append(trial)
        shown = trial.get("valid_mrr", trial["status"])
        print(f"{task.name}, {tool}, {settings}: {shown}", file=sys.stderr, flush=True)
    finished = [trial for trial in trials if trial["status"] == "ok"]
    if not finished:
        return trials[0]
    best = max(finished, key=lambda trial: float(trial["valid_mrr"]))
    tried = [(trial["settings"], trial.get("valid_mrr", trial["status"])) for trial in trials]
    spent = sum(trial["cpu_seconds"] for trial in finished)
    return {**_score(best, task), "tried": tried, "tuning_cpu_seconds": spent}


def _score(trial: dict[str, Any], task: RankTask) -> dict[str, Any]:
    """Replace the scores of a trial by the ranks of the test facts."""
    test = trial.pop("scores")[:, task.valid.n :]
    return {**trial, **vars(rank_part(test, task.test, (task.train, task.valid, task.test)))}


def compare_tools(task: RankTask, limits: Limits, *, rules: bool = False) -> list[dict[str, Any]]:
    """Return one row for each tool, and with `rules` one for ours with rules."""
    rows = [tune_tool(tool, task, limits) for tool in CONFIGURATIONS]
    if rules:
        settings = rows[0]["settings"]
        trial = fit_tool(OURS, task, settings, limits, rules=True)
        ruled = {"tool": f"{OURS} with rules", "settings": settings, **trial}
        rows.insert(1, _score(ruled, task) if trial["status"] == "ok" else ruled)
    return [{"set": task.name, **row} for row in rows]


def warm_up(limits: Limits) -> None:
    """Compile the code of ours on a generated graph, so that no row contains it."""
    triples = make_graph(500)
    part = triples.without(np.arange(triples.n) >= 10)
    task = RankTask("generated", triples, part, part, RULES)
    for rules in (False, True):
        fit_tool(OURS, task, {"rank": 4, "epochs": 1}, limits, rules=rules)


def show_ranks(rows: list[dict[str, Any]], console: Console) -> None:
    """Print one line for each tool and graph; failures stand below."""
    table = Table("graph", "tool", title="Filtered ranks of test facts, both sides")
    heads = ("valid MRR", "MRR", "hits@1", "hits@10", "CPU s", "CPU s of tuning", "MiB", "settings")
    for head in heads:
        table.add_column(head, justify="right")
    for row in rows:
        if row["status"] != "ok":
            continue
        scores = (f"{row[key]:.3f}" if key in row else "" for key in ("valid_mrr", "mrr"))
        hits = (f"{row[key]:.3f}" for key in ("hits_1", "hits_10"))
        costs = (
            f"{row[key]:.1f}" if key in row else "" for key in ("cpu_seconds", "tuning_cpu_seconds")
        )
        settings = ", ".join(f"{name} {value}" for name, value in row["settings"].items())
        memory = f"{row['peak_megabytes']:.0f}"
        table.add_row(row["set"], row["tool"], *scores, *hits, *costs, memory, settings)
    console.print(table)
    for row in rows:
        if row["status"] != "ok":
            console.print(f"{row['set']}, {row['tool']}: {row['status']}", markup=False)
