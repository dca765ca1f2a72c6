"""Resolutions in one warm process: `python -m benchmarks.laws.worker`.

Each line of the standard input is a request in JSON; each line of the standard output is the
answer. Imports and compiled code are loaded once.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from benchmarks.laws.agreement import count_unblocked
from benchmarks.panel.ours import load, resolve_request, write_near_pairs

__all__ = ["answer_request", "main"]


def answer_request(request: dict[str, Any]) -> dict[str, Any]:
    """Resolve the files of a request; write clusters and near pairs to the files it names."""
    began = time.process_time()
    result = resolve_request(request)
    seconds = time.process_time() - began
    ids = write_near_pairs(result, request["pairs"])
    columns = {"id": ids, "cluster": result.labels, "p_member": result.p_member}
    pq.write_table(pa.table(columns), request["answer"])
    unblocked, identical = count_unblocked(*_read_rows(result), result.blocking.pairs)
    summary = result.summary()
    return {
        "status": "ok",
        "cpu_seconds": seconds,
        "low": summary["entities_expected"]["low"],
        "high": summary["entities_expected"]["high"],
        "mode": summary["mode"],
        "reading": summary["reading"],
        "trust": summary["trust"]["level"],
        "columns": summary["columns_compared"],
        "identical_pairs": identical,
        "unblocked_pairs": unblocked,
    }


def _read_rows(result: Any) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Codes of the values that all files have, the file and the distinct record of each row."""
    records = result.records
    sources = np.zeros(records.n, np.int64) if records.sources is None else records.sources
    codes = []
    for name in records.names:
        column = np.asarray(records.column(name, cleaned=False).codes, np.int64)
        if np.unique(sources[column >= 0]).size == np.unique(sources).size:
            codes.append(column)
    values = np.stack(codes, axis=1) if codes else np.full((records.n, 1), -1)
    return values, np.asarray(sources, np.int64), np.asarray(result.distinct_ids, np.int64)


def main() -> int:
    """Answer requests until the input ends."""
    answers, sys.stdout = sys.stdout, sys.stderr
    warnings.simplefilter("ignore")
    load()
    for line in sys.stdin:
        try:
            answer = answer_request(json.loads(line))
        # the process serves further requests after any failure of one
        except Exception as error:
            answer = {"status": f"crashed: {type(error).__name__}: {error}".partition("\n")[0]}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
