"""Records: the input unchanged, and its columns as codes into distinct cleaned values."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from partita.data.arrow import from_numpy, from_strings, to_numpy
from partita.data.clean import clean
from partita.data.duckdb import connect
from partita.data.row_order import find_tied, hash_rows
from partita.errors import InputError
from partita.kernel import Ints

__all__ = [
    "Codes",
    "Column",
    "Records",
    "attach_format",
    "attach_notes",
    "encode",
    "get_format",
    "get_notes",
    "list_some",
    "make_array",
    "to_text",
]

FORMAT = b"partita.format"
"""Metadata key of the format of a file."""
NOTES = b"partita.notes"

Codes = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Column:
    """One column: values[codes[i]] is the value of record i, and code -1 means missing.

    Values are sorted, so that codes do not depend on the order of the records.
    """

    name: str
    codes: Codes
    values: pa.StringArray
    counts: Ints

    def texts(self, codes: NDArray[np.integer]) -> list[str]:
        """Return the texts of some codes, none of which is -1."""
        texts: list[str] = self.values.take(from_numpy(codes)).to_pylist()
        return texts


@dataclass(frozen=True, eq=False)
class Records:
    """A table of records with its ids, sources and data columns, in the order of the input.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"id": ["a", "b", "c"], "name": ["Ann Lee", "ANN-LEE", "n/a"]})
    >>> records = Records(table, ("name",), table["id"].combine_chunks())
    >>> records.column("name").values.to_pylist(), records.column("name").codes.tolist()
    (['ann lee'], [0, 0, -1])
    """

    table: pa.Table = field(repr=False)
    names: tuple[str, ...]
    ids: pa.Array = field(repr=False)
    sources: Codes | None = field(default=None, repr=False)
    source_names: tuple[str, ...] = ()
    input_type: str = "arrow"
    input: Any = field(default=None, repr=False)
    notes: tuple[str, ...] = ()
    """Messages about the input, such as a missing header."""
    id_name: str | None = None
    """The column of ids; None where records are numbered."""
    formats: frozenset[str] = field(default=frozenset(), repr=False)
    """The formats of the files; those of other inputs are empty."""
    _cache: dict[str, Column] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        names = set(self.table.column_names)
        for name in self.names:
            if name not in names:
                raise InputError(
                    f"there is no column {name!r}; there are {list_some(sorted(names))}"
                )
        if len(self.ids) != self.n:
            raise InputError(f"{len(self.ids)} ids for {self.n} records; give one for each")

    @cached_property
    def _places(self) -> dict[str, int]:
        # Arrow finds a name in linear time
        return {name: place for place, name in enumerate(self.table.column_names)}

    @property
    def n(self) -> int:
        """The number of records."""
        return int(self.table.num_rows)

    def __len__(self) -> int:
        """The number of records."""
        return self.n

    def column(self, name: str, cleaned: bool = True) -> Column:
        """Encode a column as codes into its distinct values, cleaned or raw, and cache it."""
        place = self._places.get(name)
        if place is None:
            raise InputError(f"there is no column {name!r}; there are {list_some(self.names)}")
        cached = self._cache.get(name)
        if cached is not None and cleaned:
            return cached
        codes, values = encode(self.table.column(place), name)
        raw = _make_column(name, codes, values)
        if cached is None:
            self._cache[name] = _make_column(name, *_clean_codes(raw.codes, raw.values))
        # only the profile needs raw text, once; caching it would double the memory
        return self._cache[name] if cleaned else raw

    def raw_texts(self, name: str, rows: Ints) -> list[str]:
        """Return the uncleaned texts of some rows; missing values are left out."""
        codes, values = encode(self.table.column(self._places[name]).take(from_numpy(rows)), name)
        texts = values.to_pylist()
        return [texts[code] for code in codes.tolist() if code >= 0]

    @cached_property
    def order(self) -> Ints:
        """The rows in an order that depends on their content, not on the order of the input.

        The data columns come first, then the source, the uncleaned text and the other columns.
        Only rows that are equal in everything are in the order of the input.
        """
        keys = hash_rows((self.column(name).codes for name in self.names), self.n)
        order = np.argsort(keys, kind="stable")
        places = find_tied(keys[order])
        if places.size:
            rows = order[places]
            others = [name for name in self.table.column_names if name not in set(self.names)]
            source = np.zeros(rows.size) if self.sources is None else self.sources[rows]
            raw, rest = (self._hash_raw(rows, names) for names in (self.names, others))
            order[places] = rows[np.lexsort((rest, raw, source, keys[rows]))]
        return order

    def _hash_raw(self, rows: Ints, names: Sequence[str]) -> NDArray[np.uint64]:
        """Hash the uncleaned text of some rows."""
        table = self.original(rows).select([self._places[name] for name in names])
        encoded = (encode(column) for column in table.columns)
        return hash_rows((_make_column("", *parts).codes for parts in encoded), rows.size)

    def qualify_ids(self) -> pa.Array:
        """Return distinct ids: the ids, or "source:id" where sources use the same ids."""
        ids = self.ids
        if self.sources is None or len(pc.unique(ids)) == len(ids):
            return ids
        titles = np.array(self.source_names, object)[self.sources]
        return from_strings(
            [f"{title}:{id}" for title, id in zip(titles, ids.to_pylist(), strict=True)]
        )

    def original(self, rows: Sequence[int] | Ints | None = None) -> pa.Table:
        """Return the input unchanged: all of it, or some rows in the order of `rows`."""
        if rows is None:
            return self.table
        indices = np.asarray(rows, np.int64)
        if len(indices) and not 0 <= indices.min() <= indices.max() < self.n:
            raise InputError(f"a row is outside 0 to {self.n - 1}; rows are counted from 0")
        return self.table.take(from_numpy(indices))


def attach_notes(table: pa.Table, notes: Sequence[str]) -> pa.Table:
    """Attach messages to a table."""
    return table.replace_schema_metadata({NOTES: json.dumps(list(notes)).encode()})


def attach_format(table: pa.Table, format: str) -> pa.Table:
    """Attach the format of its file to a table."""
    return table.replace_schema_metadata({**(table.schema.metadata or {}), FORMAT: format})


def get_format(table: pa.Table) -> str:
    """Get the format of the file that a table comes from; empty for other tables."""
    format: bytes = (table.schema.metadata or {}).get(FORMAT, b"")
    return format.decode()


def get_notes(table: pa.Table) -> list[str]:
    """Get the messages that a table carries."""
    notes: list[str] = json.loads((table.schema.metadata or {}).get(NOTES, b"[]"))
    return notes


def _make_column(name: str, codes: Codes, values: pa.StringArray) -> Column:
    """Make a read-only column of sorted values with its counts."""
    order = pc.array_sort_indices(values)
    rank = np.full(len(values) + 1, -1, np.int32)
    rank[to_numpy(order)] = np.arange(len(values))
    codes, values = rank[codes], values.take(order)
    counts = np.bincount(codes[codes >= 0], minlength=len(values)).astype(np.int64)
    for array in (codes, counts):
        array.flags.writeable = False
    return Column(name, codes, values, counts)


def list_some(names: Sequence[str], limit: int = 12) -> str:
    """List some names in a message."""
    text = ", ".join(names[:limit])
    return f"{text} and {len(names) - limit} more" if len(names) > limit else text


def make_array(column: Any) -> pa.Array | pa.ChunkedArray:
    """Make an Arrow array of Python or pandas values; values of mixed types become text."""
    try:
        return pa.array(column, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError):
        missing = (value is None or value != value for value in column)
        pairs = zip(column, missing, strict=True)
        return pa.array([None if no else str(value) for value, no in pairs], pa.string())


def encode(column: pa.ChunkedArray, name: str = "") -> tuple[Codes, pa.StringArray]:
    """Encode a column: codes (-1 = missing) and distinct texts, in order of first occurrence."""
    if pa.types.is_null(column.type):
        return np.full(len(column), -1, np.int32), from_strings([])
    if pa.types.is_nested(column.type):
        column = to_text(column)
    elif pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    try:
        encoded = column.dictionary_encode().unify_dictionaries()
        parts = [_get_indices(chunk) for chunk in encoded.chunks]
        codes = np.concatenate(parts) if parts else np.zeros(0, np.int32)
        dictionary = encoded.chunk(0).dictionary if parts else from_strings([])
        values = to_text(pa.chunked_array([dictionary])).combine_chunks()
    except pa.ArrowCapacityError as error:
        raise InputError(f"column {name!r} holds over 2 GB of distinct text; ignore it") from error
    return codes, _concatenate(values)


def _concatenate(values: pa.Array | pa.ChunkedArray) -> pa.StringArray:
    """Concatenate chunks to a single array."""
    return pa.concat_arrays(values.chunks) if isinstance(values, pa.ChunkedArray) else values


def _get_indices(chunk: pa.DictionaryArray) -> Codes:
    """Get the indices of a chunk, -1 for missing."""
    return np.asarray(to_numpy(chunk.indices, missing=-1), np.int32)


def _clean_codes(codes: Codes, values: pa.StringArray) -> tuple[Codes, pa.StringArray]:
    """Encode a column by its cleaned values: spellings that become equal share one code."""
    encoded = clean(values).dictionary_encode()
    new = np.append(_get_indices(encoded), np.int32(-1))
    return new[codes], encoded.dictionary


def to_text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Convert values of any type to text: midnights as dates, lists joined by semicolons."""
    type = column.type
    if pa.types.is_string(type):
        return column
    if pa.types.is_timestamp(type):
        column = _drop_midnight(column)
    if not pa.types.is_nested(type):
        try:
            return column.cast(pa.string())
        except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
            pass
    is_list = pa.types.is_list(type) or pa.types.is_large_list(type)
    is_flat = is_list and not pa.types.is_nested(type.value_type)
    expression = "array_to_string(value, '; ')" if is_flat else "CAST(value AS VARCHAR)"
    with connect(None) as connection:
        connection.register("input", pa.table({"value": column}))
        table = connection.sql(f"SELECT {expression} AS value FROM input").to_arrow_table()
    return table.column(0)


def _drop_midnight(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Convert timestamps to dates if every time is midnight."""
    if column.type.tz is None:
        days = column.cast(pa.date32(), safe=False)
        if pc.all(pc.equal(days.cast(column.type), column), min_count=0).as_py():
            return days
    return column
