"""Write batches to .csv, .parquet or .jsonl files, atomically."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from partita.errors import InputError
from partita.io import atomic_write, cannot_write

__all__ = ["SUFFIXES", "check", "lines", "write_batches"]

Batches = Callable[[], Iterator[pa.RecordBatch]]


def check(path: str | os.PathLike[str]) -> Path:
    """The path; an InputError if its ending or its folder is wrong."""
    place = Path(path)
    if place.suffix not in SUFFIXES:
        raise InputError(
            f"{place} ends in {place.suffix!r}; give a file ending in {', '.join(SUFFIXES)}"
        )
    # unlike Path.is_dir, os.path.isdir does not raise for invalid file names
    if not os.path.isdir(place.parent):  # noqa: PTH112
        raise InputError(f"there is no folder {place.parent}; create it, or give another file")
    if os.path.isdir(place):  # noqa: PTH112
        raise InputError(f"{place} is a folder; give the name of a file")
    return place


def write_batches(files: Mapping[Path, Batches]) -> list[Path]:
    """Write all files together: either all targets are replaced or none."""
    try:
        with atomic_write(*files) as temporary:
            for path, (target, batches) in zip(temporary, files.items(), strict=True):
                with path.open("wb") as file:
                    SUFFIXES[target.suffix](file, batches())
    except OSError as error:
        paths = ", ".join(str(target) for target in files)
        raise cannot_write(paths, error) from error
    return list(files)


def lines(batch: pa.RecordBatch) -> bytes:
    """A batch as JSON, one object for each row; missing values are null."""
    parts: list[Any] = []
    for number, name in enumerate(batch.schema.names):
        parts += ["{" if number == 0 else ",", f'"{name}":', _values(batch.column(number))]
    # the last argument is the separator: none
    objects = pc.binary_join_element_wise(*parts, "}\n", "")
    text = objects.cast(pa.large_string())
    _, offsets, data = text.buffers()
    ends = memoryview(offsets).cast("q")
    return bytes(memoryview(data)[ends[0] : ends[len(text)]])


def _values(column: pa.Array) -> pa.Array:
    """JSON values of a column of numbers or strings."""
    if pa.types.is_string(column.type):
        for mark in ("\\", '"'):
            column = pc.replace_substring(column, mark, "\\" + mark)
        values = pc.binary_join_element_wise('"', column, '"', "")
    else:
        values = column.cast(pa.string())
    return pc.fill_null(values, "null")


def _csv(file: BinaryIO, batches: Iterator[pa.RecordBatch]) -> None:
    first = next(batches)
    with pa_csv.CSVWriter(file, first.schema) as writer:
        writer.write_batch(first)
        for batch in batches:
            writer.write_batch(batch)


def _parquet(file: BinaryIO, batches: Iterator[pa.RecordBatch]) -> None:
    first = next(batches)
    with pq.ParquetWriter(file, first.schema, compression="zstd") as writer:
        writer.write_batch(first)
        for batch in batches:
            writer.write_batch(batch)


def _jsonl(file: BinaryIO, batches: Iterator[pa.RecordBatch]) -> None:
    for batch in batches:
        file.write(lines(batch))


SUFFIXES: dict[str, Callable[[BinaryIO, Iterator[pa.RecordBatch]], None]] = {
    ".csv": _csv,
    ".parquet": _parquet,
    ".jsonl": _jsonl,
}
"""The writer of each file ending."""
