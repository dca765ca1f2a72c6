"""BibTeX files: every author of every entry is one record.

Broken entries are skipped and counted. An entry that is never closed ends where the next one
begins: at an @ that starts a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from partita.data.encoding import decode_file
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
"""The fields that name the venue, the most specific first."""
SKIPPED = ("comment", "preamble")
OPENING = re.compile(r"@[ \t]*([A-Za-z]+)\s*[({]")
LINE_OPENING = re.compile(r"^[ \t]*@[ \t]*[A-Za-z]+\s*[({]", re.MULTILINE)
KEY = re.compile(r"\s*([^\s,={}\"]+)\s*(?:,|$)")
FIELD = re.compile(r"[\s,]*([^\s=,{}\"#]+)\s*=\s*")
BARE_VALUE = re.compile(r"[^\s,#{}\"]+")
CONCATENATION = re.compile(r"\s*#\s*")
EXPANSION, MIN_EXPANSION = 20, 1_000_000
"""Characters that macros expand to for each character of the file, and for any file: macros that
double each other could fill any memory."""
MAX_COAUTHORS = 100
"""Coauthors of a record: the first ones of the entry. All of them would take space and time that
grow with the square of the number of authors."""
YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")


class Bibliography(NamedTuple):
    """The records of a file, and counts of the entries without one."""

    table: pa.Table
    entries: int
    """Entries that were read, with or without an author."""
    broken: tuple[int, ...]
    """The lines at which broken entries begin."""
    authorless: int
    """Entries without an author, which become no record."""
    crowded: int = 0
    """Entries with more authors than coauthors are listed."""
    taken: tuple[str, ...] = ()
    """Messages about the encoding."""

    def notes(self, path: str | Path) -> tuple[str, ...]:
        """Write messages about skipped entries."""
        notes = list(self.taken)
        if self.broken:
            count = len(self.broken)
            notes.append(
                f"{path}: {count:,} broken {_name_entries(count)} left out, the first at line "
                f"{self.broken[0]}"
            )
        if self.authorless:
            count = self.authorless
            notes.append(f"{path}: {count:,} {_name_entries(count)} without an author left out")
        if self.crowded:
            notes.append(
                f"{path}: records of {self.crowded:,} {_name_entries(self.crowded)} list the first "
                f"{MAX_COAUTHORS} coauthors only"
            )
        return tuple(notes)


@dataclass
class Macros:
    """The values of @string, and the number of characters that they may still expand to."""

    file: str
    room: int
    values: dict[str, str] = field(default_factory=dict)

    def expand(self, word: str) -> str:
        """Return the value of a macro; any other word stays as it is."""
        value = self.values.get(word.lower(), word)
        self.room -= len(value)
        if self.room < 0:
            raise InputError(
                f"the @string macros of {self.file} expand to far more text than the file holds, "
                f"at {word!r}; write the values out"
            )
        return value


def _name_entries(count: int) -> str:
    return "entry" if count == 1 else "entries"


def read_bibtex(path: str | Path, name: str = "", encoding: str | None = None) -> Bibliography:
    """Read a BibTeX file: a record for each author, with coauthors, title, venue and year."""
    file, name = Path(path), name or str(path)
    text, taken = decode_file(file, name, encoding)
    rows: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    macros = Macros(name, MIN_EXPANSION + EXPANSION * len(text))
    broken, entries, authorless, crowded = [], 0, 0, 0
    for type, body, line in _split_entries(text):
        fields = None if body is None else _parse_fields(body, macros, keyed=type != "string")
        if fields is None:
            broken.append(line)
        elif type == "string":
            macros.values |= fields
        else:
            entries += 1
            names = [parse_name(name) for name in split_names(fields.get("author", ""))]
            authorless += not names
            crowded += len(names) > MAX_COAUTHORS + 1
            _add_records(rows, fields, names)
    if not rows["key"]:
        raise InputError(_explain_empty(name, broken, entries))
    arrays = {column: pa.array(rows[column], type) for column, type in COLUMNS.items()}
    return Bibliography(pa.table(arrays), entries, tuple(broken), authorless, crowded, taken)


def _explain_empty(name: str, broken: list[int], entries: int) -> str:
    """Explain why a file has no record."""
    if broken:
        return f"{name} has only broken entries, the first at line {broken[0]}; correct it"
    content = f"{entries:,} {_name_entries(entries)} but no author" if entries else "no entry"
    return f"{name} has {content}; give a BibTeX file whose entries have authors"


def _split_entries(text: str) -> Iterator[tuple[str, str | None, int]]:
    """Yield type, body and line of each entry; the body is None if the entry is never closed."""
    at, line, counted = 0, 1, 0
    while (opening := OPENING.search(text, at)) is not None:
        line, counted = line + text.count("\n", counted, opening.start()), opening.start()
        type = opening[1].lower()
        if type in SKIPPED:
            at = opening.end()
            continue
        following = LINE_OPENING.search(text, opening.end())
        limit = following.start() if following else len(text)
        end = _find_closing(text, opening.end(), limit, "}" if opening[0][-1] == "{" else ")")
        yield type, None if end < 0 else text[opening.end() : end], line
        at = limit if end < 0 else end + 1


def _find_closing(text: str, at: int, limit: int, mark: str) -> int:
    """Find the mark that closes the braces or quotes opened before `at`; -1 if there is none."""
    depth = 0
    while at < limit:
        letter = text[at]
        if letter == "\\":
            at += 1
        elif depth == 0 and letter == mark:
            return at
        else:
            depth += (letter == "{") - (letter == "}")
        at += 1
    return -1


def _parse_fields(body: str, macros: Macros, keyed: bool) -> dict[str, str] | None:
    """Parse the fields of an entry by lowered name, its key as "key"; None if it is broken."""
    fields: dict[str, str] = {}
    at = 0
    if keyed:
        key = KEY.match(body)
        if key is None:
            return None
        fields["key"], at = key[1], key.end()
    while (match := FIELD.match(body, at)) is not None:
        value, at = _parse_value(body, match.end(), macros)
        if at < 0:
            return None
        fields.setdefault(match[1].lower(), value)
    return fields if not body[at:].strip(" \t\r\n,") else None


def _parse_value(body: str, at: int, macros: Macros) -> tuple[str, int]:
    """Parse a value, whose pieces # joins, and return it with its end; -1 if it never ends."""
    pieces = []
    while True:
        if body[at : at + 1] == "{":
            end = _find_closing(body, at + 1, len(body), "}")
        elif body[at : at + 1] == '"':
            end = _find_closing(body, at + 1, len(body), '"')
        else:
            bare = BARE_VALUE.match(body, at)
            if bare is None:
                return "", -1
            pieces.append(macros.expand(bare[0]))
            end, at = bare.end() - 1, -1
        if end < 0:
            return "", -1
        if at >= 0:
            pieces.append(body[at + 1 : end])
        more = CONCATENATION.match(body, end + 1)
        if more is None:
            return "".join(pieces), end + 1
        at = more.end()


def _add_records(rows: dict[str, list[Any]], fields: dict[str, str], names: list[Name]) -> None:
    """Add one record for each author."""
    title = strip_tex(fields.get("title", "")) or None
    venue = next((strip_tex(fields[name]) for name in VENUES if fields.get(name)), None)
    year = YEAR.search(fields.get("year", fields.get("date", "")))
    texts = [str(name) for name in names[: MAX_COAUTHORS + 1]]
    for at, name in enumerate(names):
        others = (texts[:at] + texts[at + 1 :])[:MAX_COAUTHORS]
        record = (
            *(fields["key"], at + 1, name.first or None, name.middle or None, name.last or None),
            *("; ".join(others) or None, title, venue),
            int(year[0]) if year else None,
        )
        for column, value in zip(rows.values(), record, strict=True):
            column.append(value)
