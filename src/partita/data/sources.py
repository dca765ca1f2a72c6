"""Inputs as local files: standard input, named pipes, .gz files and .zip archives.

Readers need to read a file twice and to seek in it. A stream or a packed file is therefore copied
into a temporary folder, which lasts as long as the context.
"""

from __future__ import annotations

import gzip
import sys
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple

from partita.errors import InputError
from partita.io import temporary_folder

__all__ = [
    "STREAM",
    "LocalFile",
    "check_expansion",
    "choose_table",
    "open_local",
    "split_table",
]

STREAM = "-"
"""The name of standard input, and of standard output."""
GZIP = b"\x1f\x8b"
ZIP = b"PK\x03\x04"
WORKBOOK = "xl/workbook.xml"
"""The member by which a .zip archive is an Excel workbook."""
COPY_BYTES = 1 << 20
"""Bytes that are copied at a time."""
MAX_EXPANSION = 200
"""Bytes that a packed byte may expand to: deflate reaches 1,032, tables of text stay below 50."""
FREE_BYTES = 1 << 28
"""Unpacked bytes up to which any expansion is accepted."""


class LocalFile(NamedTuple):
    """A regular file to read, and its name in messages."""

    path: Path
    name: str
    suffix: str = ""
    """The ending of the name in lower case, without .gz or .zip; empty for standard input."""
    table: str | None = None
    """The table of a database or the sheet of a workbook, if the user names one."""


def split_table(name: str) -> tuple[Path, str | None]:
    """Split `path::table` into path and table."""
    path, mark, table = name.partition("::")
    return Path(path), table if mark else None


@contextmanager
def open_local(name: str | Path) -> Iterator[LocalFile]:
    """Yield a regular, unpacked file for a path, `path::table` or "-" for standard input."""
    path, table = split_table(str(name))
    with temporary_folder() as folder:
        if str(path) == STREAM:
            spooled = _copy(sys.stdin.buffer, folder / "input", "standard input")
            file = LocalFile(spooled, "standard input", "", table)
        else:
            file = LocalFile(path, str(path), path.suffix.lower(), table)
            _check_readable(path)
            if not path.is_file():
                with path.open("rb") as stream:
                    file = file._replace(path=_copy(stream, folder / "input", file.name))
        yield _unpack(file, folder)


def _check_readable(path: Path) -> None:
    """Raise an InputError if a path is no file that can be opened."""
    if path.is_dir():
        raise InputError(f"{path} is a folder; name the file inside it")
    if not path.exists():
        raise InputError(f"there is no file {path}; check the path")
    if path.is_file():
        try:
            path.open("rb").close()
        except OSError as error:
            raise InputError(
                f"{path} cannot be opened ({error.strerror}); check its rights"
            ) from error


def check_expansion(name: str, unpacked: int, packed: Path) -> None:
    """Raise an InputError if a packed file expands to far more bytes than any table would."""
    if unpacked > max(FREE_BYTES, MAX_EXPANSION * packed.stat().st_size):
        raise InputError(
            f"{name} expands to more than {MAX_EXPANSION} times its size, as no table does; "
            "unpack it by hand if it is sound"
        )


def _copy(
    stream: IO[bytes] | gzip.GzipFile, target: Path, name: str, packed: Path | None = None
) -> Path:
    """Copy a stream into a file; the stream of a packed file may not expand without bound."""
    try:
        with target.open("wb") as out:
            while block := stream.read(COPY_BYTES):
                out.write(block)
                if packed is not None:
                    check_expansion(name, out.tell(), packed)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"{name} is not a whole gzip file: {error}; pack it again") from error
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError) as error:
        raise InputError(f"{name} cannot be unpacked: {error}; unpack it by hand") from error
    except OSError as error:
        raise InputError(
            f"{name} cannot be copied to {target.parent} ({error.strerror}); set TMPDIR"
        ) from error
    return target


def _unpack(file: LocalFile, folder: Path) -> LocalFile:
    """Unpack a .gz file, or the chosen file of a .zip archive; any other file stays as it is."""
    with file.path.open("rb") as stream:
        head = stream.read(4)
    # archives may be nested; a name without an ending keeps the database from unpacking again
    target = folder / f"unpacked_{sum(1 for _ in folder.iterdir())}"
    if head[:2] == GZIP or (file.suffix == ".gz" and head):
        with gzip.open(file.path, "rb") as packed:
            path = _copy(packed, target, file.name, file.path)
        inner = Path(file.name.removesuffix(".gz")) if file.suffix == ".gz" else Path(file.name)
        return _unpack(file._replace(path=path, suffix=inner.suffix.lower()), folder)
    if head != ZIP:
        return file
    try:
        with zipfile.ZipFile(file.path) as archive:
            names = archive.namelist()
            if WORKBOOK in names:
                return file
            inner_name, _, table = (file.table or "").partition("::")
            member = choose_table(file.name, inner_name or None, _list_members(names), "file")
            with archive.open(member) as packed:
                path = _copy(packed, target, f"{file.name}::{member}", file.path)
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError) as error:
        raise InputError(f"{file.name} cannot be unpacked: {error}; unpack it by hand") from error
    suffix = Path(member).suffix.lower()
    return _unpack(LocalFile(path, f"{file.name}::{member}", suffix, table or None), folder)


def _list_members(names: Sequence[str]) -> list[str]:
    """The files of an archive, without folders and the hidden files that systems add."""
    return [
        name
        for name in names
        if not name.endswith("/")
        and not name.startswith("__MACOSX/")
        and not Path(name).name.startswith(".")
    ]


def choose_table(file: str, table: str | None, tables: Sequence[str], noun: str = "table") -> str:
    """The table to read: the one that the user names, or the only one."""
    if table is None and len(tables) == 1:
        return tables[0]
    if table in tables:
        return str(table)
    choices = ", ".join(tables) or "none"
    problem = f"has no {noun} {table!r}" if table is not None else f"has {len(tables)} {noun}s"
    raise InputError(f"{file} {problem}; write {file}::NAME with one of: {choices}")
