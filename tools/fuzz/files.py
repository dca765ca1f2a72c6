"""Seeded input files: tables with difficult cells, encoded by other libraries, and damaged bytes.

The encoders are Python's csv, json and sqlite3, PyArrow and DuckDB, so that the expected cells do
not depend on the readers of Partita.
"""

from __future__ import annotations

import csv
import io
import json
import math
import sqlite3
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

__all__ = ["FORMATS", "damage", "make_cells", "make_file"]

Cells = dict[str, list[Any]]

PLAIN = ("Ann Lee", "Anne Lee", "Bob Orr", "Robert Orr", "Cid Ray", "Dora Fay", "Ely", "Bath")
HARD = (
    *("", " ", "  two  ", "O'Brien", 'the "big" one', "a,b", "a;b", "a\tb", "a|b", "\\", "\\n"),
    *("a\nb", "a\r\nb", "a\rb", "\n", "Ünïcödé", "e\u0301", "日本語", "🙂", "\u202eabc", "\ufeff"),
    *("\x1b[2J", "\x1b]0;t\x07", "\x7f", "\x9b", "\u2028", "=cmd()|' /C calc'!A0", "@SUM(1)"),
    *("'; DROP TABLE t; --", "<script>alert(1)</script>", "NULL", "nan", "None", "true", "-0"),
    *("00012", "1e309", "0x1F", "1.10", "12345678901234567890", "2001-02-30", "1/2/3", "%s%n"),
    *("x" * 5000, "{}", "[]", '{"a":1}', "#", "# comment", "//", "--", "\\N", '"', "'", '""'),
)
NUMBERS = (0, -1, 2**31, 2**53 + 1, 2**63 - 1, -(2**63), 7, 42)
FLOATS = (0.1, 1 / 3, 1e300, -1e-300, 5e-324, 123456.789, 2.0, -0.0)
ROWS = (1, 2, 3, 8, 12, 20)


def make_cells(random: Random, texts_only: bool = False) -> Cells:
    """Make columns of a table: an id, two of plain words and some of difficult values."""
    rows = random.choice(ROWS)
    cells: Cells = {
        "id": [f"r{row}" for row in range(rows)],
        "name": [random.choice(PLAIN) for _ in range(rows)],
        "town": [random.choice(PLAIN) for _ in range(rows)],
    }
    for at in range(random.randrange(1, 4)):
        kind = 0 if texts_only else random.randrange(4)
        pools: tuple[tuple[Any, ...], ...] = (HARD, NUMBERS, FLOATS, (True, False))
        share = random.random() / 2
        cells[random.choice(("x", "Größe", "a b", "c.d", "q'")) + str(at)] = [
            None if random.random() < share else random.choice(pools[kind]) for _ in range(rows)
        ]
    return cells


def _rows(cells: Cells) -> list[tuple[Any, ...]]:
    return list(zip(*cells.values(), strict=True))


def _make_csv(random: Random, path: Path) -> Cells:
    """Write a CSV file whose lines may end in different ways."""
    cells = make_cells(random, texts_only=True)
    delimiter = random.choice(",,,;\t|")
    ends = random.choice((["\n"], ["\r\n"], ["\n", "\r\n"], ["\r", "\n"]))
    quoting = random.choice((csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_ALL))
    parts = []
    for row in (tuple(cells), *_rows(cells)):
        line = io.StringIO()
        csv.writer(line, delimiter=delimiter, quoting=quoting).writerow(row)
        parts.append(line.getvalue().removesuffix("\r\n") + random.choice(ends))
    encoding = random.choice(("utf-8", "utf-8", "utf-8-sig", "utf-16"))
    path.write_bytes("".join(parts).encode(encoding))
    return cells


def _make_json(random: Random, path: Path) -> Cells:
    """Write lines of objects, or an array of them."""
    cells = make_cells(random)
    rows = [dict(zip(cells, row, strict=True)) for row in _rows(cells)]
    for row in rows[1:]:
        if random.random() < 0.3:
            # a missing key is a missing value
            row.pop(next((name for name in list(row)[3:] if row[name] is None), ""), None)
    texts = [json.dumps(row, ensure_ascii=random.random() < 0.5) for row in rows]
    text = f"[{', '.join(texts)}]" if path.suffix == ".json" else "\n".join(texts) + "\n"
    path.write_text(text, encoding="utf-8")
    return cells


def _to_arrow(cells: Cells) -> pa.Table:
    return pa.table({name: pa.array(column) for name, column in cells.items()})


def _make_parquet(random: Random, path: Path) -> Cells:
    cells = make_cells(random)
    compression = random.choice(("snappy", "none", "zstd"))
    pq.write_table(_to_arrow(cells), path, compression=compression)
    return cells


def _make_duckdb(random: Random, path: Path) -> Cells:
    cells = make_cells(random)
    with duckdb.connect(str(path)) as connection:
        connection.register("cells", _to_arrow(cells))
        connection.execute("CREATE TABLE records AS SELECT * FROM cells")
    return cells


def _make_sqlite(random: Random, path: Path) -> Cells:
    """Write a SQLite table, one of whose columns may hold values of several types."""
    cells = make_cells(random)
    if random.random() < 0.5:
        pool = [*HARD[:8], *NUMBERS, *FLOATS, None]
        cells["mixed"] = [random.choice(pool) for _ in cells["id"]]
    # SQLite has no type of true and false
    cells = {
        name: [int(value) if isinstance(value, bool) else value for value in column]
        for name, column in cells.items()
    }
    connection = sqlite3.connect(path)
    names = ", ".join('"' + name.replace('"', '""') + '"' for name in cells)
    connection.execute(f"CREATE TABLE records ({names})")
    marks = ", ".join("?" for _ in cells)
    connection.executemany(f"INSERT INTO records VALUES ({marks})", _rows(cells))
    connection.commit()
    connection.close()
    return cells


def _make_bibtex(random: Random, path: Path) -> Cells:
    """Write BibTeX; each author of each entry is one record."""
    cells: Cells = {"key": [], "position": [], "last": []}
    parts = ['@string{v = "Journal"}']
    for entry in range(random.randrange(1, 6)):
        authors = [random.choice(("Lee", "Orr", "Ray", "Fay")) for _ in range(random.randrange(4))]
        names = " and ".join(f"{random.choice('ABC')}. {last}" for last in authors)
        title = random.choice(("A title", "On {DNA}", "50\\% of all", "Gödel", "x" * 500))
        fields = [
            f"author = {{{names}}}",
            f"title = {{{title}}}",
            "journal = v # { X}",
            "year=2001",
        ]
        random.shuffle(fields)
        parts.append(f"@{random.choice(('article', 'BOOK'))}{{k{entry},\n {', '.join(fields)}}}")
        cells["key"] += [f"k{entry}"] * len(authors)
        cells["position"] += range(1, len(authors) + 1)
        cells["last"] += authors
    path.write_text("\n".join(parts), encoding="utf-8")
    return cells


FORMATS: dict[str, Callable[[Random, Path], Cells]] = {
    ".csv": _make_csv,
    ".jsonl": _make_json,
    ".json": _make_json,
    ".parquet": _make_parquet,
    ".duckdb": _make_duckdb,
    ".db": _make_sqlite,
    ".bib": _make_bibtex,
}
"""The encoder of each ending."""


def make_file(random: Random, folder: Path) -> tuple[Path, Cells]:
    """Write a file of a random format; return its path and its cells."""
    ending = random.choice(list(FORMATS))
    path = folder / f"records{ending}"
    return path, FORMATS[ending](random, path)


def damage(random: Random, data: bytes) -> bytes:
    """Flip, cut, repeat, swap or insert bytes, up to three times."""
    tokens = (b"\0", b"\xff\xfe", b'"', b"\n", b",", b"{", b"}" * 50, b"[" * 3000, b"1e999", b"NaN")
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        if not data:
            return data
        at, size = random.randrange(len(data)), 1 + int(math.exp(random.random() * 5))
        piece = data[at : at + size]
        data = random.choice(
            (
                data[:at],
                data[:at] + data[at + size :],
                data[:at] + piece * random.randrange(2, 9) + data[at + size :],
                data[:at] + bytes([random.randrange(256)]) + data[at + 1 :],
                data[:at] + random.choice(tokens) + data[at:],
                data[at:] + data[:at],
                data[:at] + bytes(random.randrange(256) for _ in piece) + data[at + size :],
            )
        )
    return data
