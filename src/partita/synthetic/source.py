"""A synthetic data set that is generated on demand: as batches, a table or a file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from partita.errors import InputError
from partita.states.checks import whole
from partita.synthetic.draws import Ints
from partita.synthetic.writing import check, write_batches

__all__ = ["BATCH", "MAX_SOURCES", "Source", "Truth", "name_files", "name_source"]

BATCH = 1 << 16
"""Rows of a batch."""

MAX_SOURCES = 26
"""Maximum number of sources; letters name them."""

Truth = Literal["column", "file"] | None
PLACES = ("column", "file", None)


@dataclass(frozen=True)
class Source:
    """Rows of a synthetic data set, generated in batches on demand."""

    n: int
    """Number of rows."""
    names: tuple[str, str]
    """The names of the id column and of the truth column."""
    truth: Truth
    """Place of the truth: the last column, a separate file, or none."""
    make: Callable[[int, int], dict[str, pa.Array]]
    """The columns of the rows from one number to another, without truth."""
    answer: Callable[[int, int], Ints]
    """The truth of the rows from one number to another."""
    sources: int = 1
    """Number of sources; with several, the column `source` names the source of a row."""

    def __post_init__(self) -> None:
        if self.truth not in PLACES:
            raise InputError(f"truth is {self.truth!r}; give 'column', 'file' or None")

    def batches(self, size: int = BATCH) -> Iterator[pa.RecordBatch]:
        """All rows, `size` at a time; the rows do not depend on the size."""
        whole(size, "the batch size")
        for start in range(0, self.n, size):
            stop = min(start + size, self.n)
            columns = {self.names[0]: pa.array(np.arange(start, stop)), **self.make(start, stop)}
            if self.truth == "column":
                columns[self.names[1]] = pa.array(self.answer(start, stop))
            yield pa.RecordBatch.from_pydict(columns)

    def answers(self, size: int = BATCH) -> Iterator[pa.RecordBatch]:
        """Id and truth of all rows, `size` at a time."""
        whole(size, "the batch size")
        for start in range(0, self.n, size):
            stop = min(start + size, self.n)
            values = (np.arange(start, stop), self.answer(start, stop))
            yield pa.RecordBatch.from_arrays([pa.array(column) for column in values], self.names)

    def table(self) -> pa.Table:
        """All rows in memory."""
        return pa.Table.from_batches(self.batches())

    def truths(self) -> pa.Table:
        """Id and truth of all rows in memory, for every setting of `truth`."""
        return pa.Table.from_batches(self.answers())

    def write(self, path: str | os.PathLike[str]) -> list[Path]:
        """Write all rows to a file ending in .csv, .parquet or .jsonl; returns the written paths.

        Files are written atomically. With truth="file" the truth of `people.csv` goes to
        `people.truth.csv`. Several sources go to `products.a.csv`, `products.b.csv` and so on.
        """
        files = [check(file) for file in name_files(check(path), self.sources, self.truth)]
        writers: list[Callable[[], Iterator[pa.RecordBatch]]] = [self.batches]
        if self.sources > 1:
            names = [name_source(number) for number in range(self.sources)]
            writers = [partial(self._select_source, name) for name in names]
        if self.truth == "file":
            writers.append(self.answers)
        return write_batches(dict(zip(files, writers, strict=True)))

    def _select_source(self, name: str) -> Iterator[pa.RecordBatch]:
        """Batches of one source, without the column `source`."""
        for batch in self.batches():
            rows = batch.filter(pc.equal(batch["source"], name))
            yield rows.select([column for column in rows.schema.names if column != "source"])


def name_source(number: int) -> str:
    """The letter of a source."""
    return chr(ord("a") + number)


def name_files(path: Path, sources: int, truth: Truth) -> list[Path]:
    """The files that hold the records of a data set, and its truth if that is a file."""
    marks = [f".{name_source(number)}" for number in range(sources)] if sources > 1 else [""]
    marks += [".truth"] if truth == "file" else []
    return [path.with_name(f"{path.stem}{mark}{path.suffix}") for mark in marks]
