"""Hand-made readers and blocking beside the libraries that could replace them.

    python -m benchmarks.readers [--records N] [--json]

CSV: DuckDB's sniffer with rejects. BibTeX and TeX: bibtexparser with pylatexenc. TF-IDF n-gram
nearest neighbours: sparse_dot_topn. Both sides read the same generated input in one process. A
library that is not installed is skipped with a message; `pip install partita[readers]` adds all.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from partita.blocking.candidates import find_candidates
from partita.data import read
from partita.data.bibtex import read_bibtex
from partita.data.files import read_file
from partita.errors import InputError
from partita.synthetic import people

__all__ = ["compare_bibtex", "compare_csv", "compare_neighbours", "main"]

NEIGHBOURS = 20
"""Neighbours of a record, as in `find_candidates`."""
PADDING = 30_000
"""Records before a defect, more than DuckDB's sniffer samples."""
Row = dict[str, Any]


def _time(work: Callable[[], Any]) -> tuple[Any, float]:
    """The result of some work and its CPU seconds."""
    begin = time.process_time()
    result = work()
    return result, time.process_time() - begin


def _make_csv_cases() -> dict[str, tuple[bytes, int | None]]:
    """Files and their numbers of records; None if the file is broken and must be refused."""
    head = b"id,name,town\n" + b"".join(b"%d,Ann Lee,Ely\n" % at for at in range(PADDING))
    return {
        "clean": (head, PADDING),
        "quoted line breaks": (head + b'x,"Ann\nLee",Ely\n' * 9, PADDING + 9),
        "mixed line ends": (head + b"x,Ann,Ely\r\ny,Bob,Bath\n", PADDING + 2),
        "late Windows-1252": (head + "x,Müller,Ely\n".encode("cp1252"), PADDING + 1),
        "late delimiter in quotes": (head + b'x,"Lee, Ann",Ely\n', PADDING + 1),
        "blank line at the end": (head + b"\n\n", PADDING),
        "field missing": (head + b"x,Ann\ny,Bob,Bath\n", None),
        "field too many": (head + b"x,Ann,Ely,Kent\n", None),
        "quote never closed": (head + b'x,"Ann,Ely\ny,Bob,Bath\n', None),
        "text after a quote": (head + b'x,"Ann" Lee,Ely\n', None),
    }


def compare_csv(folder: Path) -> list[Row]:
    """Outcome and CPU seconds of both readers for whole and broken files."""
    rows = []
    for name, (data, records) in _make_csv_cases().items():
        path = folder / "case.csv"
        path.write_bytes(data)
        for reader, count in (("partita", _count_partita), ("duckdb", _count_duckdb)):
            (count_read, message), cpu = _time(lambda count=count, path=path: count(path))
            row = {"part": "csv", "case": name, "reader": reader, "records": count_read, "cpu": cpu}
            rows.append({**row, "correct": count_read == records, "message": message})
    return rows


def _count_partita(path: Path) -> tuple[int | None, str]:
    """The records that Partita reads, or None and its message."""
    try:
        return read_file(path).num_rows, ""
    except InputError as error:
        return None, str(error).replace(str(path), path.name)


def _count_duckdb(path: Path) -> tuple[int | None, str]:
    """The records that DuckDB reads; rejected lines or an error count as a refusal."""
    import duckdb

    with duckdb.connect(":memory:") as connection:
        try:
            table = connection.sql(
                f"SELECT * FROM read_csv('{path}', all_varchar = true, store_rejects = true)"
            ).to_arrow_table()
        except duckdb.Error as error:
            return None, str(error).strip().partition("\n")[0]
        rejects = connection.sql("SELECT line, error_type FROM reject_errors").fetchall()
    if rejects:
        return None, f"{len(rejects)} rejects, the first on line {rejects[0][0]}"
    return table.num_rows, ""


def _make_bibtex(entries: int) -> tuple[str, int]:
    """Entries with accents, macros, joined strings and braces, every tenth broken."""
    text = ['@string{jml = "Journal of " # {Learning}}']
    for at in range(entries):
        close = "" if at % 10 == 9 else "}"
        text.append(
            f"@article{{key{at},\n  author = {{Erd{{\\H o}}s, P{{\\'a}}l and {{\\O}}. van der Berg "
            f"and {{Barnes and Noble}}}},\n  title = {{{{DNA}} \\emph{{of}} \\'Etale maps {at}}},\n"
            f"  journal = jml, year = 199{at % 9}\n{close}"
        )
    return "\n".join(text), 3 * (entries - entries // 10)


def compare_bibtex(folder: Path, entries: int = 2000) -> list[Row]:
    """Authors read, names that are right, and CPU seconds of both BibTeX readers."""
    text, authors = _make_bibtex(entries)
    path = folder / "case.bib"
    path.write_text(text)
    rows = []
    for reader, load in (("partita", _load_partita), ("bibtexparser", _load_bibtexparser)):
        try:
            names, cpu = _time(lambda load=load: load(path))
        except ImportError as error:
            _skip(error)
            continue
        right = sum(name in ("Erdős", "van der Berg", "Barnes and Noble") for name in names)
        row = {"part": "bibtex", "case": f"{entries} entries, a tenth broken", "reader": reader}
        correct = len(names) == right == authors
        rows.append({**row, "records": len(names), "right": right, "cpu": cpu, "correct": correct})
    return rows


def _load_partita(path: Path) -> list[str]:
    """Last names by Partita."""
    return read_bibtex(path).table["last"].to_pylist()


def _load_bibtexparser(path: Path) -> list[str]:
    """Last names by bibtexparser 2, and by pylatexenc for its remaining TeX."""
    import bibtexparser
    from bibtexparser import middlewares
    from pylatexenc.latex2text import LatexNodes2Text

    # one message for every broken entry would hide the table
    logging.getLogger().setLevel(logging.CRITICAL)
    # its own decoder skips lists of names, and before the split it drops the braces that protect
    splitters = [middlewares.SeparateCoAuthors(), middlewares.SplitNameParts()]
    library = bibtexparser.parse_file(str(path), append_middleware=splitters)
    decode = LatexNodes2Text().latex_to_text
    return [
        decode(" ".join([*author.von, *author.last]))
        for entry in library.entries
        for author in entry.fields_dict["author"].value
    ]


def compare_neighbours(folder: Path, records: int) -> list[Row]:
    """Matches within reach and CPU seconds of both searches over generated people."""
    path = folder / "people.csv"
    people(records, seed=1).write(path)
    table = read(path, ignore="entity")
    truth = table.column("entity").codes
    columns = {name: table.column(name) for name in table.names}
    rows = []
    for search, find in (("partita", _find_partita), ("sparse_dot_topn", _find_sparse)):
        try:
            find({name: _head(column, 500) for name, column in columns.items()})
            pairs, cpu = _time(lambda find=find: find(columns))
        except ImportError as error:
            _skip(error)
            continue
        row = {"part": "neighbours", "case": f"{records:,} people", "reader": search}
        reached = _measure_reach(pairs, truth)
        rows.append({**row, "pairs": len(pairs), "reached": reached, "cpu": cpu})
    return rows


def _head(column: Any, n: int) -> Any:
    """The first records of a column, to compile and load before the clock starts."""
    return type(column)(column.name, column.codes[:n], column.values, column.counts)


def _find_partita(columns: Any) -> Any:
    """Pairs by both searches of Partita, on one thread."""
    return find_candidates(columns, k=NEIGHBOURS, cores=1).pairs


def _find_sparse(columns: Any) -> Any:
    """Pairs by the top products of a TF-IDF matrix of character 3-grams, on one thread."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sparse_dot_topn import sp_matmul_topn

    parts = []
    for column in columns.values():
        values = np.append(column.values.to_numpy(zero_copy_only=False).astype(object), "")
        parts.append(values[column.codes])
    texts = [" ".join(row) for row in zip(*parts, strict=True)]
    matrix = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 3)).fit_transform(texts)
    products = sp_matmul_topn(matrix, matrix.T.tocsr(), top_n=NEIGHBOURS + 1, n_threads=1).tocoo()
    first, second = products.coords
    pairs = np.stack([np.minimum(first, second), np.maximum(first, second)], 1)[first != second]
    return np.unique(pairs, axis=0)


def _measure_reach(pairs: Any, truth: Any) -> float:
    """The share of the records with a true match that have a true match among their candidates."""
    has_match = np.bincount(truth)[truth] > 1
    true = pairs[truth[pairs[:, 0]] == truth[pairs[:, 1]]]
    return float(np.isin(np.flatnonzero(has_match), true).mean())


def _skip(error: ImportError) -> None:
    print(f"{error.name} is not installed: skipped", file=sys.stderr)


def main() -> None:
    """Print one line for each case and reader."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.readers", description=__doc__)
    parser.add_argument("--records", type=int, default=20_000, help="people for the neighbours")
    parser.add_argument("--json", action="store_true", help="print one JSON object as last line")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _count_partita(Path(__file__))
        rows = compare_csv(folder) + compare_bibtex(folder)
        rows += compare_neighbours(folder, options.records)
    for row in rows:
        facts = {key: value for key, value in row.items() if key not in ("part", "case", "reader")}
        shown = ", ".join(
            f"{key} {value:.3f}" if isinstance(value, float) else f"{key} {value}"
            for key, value in facts.items()
            if value != ""
        )
        print(f"{row['part']:11} {row['case']:34} {row['reader']:16} {shown}")
    if options.json:
        print(json.dumps({"rows": rows}))


if __name__ == "__main__":
    main()
