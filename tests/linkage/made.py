"""Small generated inputs that several tests resolve."""

import numpy as np
import pyarrow as pa

from partita.synthetic import people


def persons(n=300, seed=5, **more):
    """Records of people, and who they are."""
    table = people(n, seed=seed, **more).table()
    return table.drop_columns(["entity"]), table.column("entity").to_numpy()


def two_sources(n=300, seed=5):
    """Two clean sources with the same ids: at most one record of a person in each; the truth."""
    table, truth = persons(n, seed)
    order = np.argsort(truth, kind="stable")
    nth = np.empty(len(order), np.int64)
    starts = np.searchsorted(truth[order], truth[order])
    nth[order] = np.arange(len(order)) - starts
    parts = [np.flatnonzero(nth == k) for k in range(2)]
    tables = [
        table.take(pa.array(part)).set_column(0, "unique_id", pa.array(np.arange(len(part))))
        for part in parts
    ]
    return {"left": tables[0], "right": tables[1]}, truth[np.concatenate(parts)]


def rules(*statements):
    """Constraints as a table: one id, another, and "must" or "cannot"."""
    return [dict(zip(("id_l", "id_r", "constraint"), one, strict=True)) for one in statements]
