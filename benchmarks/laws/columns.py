"""Laws of added columns: unique keys, idle columns, provenance."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable
from functools import partial

import numpy as np
import pyarrow as pa

from benchmarks.laws.idle import choose_idle
from benchmarks.laws.law import Law
from benchmarks.laws.tables import (
    ENTITY,
    FILE,
    Presented,
    add_column,
    new_header,
    split_files,
)

__all__ = ["ADDED", "PROVENANCE", "assign_provenance"]

KEY_HEADERS = ("customer_no", "rec_key", "number", "nr", "reference")
PROVENANCE_HEADERS = ("guide", "crawl", "supplier", "edition", "list_name", "col_7", "batch")
PROVENANCE_SIZES = (2, 5, 20, 60, 200)
"""Numbers of values of a provenance column."""
EXCEPTIONS = 0.01
"""Share of records whose provenance is random, so that an entity may repeat inside a value."""
FLOOR_OF_IDLE = (0.98, 0.93)
FLOOR_OF_IDLE_BESIDE_ONE = (0.92, 0.75)
"""Lists of one telling column: there type, header and variety of the values must do."""

Draw = Callable[[np.random.Generator, int], list[str]]


def _draw_serials(rng: np.random.Generator, count: int) -> list[str]:
    """Running numbers in random order behind a letter."""
    letter, step = "CKRP"[int(rng.integers(4))], int(rng.integers(1, 8))
    return [f"{letter}{10_000 + step * number}" for number in rng.permutation(count).tolist()]


def _draw_uuids(rng: np.random.Generator, count: int) -> list[str]:
    return [str(uuid.UUID(bytes=rng.bytes(16), version=4)) for _ in range(count)]


def _draw_hashes(rng: np.random.Generator, count: int) -> list[str]:
    return [hashlib.sha1(rng.bytes(16)).hexdigest() for _ in range(count)]


def _add_key(draw: Draw, table: pa.Table, rng: np.random.Generator) -> Presented:
    values = draw(rng, table.num_rows)
    header = new_header(table, KEY_HEADERS, rng)
    return Presented(split_files(add_column(table, header, values, rng)))


def _add_idle(
    count: int, for_training: bool, table: pa.Table, rng: np.random.Generator
) -> Presented:
    for kind in choose_idle(rng, count, for_training).values():
        header = new_header(table, kind.headers, rng)
        table = add_column(table, header, kind.draw(rng, table.num_rows), rng)
    return Presented(split_files(table))


def assign_provenance(
    table: pa.Table, count: int, rng: np.random.Generator
) -> tuple[pa.Table, list[str]]:
    """Records with a provenance each, which an entity's records rarely share.

    Records of an entity beyond the number of values are left out.
    """
    names = [f"list {number}" for number in rng.permutation(count).tolist()]
    code = table.column(ENTITY).combine_chunks().dictionary_encode().indices.to_numpy()
    kept, values = [], []
    order = np.lexsort((rng.random(code.size), code))
    for rows in np.split(order, np.flatnonzero(np.diff(code[order])) + 1):
        for row, place in zip(rows.tolist(), rng.permutation(count).tolist(), strict=False):
            kept.append(row)
            values.append(names[place])
    for place in np.flatnonzero(rng.random(len(kept)) < EXCEPTIONS).tolist():
        values[place] = names[int(rng.integers(count))]
    in_order = np.argsort(kept)
    rows = pa.array(np.array(kept)[in_order])
    return table.take(rows), [values[place] for place in in_order.tolist()]


def _add_provenance(table: pa.Table, rng: np.random.Generator) -> Presented:
    """One file with a column of provenance; compared with the run in which it is the source."""
    single = table.drop_columns([FILE]) if FILE in table.column_names else table
    count = PROVENANCE_SIZES[int(rng.integers(len(PROVENANCE_SIZES)))]
    kept, values = assign_provenance(single, count, rng)
    header = new_header(kept, PROVENANCE_HEADERS, rng)
    files = split_files(add_column(kept, header, values, rng))
    stated = Presented(files, {"source": header})
    return Presented(files, against=stated, beside=Presented(split_files(kept)))


def _idle_law(count: int, for_training: bool) -> Law:
    name = f"idle {count}" if for_training else f"idle {count} of held-out kinds"
    return Law(
        name,
        "added columns",
        partial(_add_idle, count, for_training),
        FLOOR_OF_IDLE,
        FLOOR_OF_IDLE_BESIDE_ONE,
        draws=3,
        for_training=for_training,
    )


KEYS = {"serial": _draw_serials, "UUID": _draw_uuids, "hash": _draw_hashes}
ADDED = (
    *(
        Law(f"key: {name}", "added columns", partial(_add_key, draw), (1.0, 0.99))
        for name, draw in KEYS.items()
    ),
    *(_idle_law(count, kinds) for kinds in (True, False) for count in (1, 2, 4)),
)
PROVENANCE = (Law("provenance", "sources", _add_provenance, (0.98, 0.98), draws=5),)
