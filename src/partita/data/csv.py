"""Text tables (CSV and its relatives) to Arrow, every value as the text that it was."""

from __future__ import annotations

import codecs
import csv
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from partita.data.dialect import Dialect, Scan, detect_encoding, read_chunks, scan_text
from partita.data.duckdb import BATCH_ROWS, connect, query, quote_path, quote_text
from partita.errors import InputError

__all__ = ["read_csv"]

BATCH_BYTES = 1 << 30


def read_csv(path: Path, memory: int | None) -> pa.Table:
    """A text table, all values as text, checked against an independent count of its records."""
    encoding = detect_encoding(path)
    with tempfile.TemporaryDirectory(prefix="partita-") as folder:
        copy = path
        if encoding != "utf-8" or path.suffix.lower() == ".gz":
            copy = _rewritten(path, encoding, Path(folder) / "records.csv")
        scan = scan_text(copy, str(path))
        if scan.mixed:
            # the database refuses a file whose lines end in different ways
            copy = _rewritten(copy, "utf-8", Path(folder) / "lines.csv", unify=True)
        names = _header(copy, scan)
        if not scan.records:
            raise InputError(f"{path} has a header and no records; give at least one record")
        table = _parsed(copy, scan, memory)
    if table.num_rows != scan.records:
        raise InputError(
            f"{path} holds {scan.records} records, but {table.num_rows} were read; "
            "save it again as CSV with quoted fields, or as Parquet"
        )
    return table.rename_columns(names)


def _rewritten(path: Path, encoding: str, target: Path, unify: bool = False) -> Path:
    """A copy in UTF-8, block by block."""
    decoder = codecs.getincrementaldecoder("utf-8-sig" if encoding == "utf-8" else encoding)()
    try:
        with target.open("w", encoding="utf-8", newline="") as out:
            carried = ""
            for block in read_chunks(path):
                text = carried + decoder.decode(block)
                carried = "\r" if unify and text.endswith("\r") else ""
                text = text.removesuffix(carried)
                out.write(text.replace("\r\n", "\n").replace("\r", "\n") if unify else text)
            out.write(decoder.decode(b"", final=True) + ("\n" if carried else ""))
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not valid {encoding}: {error}; save it as UTF-8") from error
    except OSError as error:
        raise InputError(f"no room for a copy of {path} in {target.parent}: {error}") from error
    return target


def _header(path: Path, scan: Scan) -> list[str]:
    """Names of the columns: blank ones by position, repeated ones with a number."""
    dialect = scan.dialect
    with path.open(encoding="utf-8-sig", newline="") as file:
        for _ in range(scan.leading):
            file.readline()
        doubled = dialect.escape == dialect.quote
        reader = csv.reader(
            file,
            delimiter=dialect.delimiter,
            quotechar=dialect.quote,
            doublequote=doubled,
            escapechar=None if doubled else dialect.escape,
            skipinitialspace=True,
        )
        return _distinct([name.strip() for name in next(reader)])


def _distinct(names: Sequence[str]) -> list[str]:
    """The names, told apart."""
    kept: list[str] = []
    for at, name in enumerate(names):
        wanted = name or f"column_{at + 1}"
        number, made = 1, wanted
        while made in kept or (made != name and made in names):
            number += 1
            made = f"{wanted}_{number}"
        kept.append(made)
    return kept


def _parsed(path: Path, scan: Scan, memory: int | None) -> pa.Table:
    """The records of a scanned file; columns are c0, c1, ... since SQL ignores case in names."""
    columns = ", ".join(f"'c{at}': 'VARCHAR'" for at in range(scan.width))
    options = {
        "columns": "{" + columns + "}",
        **_enclosing(scan.dialect),
        **{"auto_detect": "false", "header": "true", "skip": str(scan.leading)},
        **{"strict_mode": "true", "null_padding": "false", "comment": "''"},
        "max_line_size": str(max(2 * scan.longest, 1 << 21)),
    }
    written = ", ".join(f"{key} = {value}" for key, value in options.items())
    rows = max(1, min(BATCH_ROWS, BATCH_BYTES // max(1, scan.longest)))
    with quote_path(path) as given, connect(memory) as opened:
        return query(opened, f"SELECT * FROM read_csv({given}, {written})", memory, rows)


def _enclosing(dialect: Dialect) -> dict[str, str]:
    """The dialect as options of the database."""
    return {
        "delim": quote_text(dialect.delimiter),
        "quote": quote_text(dialect.quote),
        "escape": quote_text(dialect.escape),
    }
