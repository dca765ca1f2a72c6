"""BibTeX files: every author of every entry is one record.

Entries that cannot be read are left out and counted. One that is never closed ends where the next
begins: at an @ that starts a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from partita.data.dialect import detect_encoding, read_chunks
from partita.data.tex import Name, parse_name, split_names, strip_tex
from partita.errors import InputError

__all__ = ["COLUMNS", "Bibliography", "read_bibtex"]

COLUMNS = {
    **{"key": pa.string(), "position": pa.int64(), "first": pa.string(), "middle": pa.string()},
    **{"last": pa.string(), "coauthors": pa.string(), "title": pa.string(), "venue": pa.string()},
    **{"year": pa.int64()},
}
"""The columns of the records, and their types."""
VENUES = ("journal", "journaltitle", "booktitle", "school", "institution", "publisher")
"""The fields that say where something appeared, the best first."""
SILENT = ("comment", "preamble")
OPENING = re.compile(r"@[ \t]*([A-Za-z]+)\s*[({]")
STARTED = re.compile(r"^[ \t]*@[ \t]*[A-Za-z]+\s*[({]", re.MULTILINE)
KEY = re.compile(r"\s*([^\s,={}\"]+)\s*(?:,|$)")
FIELD = re.compile(r"[\s,]*([^\s=,{}\"#]+)\s*=\s*")
BARE = re.compile(r"[^\s,#{}\"]+")
JOINED = re.compile(r"\s*#\s*")
YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")


class Bibliography(NamedTuple):
    """The records of a file, and what was noticed."""

    table: pa.Table
    entries: int
    """Entries that were read, those without an author as well."""
    broken: tuple[int, ...]
    """The lines at which entries begin that could not be read."""
    nameless: int
    """Entries without an author, of which there is no record."""

    def notes(self, path: str | Path) -> tuple[str, ...]:
        """What a user should know, in words."""
        found = []
        if self.broken:
            count = len(self.broken)
            found.append(
                f"{path}: {count:,} broken {_entries(count)} left out, the first at line "
                f"{self.broken[0]}"
            )
        if self.nameless:
            found.append(
                f"{path}: {self.nameless:,} {_entries(self.nameless)} without an author left out"
            )
        return tuple(found)


def _entries(count: int) -> str:
    return "entry" if count == 1 else "entries"


def read_bibtex(path: str | Path, name: str = "") -> Bibliography:
    """Read a BibTeX file: a record for each author, with coauthors, title, venue and year."""
    given, name = Path(path), name or str(path)
    text = b"".join(read_chunks(given)).decode(detect_encoding(given, name), "replace")
    rows: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    macros: dict[str, str] = {}
    broken, entries, nameless = [], 0, 0
    for kind, body, line in _entries_of(text):
        fields = None if body is None else _fields(body, macros, keyed=kind != "string")
        if fields is None:
            broken.append(line)
        elif kind == "string":
            macros |= fields
        else:
            entries += 1
            names = [parse_name(one) for one in split_names(fields.get("author", ""))]
            nameless += not names
            _add(rows, fields, names)
    if not rows["key"]:
        raise InputError(_nothing(name, broken, entries))
    arrays = {name: pa.array(rows[name], kind) for name, kind in COLUMNS.items()}
    return Bibliography(pa.table(arrays), entries, tuple(broken), nameless)


def _nothing(path: str | Path, broken: list[int], entries: int) -> str:
    """Why there is no record."""
    if broken:
        return f"{path} has no entry that can be read, the first is at line {broken[0]}; mend it"
    what = f"{entries:,} {_entries(entries)} but no author" if entries else "no entry"
    return f"{path} has {what}; give a BibTeX file whose entries have authors"


def _entries_of(text: str) -> Iterator[tuple[str, str | None, int]]:
    """Kind, body and line of each entry; the body of one that is never closed is None."""
    at, line, counted = 0, 1, 0
    while (opening := OPENING.search(text, at)) is not None:
        line, counted = line + text.count("\n", counted, opening.start()), opening.start()
        kind = opening[1].lower()
        if kind in SILENT:
            at = opening.end()
            continue
        following = STARTED.search(text, opening.end())
        most = following.start() if following else len(text)
        end = _closing(text, opening.end(), most, "}" if opening[0][-1] == "{" else ")")
        yield kind, None if end < 0 else text[opening.end() : end], line
        at = most if end < 0 else end + 1


def _closing(text: str, at: int, most: int, mark: str) -> int:
    """Where the entry that began before `at` is closed, or -1."""
    depth = 0
    while at < most:
        letter = text[at]
        if letter == "\\":
            at += 1
        elif depth == 0 and letter == mark:
            return at
        else:
            depth += (letter == "{") - (letter == "}")
        at += 1
    return -1


def _fields(body: str, macros: dict[str, str], keyed: bool) -> dict[str, str] | None:
    """Fields by lowered name, the key as "key"; None where an entry is broken."""
    found: dict[str, str] = {}
    at = 0
    if keyed:
        key = KEY.match(body)
        if key is None:
            return None
        found["key"], at = key[1], key.end()
    while (field := FIELD.match(body, at)) is not None:
        value, at = _value(body, field.end(), macros)
        if at < 0:
            return None
        found.setdefault(field[1].lower(), value)
    return found if not body[at:].strip(" \t\r\n,") else None


def _value(body: str, at: int, macros: dict[str, str]) -> tuple[str, int]:
    """A value, of pieces joined by #, and where it ends; -1 if it does not."""
    pieces = []
    while True:
        if body[at : at + 1] == "{":
            end = _closing(body, at + 1, len(body), "}")
        elif body[at : at + 1] == '"':
            end = _closing(body, at + 1, len(body), '"')
        else:
            bare = BARE.match(body, at)
            if bare is None:
                return "", -1
            pieces.append(macros.get(bare[0].lower(), bare[0]))
            end, at = bare.end() - 1, -1
        if end < 0:
            return "", -1
        if at >= 0:
            pieces.append(body[at + 1 : end])
        more = JOINED.match(body, end + 1)
        if more is None:
            return "".join(pieces), end + 1
        at = more.end()


def _add(rows: dict[str, list[Any]], fields: dict[str, str], names: list[Name]) -> None:
    """One record for each name."""
    title = strip_tex(fields.get("title", "")) or None
    venue = next((strip_tex(fields[one]) for one in VENUES if fields.get(one)), None)
    year = YEAR.search(fields.get("year", fields.get("date", "")))
    shown = [str(name) for name in names]
    for at, name in enumerate(names):
        record = (
            *(fields["key"], at + 1, name.first or None, name.middle or None, name.last or None),
            *("; ".join(shown[:at] + shown[at + 1 :]) or None, title, venue),
            int(year[0]) if year else None,
        )
        for column, value in zip(rows.values(), record, strict=True):
            column.append(value)
