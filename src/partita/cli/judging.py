"""`partita evaluate`: a result against the truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from partita.cli.shell import console, say_json
from partita.cli.show import evaluation_table
from partita.data import Records, read
from partita.errors import InputError
from partita.kernel import Ints
from partita.metrics import Calibration, calibration, estimate, evaluate, labels_to_codes
from partita.metrics.estimation import DESIGNS

__all__ = ["Question", "run_evaluate"]

NEAR = 0.01
"""Pairs that neither the pairs nor the draws give this much are easy, and hide everything."""
BETWEEN = "\x1f"
"""Parts a source from an id; no text that people type holds it."""
PAIR_IDS = ("unique_id_l", "unique_id_r")
PAIR_SOURCES = ("source_dataset_l", "source_dataset_r")


@dataclass(frozen=True)
class Question:
    """What is compared with what."""

    out: str
    truth: str
    truth_column: str
    cluster_column: str
    id: str | None
    source: str | None
    pairs: str | None

    def read(self, path: str, wanted: str) -> Records:
        """One of the two files, which has the wanted column."""
        records = read(path, id=self.id, source=self.source)
        if wanted not in records.table.column_names:
            there = ", ".join(records.table.column_names)
            raise InputError(f"{path} has no column {wanted!r}; there are {there}")
        return records


def run_evaluate(asked: Question, *, sampled: str, seed: int, json: bool) -> None:
    """Compare a result with the truth by every metric."""
    if sampled not in DESIGNS:
        raise InputError(f"--sampled is {sampled!r}; give one of {', '.join(map(repr, DESIGNS))}")
    found = asked.read(asked.out, asked.cluster_column)
    true = found if asked.truth == asked.out else asked.read(asked.truth, asked.truth_column)
    if asked.truth_column not in true.table.column_names:
        raise InputError(f"{asked.truth} has no column {asked.truth_column!r}; name it")
    truth, unknown = _aligned(found, true, asked)
    clusters = labels_to_codes(found.table.column(asked.cluster_column).to_pylist())
    result = evaluate(clusters, truth)
    sample = None
    if result.unlabelled:
        sample = estimate(clusters, truth, seed=seed, sampled=sampled)
    calibrated, missed = _calibrated(asked, found, truth) if asked.pairs else (None, 0)
    if json:
        told: dict[str, Any] = result.as_dict()
        told["unknown_ids"] = unknown
        told["estimate"] = sample.as_dict() if sample else None
        told["calibration"] = calibrated.as_dict() if calibrated else None
        say_json(told)
        return
    shown = calibrated.as_dict() if calibrated else None
    screen = console()
    screen.print(evaluation_table(result, sample, shown))
    if unknown:
        screen.print(f"{unknown:,} ids of {asked.truth} are not in {asked.out}", soft_wrap=True)
    if missed:
        screen.print(f"{missed:,} near pairs have no truth and are not counted", soft_wrap=True)


def _keys(records: Records) -> pa.Array:
    """What tells records apart, as text: the id, with the source where there are several."""
    texts = records.ids.cast(pa.string())
    if records.sources is None:
        return texts
    names = pa.array(records.source_names).take(pa.array(records.sources))
    return pc.binary_join_element_wise(names, texts, BETWEEN)


def _aligned(found: Records, true: Records, asked: Question) -> tuple[Ints, int]:
    """The true entity of each record, -1 where it is not known, and how many ids are strange."""
    labels = labels_to_codes(true.table.column(asked.truth_column).to_pylist())
    if true is found:
        return labels, 0
    own, other = _keys(found), _keys(true)
    place = pc.index_in(own, value_set=other).fill_null(-1).to_numpy(zero_copy_only=False)
    known = place >= 0
    if not known.any():
        raise InputError(
            f"no id of {asked.out} is in {asked.truth}; name the column of ids by --id"
        )
    truth = np.where(known, labels[place], -1).astype(np.int64)
    return truth, int(len(other) - known.sum())


def _calibrated(asked: Question, found: Records, truth: Ints) -> tuple[Calibration, int]:
    """How honest p_same is of near pairs, and how many of these have no truth."""
    path = str(asked.pairs)
    table = read(path, id=False).table
    for name in (*PAIR_IDS, "p_same"):
        if name not in table.column_names:
            raise InputError(f"{path} has no column {name!r}; give what --pairs of resolve wrote")
    p = _numbers(table, "p_same", path)
    near = p >= NEAR
    if "match_probability" in table.column_names:
        near |= _numbers(table, "match_probability", path) >= NEAR
    ends = [_rows(table, found, side) for side in (0, 1)]
    labels = [np.where(end >= 0, truth[end], -1) for end in ends]
    known = near & (labels[0] >= 0) & (labels[1] >= 0)
    if not known.any():
        raise InputError(f"no near pair of {path} has a truth at both ends; give other pairs")
    same = (labels[0] == labels[1])[known]
    return calibration(p[known], same), int(near.sum() - known.sum())


def _numbers(table: pa.Table, name: str, path: str) -> Any:
    try:
        return np.asarray(table.column(name).cast(pa.float64()), np.float64)
    except pa.ArrowInvalid as error:
        raise InputError(f"column {name!r} of {path} does not hold numbers; correct it") from error


def _rows(table: pa.Table, found: Records, side: int) -> Ints:
    """The row in the result of one end of each pair; -1 where it is not there."""
    texts = table.column(PAIR_IDS[side]).cast(pa.string())
    keys = found.ids.cast(pa.string())
    if PAIR_SOURCES[side] in table.column_names and found.sources is not None:
        names = table.column(PAIR_SOURCES[side]).cast(pa.string())
        texts, keys = pc.binary_join_element_wise(names, texts, BETWEEN), _keys(found)
    elif len(pc.unique(keys)) < len(keys):
        raise InputError(
            "sources use the same ids and the pairs do not name their sources; make ids distinct"
        )
    rows = pc.index_in(texts, value_set=keys).fill_null(-1)
    return np.asarray(rows, np.int64)
