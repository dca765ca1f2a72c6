"""Scores of a result file against a truth file and a pairs file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from partita.data import Records, read
from partita.errors import EmptyInputError, InputError
from partita.kernel import Floats, Ints
from partita.metrics import (
    Calibration,
    Estimate,
    Evaluation,
    calibration,
    estimate,
    evaluate,
    labels_to_codes,
)
from partita.metrics.estimation import DESIGNS

__all__ = ["Evaluated", "Scores", "evaluate_files"]

MIN_PROBABILITY = 0.01
"""Pairs below it, by pair model and posterior, are left out: easy pairs would hide all others."""
SEPARATOR = "\x1f"
"""Between source and id in a key; typed text does not contain it."""
PAIR_SOURCES = ("source_dataset_l", "source_dataset_r")


@dataclass(frozen=True)
class Evaluated:
    """The files and columns of an evaluation."""

    out: str
    truth: str
    truth_column: str
    cluster_column: str
    id: str | None
    source: str | None
    pairs: str | None

    def read(self, path: str, column: str) -> Records:
        """Read a file that has the column."""
        records = read(path, id=self.id, source=self.source)
        if column not in records.table.column_names:
            names = ", ".join(records.table.column_names)
            raise InputError(f"{path} has no column {column!r}; it has {names}")
        return records


@dataclass(frozen=True)
class Scores:
    """Scores against the truth; `sample` where only some records have labels."""

    result: Evaluation
    sample: Estimate | None
    calibration: Calibration | None
    unknown_ids: int
    """Ids of the truth that the result does not have."""
    unlabelled_pairs: int
    """Pairs of the pairs file that are left out because a record has no label."""

    def as_dict(self) -> dict[str, Any]:
        """All scores as JSON can hold them."""
        return self.result.as_dict() | {
            "unknown_ids": self.unknown_ids,
            "estimate": self.sample.as_dict() if self.sample else None,
            "calibration": self.calibration.as_dict() if self.calibration else None,
        }

    def warnings(self, files: Evaluated) -> list[str]:
        """Describe ids and pairs that do not count."""
        texts = []
        if self.unknown_ids:
            ids = "1 id" if self.unknown_ids == 1 else f"{self.unknown_ids:,} ids"
            texts.append(f"{files.out} lacks {ids} of {files.truth}")
        if files.pairs is not None and self.calibration is None:
            texts.append(
                f"{files.pairs} has no pair of labelled records with a probability of at least "
                f"{MIN_PROBABILITY:.0%}, so calibration is not measured"
            )
        elif self.unlabelled_pairs:
            pairs = "1 pair" if self.unlabelled_pairs == 1 else f"{self.unlabelled_pairs:,} pairs"
            texts.append(f"{pairs} without labels at both records do not count")
        return texts


def evaluate_files(files: Evaluated, *, sampled: str, seed: int) -> Scores:
    """Compare a result with the truth by every score."""
    if sampled not in DESIGNS:
        raise InputError(f"--sampled is {sampled!r}; give one of {', '.join(map(repr, DESIGNS))}")
    records = files.read(files.out, files.cluster_column)
    same = files.truth == files.out
    true = files.read(files.truth, files.truth_column) if not same else records
    if files.truth_column not in true.table.column_names:
        raise InputError(
            f"{files.truth} has no column {files.truth_column!r}; give the file with --truth"
        )
    truth, unknown = _align_truth(records, true, files)
    clusters = labels_to_codes(records.table.column(files.cluster_column).to_pylist())
    result = evaluate(clusters, truth)
    sample = estimate(clusters, truth, seed=seed, sampled=sampled) if result.unlabelled else None
    calibrated, unlabelled = (
        _calibrate(files.pairs, records, truth) if files.pairs is not None else (None, 0)
    )
    return Scores(result, sample, calibrated, unknown, unlabelled)


def _keys(records: Records) -> pa.Array:
    """Identify each record by its id as text, with the source where there are several."""
    texts = records.ids.cast(pa.string())
    if records.sources is None:
        return texts
    names = pa.array(records.source_names).take(pa.array(records.sources))
    return pc.binary_join_element_wise(names, texts, SEPARATOR)


def _align_truth(records: Records, true: Records, files: Evaluated) -> tuple[Ints, int]:
    """The true entity of each record, -1 where it is unknown, and the number of unknown ids."""
    labels = labels_to_codes(true.table.column(files.truth_column).to_pylist())
    if true is records:
        return labels, 0
    own, other = _keys(records), _keys(true)
    place = pc.index_in(own, value_set=other).fill_null(-1).to_numpy(zero_copy_only=False)
    known = place >= 0
    if not known.any():
        raise InputError(f"no id of {files.out} is in {files.truth}; name the id column with --id")
    truth = np.where(known, labels[place], -1).astype(np.int64)
    return truth, int(len(other) - known.sum())


def _calibrate(path: str, records: Records, truth: Ints) -> tuple[Calibration | None, int]:
    """Calibration of p_same, None without labelled pairs, and the number of unlabelled pairs."""
    try:
        table = read(path, id=False).table
    except EmptyInputError:
        # no pair was compared, which leaves all other scores valid
        return None, 0
    sides = _id_columns(table, records, path)
    p = _numbers(table, "p_same", path)
    probable = p >= MIN_PROBABILITY
    if "match_probability" in table.column_names:
        probable |= _numbers(table, "match_probability", path) >= MIN_PROBABILITY
    ends = [
        _rows(table, records, name, source)
        for name, source in zip(sides, PAIR_SOURCES, strict=True)
    ]
    labels = [np.where(end >= 0, truth[end], -1) for end in ends]
    known = probable & (labels[0] >= 0) & (labels[1] >= 0)
    unlabelled = int(probable.sum() - known.sum())
    if not known.any():
        return None, unlabelled
    return calibration(p[known], (labels[0] == labels[1])[known]), unlabelled


def _id_columns(table: pa.Table, records: Records, path: str) -> tuple[str, str]:
    """The columns of both ids: those of the records's id column, or unique_id_l and unique_id_r."""
    names = set(table.column_names)
    for stem in (records.id_name, "unique_id"):
        sides = (f"{stem}_l", f"{stem}_r")
        if {*sides, "p_same"} <= names:
            return sides
    left_id = f"{records.id_name or 'unique_id'}_l"
    missing = left_id if left_id not in names else "p_same"
    raise InputError(f"{path} has no column {missing!r}; give a file of `resolve --pairs`")


def _numbers(table: pa.Table, name: str, path: str) -> Floats:
    try:
        return np.asarray(table.column(name).cast(pa.float64()), np.float64)
    except pa.ArrowInvalid as error:
        raise InputError(f"column {name!r} of {path} is not numeric; correct it") from error


def _rows(table: pa.Table, records: Records, name: str, source: str) -> Ints:
    """The row in the records of one record of each pair; -1 where the records lacks it."""
    texts = table.column(name).cast(pa.string())
    keys = records.ids.cast(pa.string())
    if source in table.column_names and records.sources is not None:
        names = table.column(source).cast(pa.string())
        texts, keys = pc.binary_join_element_wise(names, texts, SEPARATOR), _keys(records)
    elif len(pc.unique(keys)) < len(keys):
        raise InputError(
            "several sources use the same ids and the pairs have no columns "
            f"{' and '.join(PAIR_SOURCES)}; give a file of `resolve --pairs`, or make the ids "
            "distinct"
        )
    rows = pc.index_in(texts, value_set=keys).fill_null(-1)
    return np.asarray(rows, np.int64)
