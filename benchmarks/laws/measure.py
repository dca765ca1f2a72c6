"""One set under all laws: a row of figures for each run."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from benchmarks.laws.agreement import (
    PairCounts,
    count_pairs,
    covers,
    measure_agreement,
    share_apart,
    share_contradicted,
)
from benchmarks.laws.headers import present_plain
from benchmarks.laws.law import Law
from benchmarks.laws.running import Run, Worker, run_presentation
from benchmarks.laws.sets import LawSet, count_telling, find_prior, read_set
from benchmarks.laws.tables import ENTITY, ID, Presented
from partita.metrics import calibration

__all__ = ["PLAIN", "Subject", "compare_runs", "measure_set"]

PLAIN = "plain"
"""The name of the run of the records as they are."""

Row = dict[str, Any]
Show = Callable[[str], None]


@dataclass
class Subject:
    """One set with its plain runs, which all laws compare with."""

    data: LawSet
    table: pa.Table
    worker: Worker
    prior: Path | None
    plain: dict[int, Run] = field(default_factory=dict)
    """The plain run of each seed."""

    def run(self, presented: Presented, seed: int) -> Run:
        """Resolve one presentation."""
        return run_presentation(presented, self.worker, self.prior, seed)


def measure_set(
    data: LawSet,
    laws: Sequence[Law],
    seeds: int,
    quick: bool,
    priors: Path,
    worker: Worker,
) -> Iterator[Row]:
    """The rows of all laws that apply to a set; those of the plain runs come first."""
    subject = Subject(data, read_set(data, quick), worker, find_prior(data, priors))
    facts = {"set": data.name, "domain": data.domain, "family": data.family}
    facts |= {"kind": data.kind, "counted": data.counted}
    facts["telling"] = count_telling(subject.table)
    facts["prior"] = None if subject.prior is None else subject.prior.stem
    for seed in range(seeds):
        presented = present_plain(subject.table, np.random.default_rng(seed))
        run = subject.plain[seed] = subject.run(presented, seed)
        yield facts | {"law": PLAIN, "seed": seed} | _score(run, presented)
        if run.status != "ok":
            continue
        for law in laws:
            for row in _measure_law(law, subject, seed, quick) if _applies(law, subject) else ():
                yield facts | {"law": law.name, "group": law.group, "seed": seed} | row


def _applies(law: Law, subject: Subject) -> bool:
    return law.applies(subject.table)


def _measure_law(law: Law, subject: Subject, seed: int, quick: bool) -> Iterator[Row]:
    """One row for each draw, or for each column that the law takes in turn."""
    draws: list[Any] = list(range(law.quick_draws if quick else law.draws))
    if law.columns is not None:
        names = law.columns(subject.table)
        draws = list(names[: law.quick_draws] if quick else names)
    for number, draw in enumerate(draws):
        key = f"{subject.data.name} {law.name} {number}"
        rng = np.random.default_rng([zlib.crc32(key.encode()), seed])
        arguments = (draw,) if law.columns is not None else ()
        presented = law.change(subject.table, rng, *arguments)
        run = subject.run(presented, seed)
        row = _score(run, presented) | {"draw": draw}
        if run.status == "ok":
            row |= _compare(run, presented, subject, seed)
        yield row


def _compare(run: Run, presented: Presented, subject: Subject, seed: int) -> Row:
    """Agreement with the plain run, or with the run that the presentation names."""
    plain = subject.plain[seed]
    other = plain if presented.against is None else subject.run(presented.against, seed)
    row: Row = {"plain_f1": _count_true_pairs(plain, subject.table).f1}
    if other.status == "ok":
        row["agreement"] = compare_runs(run, other, presented)
    if presented.beside is not None:
        beside = subject.run(presented.beside, seed)
        row["f1_beside"] = _count_true_pairs(beside, presented.beside.table).f1
    return row


def compare_runs(run: Run, other: Run, presented: Presented) -> float:
    """Pairwise F1 of two partitions over the records that both have.

    A copy takes the cluster that the other run gives to the record that it repeats.
    """
    label = dict(zip(other.ids.tolist(), other.labels.tolist(), strict=True))
    pairs = []
    for id, cluster in zip(run.ids.tolist(), run.labels.tolist(), strict=True):
        source = presented.origin.get(id, id)
        if source in label and (presented.shared is None or source in presented.shared):
            pairs.append((cluster, label[source]))
    left, right = zip(*pairs, strict=True) if pairs else ((), ())
    return measure_agreement(left, right)


def _score(run: Run, presented: Presented) -> Row:
    """Figures of one run by the truth."""
    row: Row = {"status": run.status, **run.facts}
    if run.status != "ok":
        return row
    table = presented.table
    truth = _order_truth(run, table)
    counts = count_pairs(run.labels, truth)
    entities = int(np.unique(truth).size)
    row |= {"records": table.num_rows, "entities": entities, "pairs": list(counts)}
    row |= {"f1": counts.f1, "precision": counts.precision, "recall": counts.recall}
    row["apart"] = share_apart(run.labels)
    row["range_holds"] = covers(run.facts["low"], run.facts["high"], entities)
    row["range_width"] = (run.facts["high"] - run.facts["low"]) / table.num_rows
    row["contradicted"] = share_contradicted(run.labels, run.p_member)
    row |= _score_sides(run, presented, truth, counts)
    return row | _calibrate(run, truth)


def _count_true_pairs(run: Run, table: pa.Table) -> PairCounts:
    return count_pairs(run.labels, _order_truth(run, table))


def _order_truth(run: Run, table: pa.Table) -> NDArray[np.int64]:
    """The true entity of each record of a run, as a number."""
    code = table.column(ENTITY).combine_chunks().dictionary_encode().indices.to_numpy()
    order = np.argsort(table.column(ID).to_numpy())
    ids = table.column(ID).to_numpy()[order]
    return code[order][np.searchsorted(ids, run.ids)]


def _score_sides(
    run: Run, presented: Presented, truth: NDArray[np.int64], counts: PairCounts
) -> Row:
    """F1 of pairs within and across files, where there are several."""
    if len(presented.files) < 2:
        return {}
    within = PairCounts(0, 0, 0)
    for part in presented.files.values():
        inside = np.isin(run.ids, part.column(ID).to_numpy())
        within = within.plus(count_pairs(run.labels[inside], truth[inside]))
    return {"f1_within": within.f1, "f1_across": counts.minus(within).f1}


def _calibrate(run: Run, truth: NDArray[np.int64]) -> Row:
    """Calibration error of near pairs."""
    if not len(run.near):
        return {"near_ece": None}
    order = np.argsort(run.ids)
    rows = order[np.searchsorted(run.ids[order], run.near[:, :2].astype(np.int64))]
    same = truth[rows[:, 0]] == truth[rows[:, 1]]
    return {"near_ece": float(calibration(run.near[:, 2], same).ece_width)}
