"""Laws of files, and of subsets and copies of the records."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from benchmarks.laws.law import APART, LOSS, POOLED, Law
from benchmarks.laws.tables import (
    ENTITY,
    FILE,
    ID,
    Presented,
    add_column,
    deal_files,
    measure_bits,
    new_header,
    split_files,
)

__all__ = ["FILES", "SUBSETS"]

GIVEN_HEADERS = ("origin", "shop", "register", "system", "source")
FILE_NAMES = ("north", "south", "west")
COPIES = 0.2
"""Share of records of which an exact copy is added."""
FEW = 0.05
"""Share of duplicates that are left."""
MIN_REPEATED = 0.05
"""Least share of records with another one of their entity in their own file, for the law of one
record for each entity and file."""
SOURCE_FLOOR = (0.99, 0.97)


def _has_files(table: pa.Table) -> bool:
    return FILE in table.column_names


def _has_one_file(table: pa.Table) -> bool:
    return not _has_files(table)


def _drop_file(table: pa.Table) -> pa.Table:
    return table.drop_columns([FILE]) if _has_files(table) else table


def _join_files(table: pa.Table, rng: np.random.Generator) -> Presented:
    return Presented(split_files(_drop_file(table)))


def _add_source(
    headers: Sequence[str], is_given: bool, table: pa.Table, rng: np.random.Generator
) -> Presented:
    """One file with a column of sources: the files of the records, else random ones."""
    dealt = table if _has_files(table) else deal_files(table, FILE_NAMES[:2], rng)
    header = new_header(table, headers, rng)
    values = dealt.column(FILE).combine_chunks()
    files = split_files(add_column(_drop_file(dealt), header, values, rng))
    return Presented(files, {"source": header} if is_given else {})


def _deal(count: int, table: pa.Table, rng: np.random.Generator) -> Presented:
    """The records in several files: those of the last of two files, else all, at random."""
    if not _has_files(table):
        return Presented(split_files(deal_files(table, FILE_NAMES[:count], rng)))
    names = table.column(FILE).to_pylist()
    last = max(names)
    halves = rng.integers(2, size=len(names)).tolist()
    dealt = [
        f"{name}-{half}" if name == last else name for name, half in zip(names, halves, strict=True)
    ]
    return Presented(split_files(_drop_file(table).append_column(FILE, pa.array(dealt))))


def _entity_codes(table: pa.Table) -> NDArray[np.int64]:
    indices = table.column(ENTITY).combine_chunks().dictionary_encode().indices
    return np.asarray(indices, np.int64)


def _is_first(code: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.bool_]:
    """Mark one random record for each code."""
    order = rng.permutation(code.size)
    marks = np.zeros(code.size, np.bool_)
    marks[order[np.unique(code[order], return_index=True)[1]]] = True
    return marks


def _keep(table: pa.Table, marks: NDArray[np.bool_]) -> Presented:
    return Presented(split_files(table.filter(pa.array(marks))))


def _keep_half(table: pa.Table, rng: np.random.Generator) -> Presented:
    code = _entity_codes(table)
    return _keep(table, (rng.permutation(int(code.max()) + 1) % 2 == 0)[code])


def _keep_few(table: pa.Table, rng: np.random.Generator) -> Presented:
    """One record of each entity, and a few of the others."""
    code = _entity_codes(table)
    return _keep(table, _is_first(code, rng) | (rng.random(code.size) < FEW))


def _keep_none(table: pa.Table, rng: np.random.Generator) -> Presented:
    """One record of each entity, as one file."""
    return _keep(_drop_file(table), _is_first(_entity_codes(table), rng))


def _file_and_entity(table: pa.Table) -> NDArray[np.int64]:
    code = _entity_codes(table)
    place = np.asarray(table.column(FILE).combine_chunks().dictionary_encode().indices)
    return place * (int(code.max()) + 1) + code


def _repeats_within(table: pa.Table) -> bool:
    """Whether files hold several records of an entity."""
    if not _has_files(table):
        return False
    size = np.unique(_file_and_entity(table), return_counts=True)[1]
    return float(size[size > 1].sum()) >= MIN_REPEATED * table.num_rows


def _keep_one_each(table: pa.Table, rng: np.random.Generator) -> Presented:
    """One record of each entity and file."""
    return _keep(table, _is_first(_file_and_entity(table), rng))


def _add_copies(table: pa.Table, rng: np.random.Generator) -> Presented:
    """Exact copies of some records under new ids, in the same file.

    Only records are copied whose most telling column is filled.
    """
    bits = measure_bits(table)
    filled = table.column(max(bits, key=lambda name: bits[name])).is_valid().to_numpy()
    rows = np.flatnonzero(filled & (rng.random(table.num_rows) < COPIES))
    copies = table.take(pa.array(rows))
    old = copies.column(ID).to_pylist()
    first = max(table.column(ID).to_pylist()) + 1
    new = list(range(first, first + len(old)))
    place = table.column_names.index(ID)
    kind = table.schema.field(ID).type
    copies = copies.set_column(place, ID, pa.array(new, kind))
    both = pa.concat_tables([table, copies.cast(table.schema)])
    both = both.take(pa.array(rng.permutation(both.num_rows)))
    return Presented(split_files(both), origin=dict(zip(new, old, strict=True)))


FILES = (
    Law("one file without source", "sources", _join_files, applies=_has_files),
    Law("source found", "sources", partial(_add_source, ("source",), False), SOURCE_FLOOR),
    Law("source given", "sources", partial(_add_source, GIVEN_HEADERS, True), SOURCE_FLOOR),
    Law("two files", "sources", partial(_deal, 2), SOURCE_FLOOR, applies=_has_one_file),
    Law("three files", "sources", partial(_deal, 3), (0.98, 0.95)),
)
SUBSETS = (
    Law("half of the entities", "subsets", _keep_half, (0.97, 0.90)),
    Law("no duplicates", "subsets", _keep_none, (0.995, 0.97), figure=APART),
    Law(
        "5 % of the duplicates",
        "subsets",
        _keep_few,
        (0.80, 0.40),
        figure=POOLED,
        draws=10,
        quick_draws=3,
    ),
    Law("exact copies of 20 %", "subsets", _add_copies, (0.99, 0.97)),
    Law(
        "one record of an entity and file",
        "subsets",
        _keep_one_each,
        (-0.03, -0.03),
        figure=LOSS,
        applies=_repeats_within,
    ),
)
