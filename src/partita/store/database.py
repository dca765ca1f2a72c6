"""The database file of a store: one writer and many readers, and errors as one sentence.

SQLite in WAL mode keeps the last committed run if a process is killed. A reader sees the state at
the start of its transaction, and a second writer waits for the first.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError, PartitaError
from partita.io import atomic_write
from partita.store.migrations import migrate
from partita.store.schema import TABLES, VERSION

__all__ = ["Database", "create_file"]

WAIT = 30.0
"""Seconds for which a second writer waits. Origin: several times a small add."""
PAGE_BYTES = 8192
"""Size of a page: one chunk of a posting list fits into it."""
UNREADABLE = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""Errors that values of a damaged file cause."""
FORMAT = "partita store"
"""The name of the file format, in the table meta."""


class Database:
    """A connection to a store."""

    def __init__(self, path: str | PathLike[str], *, wait: float = WAIT) -> None:
        self.path = Path(path)
        if not self.path.is_file():
            raise InputError(
                f"there is no store {self.path}; `partita resolve FILE --store {self.path}` "
                "creates one"
            )
        self.find_faults: Callable[[Database], list[str]] | None = None
        """Finds broken invariants: they separate damage of the file from errors of the program."""
        with self.translate_errors():
            self.connection = _connect(self.path, wait)
            self._check_version()

    def _check_version(self) -> None:
        rows = dict(self.connection.execute("SELECT key, value FROM meta").fetchall())
        if rows.get("format") != FORMAT:
            raise InputError(f"{self.path} is not a store; give a file that --store created")
        migrate(self.connection, self.path)

    @contextmanager
    def translate_errors(self) -> Iterator[None]:
        """Raise an InputError of one sentence for an error of the database."""
        try:
            yield
        except sqlite3.Error as error:
            raise InputError(_describe(self.path, error)) from error
        except PartitaError:
            raise
        except UNREADABLE as error:
            if self._is_intact():
                raise
            raise self.damage("`partita check` names the fault") from error

    def damage(self, reason: str) -> InputError:
        """The error for a file whose content cannot be read."""
        return InputError(f"{self.path} is damaged ({reason}); restore it from a copy")

    def _is_intact(self) -> bool:
        """Whether the structure of the file and the invariants of a store hold."""
        try:
            intact = self.value("PRAGMA quick_check(1)") == "ok"
            return intact and not (self.find_faults and self.find_faults(self))
        except (sqlite3.Error, *UNREADABLE):
            return False

    @contextmanager
    def read(self) -> Iterator[None]:
        """Read one state of the store, also while another process commits."""
        with self.translate_errors():
            self.connection.execute("BEGIN")
            try:
                yield
            finally:
                self.connection.execute("ROLLBACK")

    @contextmanager
    def write(self, *, is_trial: bool = False) -> Iterator[None]:
        """Hold the write lock; commit at the end, or change nothing on an error or in a trial."""
        with self.translate_errors():
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._roll_back()
                raise
            self._roll_back() if is_trial else self.connection.execute("COMMIT")

    def _roll_back(self) -> None:
        # a full disk makes SQLite end the transaction by itself
        if self.connection.in_transaction:
            self.connection.execute("ROLLBACK")

    def execute(self, sql: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        """Run one statement."""
        return self.connection.execute(sql, values)

    def execute_many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run one statement for each row of values."""
        self.connection.executemany(sql, rows)

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        """All rows of a query."""
        return self.connection.execute(sql, values).fetchall()

    def value(self, sql: str, values: Sequence[Any] = ()) -> Any:
        """The first value of the first row of a query; None without a row."""
        row = self.connection.execute(sql, values).fetchone()
        return None if row is None else row[0]

    def rows_in(self, sql: str, keys: Sequence[int]) -> list[Any]:
        """All rows of a query in which `:keys` stands for a list of whole numbers."""
        query = sql.replace(":keys", "(SELECT value FROM json_each(?))")
        return self.connection.execute(query, (json.dumps(list(keys)),)).fetchall()

    def meta(self, key: str) -> Any:
        """A value of the table meta, from JSON."""
        text = self.value("SELECT value FROM meta WHERE key = ?", (key,))
        return None if text is None else self.decode(key, text, json.loads)

    def decode(self, name: str, value: Any, read: Callable[[Any], Any]) -> Any:
        """Read a stored value; an InputError for one that no run of Partita has written."""
        try:
            return read(value)
        except UNREADABLE as error:
            raise self.damage(f"{name} cannot be read") from error

    def numbers(self, data: Any, dtype: type[Any]) -> NDArray[Any]:
        """Read an array of numbers."""
        return np.asarray(self.decode("an index", data, lambda data: np.frombuffer(data, dtype)))

    def set_meta(self, key: str, value: Any) -> None:
        """Set a value of the table meta, as JSON."""
        self.execute(
            "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            (key, json.dumps(value)),
        )

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()


@contextmanager
def create_file(path: str | PathLike[str]) -> Iterator[Database]:
    """Yield an empty store that replaces `path` when the block succeeds.

    Until then no other process reads the file, so it is written without a journal.
    """
    target = Path(path)
    if not target.parent.is_dir():
        raise InputError(f"there is no folder {target.parent}; make it first")
    if target.is_dir():
        raise InputError(f"{target} is a folder; give the name of a file")
    try:
        with atomic_write(target) as (temporary,):
            connection = sqlite3.connect(temporary, isolation_level=None)
            try:
                for text in (
                    f"page_size = {PAGE_BYTES}",
                    "journal_mode = OFF",
                    "synchronous = OFF",
                ):
                    connection.execute(f"PRAGMA {text}")
                connection.executescript(TABLES)
                connection.execute("INSERT INTO meta VALUES ('format', ?)", (FORMAT,))
                connection.execute("INSERT INTO meta VALUES ('version', ?)", (VERSION,))
                connection.close()
                database = Database(temporary)
                connection = database.connection
                connection.execute("PRAGMA synchronous = OFF")
                with database.translate_errors():
                    yield database
                    connection.execute("PRAGMA journal_mode = WAL")
            finally:
                connection.close()
            _remove_journals(target)
    except sqlite3.Error as error:
        raise InputError(_describe(target, error)) from error


def _remove_journals(target: Path) -> None:
    """Remove the journal of a store that is replaced: it belongs to the replaced file."""
    for ending in ("-wal", "-shm"):
        target.with_name(target.name + ending).unlink(missing_ok=True)


def _connect(path: Path, wait: float) -> sqlite3.Connection:
    """Connect to a file; one that cannot be written is opened for reading."""
    try:
        connection = sqlite3.connect(path, timeout=wait, isolation_level=None)
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError as error:
        if "readonly" not in str(error) and "unable to open" not in str(error):
            raise
        connection = _connect_to_read(path, wait)
    # functions in the schema of a file from elsewhere do not run
    for text in (
        "temp_store = MEMORY",
        "secure_delete = ON",
        "cache_size = -65536",
        "trusted_schema = OFF",
    ):
        connection.execute(f"PRAGMA {text}")
    return connection


def _connect_to_read(path: Path, wait: float) -> sqlite3.Connection:
    """Connect to a file that cannot be written, runs in its journal included."""
    uri = f"{path.resolve().as_uri()}?mode=ro"
    try:
        connection = sqlite3.connect(uri, uri=True, timeout=wait, isolation_level=None)
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        return connection
    except sqlite3.OperationalError as error:
        journal = path.with_name(f"{path.name}-wal")
        # without its journal, SQLite would show the store as of an earlier run
        if journal.exists() and journal.stat().st_size:
            raise InputError(
                f"{path} cannot be written, and {journal.name} holds runs that are not in it yet; "
                "open both where they can be written, for example as copies in another folder"
            ) from error
        uri += "&immutable=1"
        return sqlite3.connect(uri, uri=True, timeout=wait, isolation_level=None)


def _describe(path: Path, error: sqlite3.Error) -> str:
    """One sentence about an error of the database, with the next step."""
    text = str(error)
    if "decode to UTF-8" in text:
        # the message of SQLite quotes the stored text
        return f"{path} is damaged (a text is not UTF-8); restore it from a copy"
    if "locked" in text or "busy" in text:
        return f"another process writes to {path}; try again when it has finished"
    if "full" in text:
        return f"the disk of {path} is full and the store is unchanged; free some room, try again"
    if "readonly" in text or "read-only" in text:
        return f"{path} is read-only and stays unchanged; change its permissions, or copy it"
    if "malformed" in text or "not a database" in text or "no such table" in text:
        return f"{path} is damaged or is not a store ({text}); restore it from a copy"
    return f"{path} cannot be used ({text}); check the file and its folder"
