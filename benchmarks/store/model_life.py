"""Model life: a model of a sample applied to the rest, and drift of like and changed deliveries."""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import partita
from benchmarks.store.batches import SEED, load_set
from partita.metrics import pairwise

__all__ = ["measure_drift", "measure_model"]

SAMPLE_SHARE = 0.1
"""Share of the records that the model is learned from."""
LEARNED_SHARE = 0.5
"""Share of the records that are in the store before deliveries."""
DELIVERIES = 5
"""Deliveries of the other records, in random order."""


def measure_model(name: str) -> dict[str, Any]:
    """F1 of records that a model of other records resolves, beside a model of their own."""
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        table, truth = load_set(name, Path(folder))
        order = np.random.default_rng(SEED).permutation(table.num_rows)
        cut = int(table.num_rows * SAMPLE_SHARE)
        sample, rest = (table.take(pa.array(part)) for part in (order[:cut], order[cut:]))
        learned = partita.resolve(sample, seed=SEED)
        path = learned.save_model(Path(folder) / "model.json")
        applied = partita.resolve(rest, seed=SEED, model=path)
        own = partita.resolve(rest, seed=SEED)
    known = [truth[row] for row in order[cut:].tolist()]
    results = {"f1_model": applied, "f1_own": own}
    scores = {key: pairwise(result.labels, known).f1 for key, result in results.items()}
    return {
        "set": name,
        "learned": cut,
        "applied": rest.num_rows,
        "reading": learned.reading.name,
        **{key: round(value, 4) for key, value in scores.items()},
        "cpu_model": round(sum(applied.seconds.values()), 1),
        "cpu_own": round(sum(own.seconds.values()), 1),
    }


def measure_drift(name: str) -> dict[str, Any]:
    """Drift of deliveries of the same set (a false alarm), and of those with an empty column."""
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        table, _ = load_set(name, Path(folder))
        order = np.random.default_rng(SEED).permutation(table.num_rows)
        cut = int(table.num_rows * LEARNED_SHARE)
        first = partita.resolve(table.take(pa.array(order[:cut])), seed=SEED)
        with partita.Store.create(first, Path(folder) / "s.partita") as store:
            parts = [table.take(pa.array(p)) for p in np.array_split(order[cut:], DELIVERIES)]
            filled = [row for row in first.prepared.compared if (row.codes >= 0).mean() > 0.5]
            names = [column.name for column in filled]
            detected = []
            for column in names:
                place = table.column_names.index(column)
                empty = pa.nulls(parts[0].num_rows, table.schema.types[place])
                changed = parts[0].set_column(place, column, empty)
                report = store.add(changed, dry_run=True)["drift"]
                detected.append(column in {row["column"] for row in report})
            alarms = [store.add(part)["drift"] for part in parts]
    return {
        "set": name,
        "learned": cut,
        "deliveries": DELIVERIES,
        "false_alarms": sum(map(bool, alarms)),
        "reasons": sorted({f"{row['measure']} {row['column'] or ''}" for a in alarms for row in a}),
        "changed_deliveries": len(names),
        "found": sum(detected),
    }
