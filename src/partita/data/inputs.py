"""Files and Python objects as named Arrow tables, before they become records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import numpy as np
import pyarrow as pa

from partita.data.files import SUFFIXES, read_file
from partita.data.layout import Layout
from partita.data.postgres import is_postgres, parse_address
from partita.data.sources import STREAM, split_table
from partita.data.table import make_array
from partita.errors import EmptyInputError, InputError

__all__ = ["Input", "infer_input_type", "is_like_path", "list_inputs", "load_table"]

ACCEPTED = (
    "a path, a pandas or polars DataFrame or Series, an Arrow table or array, a DuckDB relation, "
    "a list of dicts or a list of strings"
)
COLUMN = "value"
"""The name of a single column that has none of its own."""


class Input(NamedTuple):
    """One file or table."""

    source: str
    """The name of its source in the output."""
    label: str
    """Its name in messages."""
    data: Any


def list_inputs(data: Any) -> list[Input]:
    """List the files or tables of `data`, each with a source name of its own."""
    if isinstance(data, Mapping):
        named_tables = [(str(name), table) for name, table in data.items()]
        lists = (table for _, table in named_tables if isinstance(table, list | tuple))
        if not all(isinstance(row, Mapping) for rows in lists for row in rows):
            raise InputError("data is a dict of columns; give a list of dicts, one for each record")
    elif isinstance(data, list | tuple) and not _is_single(data):
        named_tables = [(_name_source(table, at), table) for at, table in enumerate(data)]
    else:
        named_tables = [(_name_source(data, 0), data)]
    if not named_tables:
        raise InputError(f"data is empty; give {ACCEPTED}")
    sources: list[str] = []
    for name, _ in named_tables:
        number = sum(other == name or other.startswith(f"{name}_") for other in sources)
        sources.append(f"{name}_{number + 1}" if name in sources else name)
    return [
        Input(source, _label(table, source), _widen(table))
        for source, (_, table) in zip(sources, named_tables, strict=True)
    ]


def _is_single(data: Sequence[Any]) -> bool:
    """Whether a list is one table: dicts, or texts that do not resemble paths."""
    if data and isinstance(data[0], Mapping):
        return True
    texts = [text for text in data if text is not None]
    return (
        len(texts) > 1
        and all(isinstance(text, str) for text in texts)
        and not any(is_like_path(text) for text in texts)
    )


def is_like_path(text: str) -> bool:
    """Whether a text names a file that exists, or ends like the name of a file."""
    if not text.strip():
        return False
    path, table = split_table(text)
    if is_postgres(text) or text == STREAM or table is not None or path.suffix.lower() in SUFFIXES:
        return True
    try:
        return path.exists()
    except (OSError, ValueError):
        # a text that is too long for a name, or holds a zero byte
        return False


def _name_source(data: Any, at: int) -> str:
    """Name a source after its file and table, or number it."""
    if not isinstance(data, str | Path):
        return f"source_{at + 1}"
    if str(data) == STREAM:
        return "stdin"
    if is_postgres(data):
        return parse_address(str(data)).table
    path, table = split_table(str(data))
    stem = path.name.partition(".")[0] or path.name
    return f"{stem}.{table}" if table else stem


def _label(data: Any, source: str) -> str:
    """Name an input in messages: the name of its file, or its source."""
    is_file = isinstance(data, str | Path) and str(data) != STREAM and not is_postgres(data)
    return Path(str(data)).name if is_file else source


def _widen(data: Any) -> Any:
    """Turn a single column into a table with one column; anything else stays as it is."""
    library = type(data).__module__.partition(".")[0]
    if library in ("pandas", "polars") and type(data).__name__ == "Series":
        return data.to_frame(COLUMN if data.name in (None, "") else str(data.name))
    if isinstance(data, pa.Array | pa.ChunkedArray) and not pa.types.is_struct(data.type):
        return pa.table({COLUMN: data})
    if isinstance(data, np.ndarray) and data.ndim == 1:
        return pa.table({COLUMN: make_array(data.tolist())})
    is_texts = isinstance(data, list | tuple) and data and not isinstance(data[0], Mapping)
    if is_texts and all(text is None or isinstance(text, str) for text in data):
        return pa.table({COLUMN: make_array(list(data))})
    return data


def infer_input_type(data: Any) -> str:
    """Infer the type of an input: path, duckdb, pandas, polars, dicts or arrow."""
    library = type(data).__module__.partition(".")[0]
    if isinstance(data, str | Path):
        return "path"
    if isinstance(data, duckdb.DuckDBPyRelation):
        return "duckdb"
    if library in ("pandas", "polars") and type(data).__name__ in ("DataFrame", "LazyFrame"):
        return library
    if isinstance(data, Sequence) and all(isinstance(row, Mapping) for row in data):
        return "dicts"
    if hasattr(data, "__arrow_c_stream__"):
        return "arrow"
    raise InputError(f"data is a {type(data).__name__}; give {ACCEPTED}")


def load_table(data: Any, memory: int | None, layout: Layout) -> pa.Table:
    """Load one input as an Arrow table with distinct names and at least one record."""
    type = infer_input_type(data)
    if type == "path":
        table = read_file(data, memory, layout)
    elif type == "pandas":
        columns = {str(name): data.iloc[:, at] for at, name in enumerate(data.columns)}
        if len(columns) < data.shape[1]:
            raise InputError("two columns of the DataFrame have the same name; rename one of them")
        table = _make_table(columns)
    elif type == "dicts":
        keys = dict.fromkeys(str(key) for row in data for key in row)
        table = _make_table({key: [row.get(key) for row in data] for key in keys})
    elif type == "duckdb":
        table = data.to_arrow_table()
    else:
        frame = data.collect() if hasattr(data, "collect") else data
        table = frame if isinstance(frame, pa.Table) else pa.table(frame)
    repeated = sorted(name for name, count in Counter(table.column_names).items() if count > 1)
    if repeated:
        raise InputError(f"two columns are called {repeated[0]!r}; rename one of them")
    if not table.num_rows:
        raise EmptyInputError("the data has columns but no records; give at least one record")
    return table


def _make_table(columns: Mapping[str, Any]) -> pa.Table:
    """Make a table of columns of Python or pandas values."""
    if not columns:
        raise InputError("the data has no columns; give at least one")
    return pa.table({name: make_array(column) for name, column in columns.items()})
