"""`python -m benchmarks.mixing [--sets a,b] [--json]`: the benefit of split-merge moves.

Chains of the same models with and without split-merge moves among their Gibbs moves: effective
samples, by CPU second of the walk, of the number of entities and of the log score. Models: pairs of
records (affinity), and entities with latent values. All chains have the same number of steps
between draws, so that the seconds contain the cost of splits and merges.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.measure import machine
from benchmarks.peers.sets import PEOPLE, SETS, Prepared, prepare, prepare_people
from partita.errors import InputError
from partita.factors import Model
from partita.linkage.inference.search import Problem
from partita.linkage.pairwise.scored_pairs import LINKED
from partita.linkage.resolve import resolve
from partita.posterior import sample
from partita.states import Partition

__all__ = ["Effort", "main", "mixing", "problems"]

SHARES = (0.0, 0.04, 0.1, 0.3)
"""Shares of splits and merges among all moves; 0 is Gibbs alone."""
NONE = 1e-9
"""A share of practically zero, which uses the same compiled code."""
USUAL = (PEOPLE, "RLdata10000", "cora_hpi_1879")
NOTES = """\
Per CPU second of the walk: effective samples (bulk) of both chains together. Chains start from the
clustering of pairs and from singletons; the first third is discarded. A large R-hat means that the
chains did not reach the same distribution; effective samples are then meaningless."""


class Effort:
    """The length of the chains."""

    def __init__(self, draws: int = 150, sweeps: int = 2) -> None:
        self.draws, self.sweeps = draws, sweeps


def problems(data: Prepared, seed: int) -> Iterator[tuple[str, Problem, Model, Partition]]:
    """The models of pairs and of entities for one set, with a start near their best state."""
    columns = {"id": "id"} if data.name != PEOPLE else {}
    for name in ("pairs", "entities"):
        result = resolve(data.path, model=name, seed=seed, draws=2, tune=0, **columns)
        if result.model is None or result.state is None:
            continue
        active = result.marginals.active
        pairs = active.to(result.scored.pairs)
        kept = (pairs >= 0).all(1)
        scores = result.scored.scores.total[kept]
        yield name, Problem(pairs[kept], scores, len(active)), result.model, result.state


def mixing(
    problem: Problem, model: Model, start: Partition, share: float, effort: Effort, seed: int
) -> dict[str, Any]:
    """Effective samples of chains with one share of split-merge moves."""
    begin = time.process_time()
    posterior = sample(
        model,
        [start, Partition.singletons(problem.n)],
        proposal=problem.proposal(LINKED, None, max(share, NONE)),
        draws=effort.draws,
        tune=effort.draws // 2,
        thin=effort.sweeps * problem.n,
        chains=2,
        random_seed=seed,
        progressbar=False,
    )
    spent = time.process_time() - begin
    diagnostics = posterior.diagnostics()
    row = {"splits": share, "cpu_seconds": round(spent, 2), "steps": posterior.steps}
    for name in ("entities", "log_score"):
        values = diagnostics[name]
        row[name] = {
            "mean": round(values["mean"], 2),
            "r_hat": round(values["r_hat"], 3),
            "ess": round(values["ess_bulk"], 1),
            "ess_per_second": round(values["ess_bulk"] / spent, 2),
        }
    return {**row, "accepted": {k: round(v, 4) for k, v in posterior.acceptance.items() if v == v}}


def _measured(data: Prepared, effort: Effort, seed: int) -> Iterator[dict[str, Any]]:
    for name, problem, model, start in problems(data, seed):
        # compiles: the share is part of the proposal's table and not of its code
        mixing(problem, model, start, SHARES[1], Effort(4, 1), seed)
        for share in SHARES:
            row = mixing(problem, model, start, share, effort, seed)
            yield {"set": data.name, "model": name, "open_records": problem.n, **row}


def _show(rows: list[dict[str, Any]], console: Console) -> None:
    table = Table("set", "model", "splits", "entities", "R-hat", "ESS/s", "log score", "R-hat")
    for name in ("ESS/s", "accepted", "CPU s"):
        table.add_column(name, justify="right")
    for row in rows:
        k, s = row["entities"], row["log_score"]
        accepted = row["accepted"].get("split_merge_neighbour")
        table.add_row(
            row["set"],
            row["model"],
            f"{row['splits']:.0%}",
            *(str(k[figure]) for figure in ("mean", "r_hat", "ess_per_second")),
            *(str(s[figure]) for figure in ("mean", "r_hat", "ess_per_second")),
            "-" if accepted is None else f"{accepted:.3f}",
            f"{row['cpu_seconds']:.1f}",
        )
    console.print(table)
    console.print(NOTES, highlight=False)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print a table and, with --json, one line of JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mixing", description=__doc__)
    parser.add_argument("--sets", default=",".join(USUAL), help=f"{PEOPLE} or {','.join(SETS)}")
    parser.add_argument("--n", type=int, default=10_000, help="how many people to generate")
    parser.add_argument("--draws", type=int, default=150, help="kept draws of each chain")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true", help="end in one line of JSON")
    options = parser.parse_args(arguments)
    console, rows = Console(stderr=options.json, width=140), []
    try:
        with tempfile.TemporaryDirectory() as folder:
            for name in options.sets.split(","):
                if name != PEOPLE and name not in SETS:
                    raise InputError(f"there is no set {name!r}; give {PEOPLE}, {', '.join(SETS)}")
                data = (
                    prepare_people(options.n, options.seed, Path(folder))
                    if name == PEOPLE
                    else prepare(SETS[name], Path(folder))
                )
                rows += list(_measured(data, Effort(options.draws), options.seed))
    except (InputError, FileNotFoundError) as error:
        raise SystemExit(f"error: {error}") from None
    _show(rows, console)
    if options.json:
        output = {"rows": rows, "notes": NOTES.splitlines(), "seed": options.seed}
        print(json.dumps({**output, "machine": machine()}))


if __name__ == "__main__":
    main()
