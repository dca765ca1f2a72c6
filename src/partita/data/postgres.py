"""Tables of PostgreSQL to Arrow and back, by ADBC: `postgresql://user@host/database::table`.

A reader sees one state of the database. All tables of one call are written in one transaction. No
message holds the password of an address.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple
from urllib.parse import unquote

import pyarrow as pa

from partita.data.duckdb import gather_batches, quote_name, quote_text
from partita.data.table import to_text
from partita.errors import EmptyInputError, InputError

__all__ = [
    "PostgresTable",
    "find_existing",
    "hide_password",
    "is_postgres",
    "parse_address",
    "read_postgres",
    "write_postgres",
]

ADDRESS = re.compile(r"postgres(?:ql)?:/", re.IGNORECASE)
"""The beginning of an address; a path that was made of one has a single slash."""
PASSWORDS = (
    re.compile(r"(postgres(?:ql)?:/{1,2}[^:/@\s]*:)(\S*)(@)", re.IGNORECASE),
    re.compile(r"(password=)([^&\s:]*)()", re.IGNORECASE),
)
"""The password of an address, before the host or as a parameter, between two other parts."""
MAX_NAME_BYTES = 63
"""Bytes of a name; PostgreSQL cuts longer ones."""
MAX_DIGITS = 38
"""Digits of a decimal of 128 bits."""
AS_TEXT = ("money", "interval")
"""Types that Arrow has in another unit: they are read as text, like types that it lacks."""
SESSION = (
    "SET TRANSACTION READ ONLY",
    # the order of rows is that of the table
    "SET LOCAL synchronize_seqscans = off",
    "SET LOCAL max_parallel_workers_per_gather = 0",
)


class PostgresTable(NamedTuple):
    """The address of a database, and a table in it."""

    address: str
    table: str
    schema: str | None = None

    @property
    def quoted(self) -> str:
        """The name of the table in SQL."""
        return _quote(self.schema, self.table)

    @property
    def label(self) -> str:
        """The address without its password, and the table."""
        schema = f"{self.schema}." if self.schema else ""
        return f"{hide_password(self.address)}::{schema}{self.table}"


def is_postgres(name: object) -> bool:
    """Whether a name is the address of a PostgreSQL table."""
    return ADDRESS.match(str(name)) is not None


def hide_password(text: str) -> str:
    """The text with the passwords of addresses replaced.

    >>> hide_password("postgresql://ann:secret@host/db::people")
    'postgresql://ann:***@host/db::people'
    """
    if ADDRESS.search(text) is None:
        return text
    for pattern in PASSWORDS:
        text = pattern.sub(r"\1***\3", text)
    return text


def parse_address(name: str) -> PostgresTable:
    """Split `address::table` or `address::schema.table`.

    >>> parse_address("postgresql://host/db::sales.people").quoted
    '"sales"."people"'
    """
    address, mark, table = name.rpartition("::")
    if not mark or not table:
        raise InputError(f"{hide_password(name)} names no table; add ::TABLE")
    schema, _, own = table.rpartition(".")
    return PostgresTable(address, own, schema or None)


def _quote(schema: str | None, table: str) -> str:
    return ".".join(quote_name(part) for part in (schema, table) if part)


@contextmanager
def _connect(address: str) -> Iterator[Any]:
    """Open a connection in a transaction, which the caller commits."""
    try:
        from adbc_driver_manager import Error
        from adbc_driver_postgresql import dbapi
    except ImportError as error:
        raise InputError(
            "PostgreSQL needs its driver; install it with `pip install 'partita[postgres]'`"
        ) from error
    try:
        with dbapi.connect(address) as connection:
            yield connection
    except Error as error:
        raise InputError(_describe(address, error)) from error


def _describe(address: str, error: Exception) -> str:
    """One sentence about an error of the database, without the password."""
    lines = str(error).split("\n")
    text = hide_password(re.sub(r"^[A-Z_]+: ", "", lines[0]).replace("[libpq] ", ""))
    secrets = [match[1] for pattern in PASSWORDS for match in pattern.findall(address)]
    for secret in filter(None, (*secrets, *map(unquote, secrets))):
        text = text.replace(secret, "***")
    return (
        f"{hide_password(address)} cannot be used: {text.rstrip('.;: ')}; check address and table"
    )


def _run(connection: Any, sql: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return list(cursor.fetchall()) if cursor.description else []


def read_postgres(name: str, memory: int | None = None) -> pa.Table:
    """Read a table or view; types that Arrow does not have become text."""
    source = parse_address(name)
    with _connect(source.address) as connection:
        for sql in SESSION:
            _run(connection, sql)
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT * FROM {source.quoted} LIMIT 0")
            schema = cursor.fetch_record_batch().schema
        columns = ", ".join(_select(field) for field in schema)
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT {columns} FROM {source.quoted}")
            reader = cursor.fetch_record_batch()
            plain = reader.schema.remove_metadata()
            plain = pa.schema([pa.field(field.name, field.type) for field in plain])
            batches = (pa.RecordBatch.from_arrays(batch.columns, schema=plain) for batch in reader)
            table = gather_batches(batches, plain, memory)
    if not table.num_rows:
        raise EmptyInputError(f"{source.label} holds no records; give at least one")
    for place, field in enumerate(schema):
        type = _decimal_type(field)
        if type is not None:
            table = table.set_column(place, field.name, table.column(place).cast(type))
    return table


def _select(field: pa.Field) -> str:
    """A column of a query, as text where Arrow has no type of its own for it."""
    kind = (field.metadata or {}).get(b"POSTGRESQL:type", b"").decode()
    quoted = quote_name(field.name)
    if isinstance(field.type, pa.BaseExtensionType) or kind in AS_TEXT:
        return f"{quoted}::text AS {quoted}"
    return quoted


def _decimal_type(field: pa.Field) -> pa.DataType | None:
    """The decimal type of a column numeric(p, s), which is read as text."""
    about = field.metadata or {}
    if about.get(b"POSTGRESQL:type") != b"numeric" or b"POSTGRESQL:typmod" not in about:
        return None
    packed = int(about[b"POSTGRESQL:typmod"]) - 4
    digits, scale = packed >> 16 & 0xFFFF, packed & 0x7FF
    return pa.decimal128(digits, scale) if packed >= 0 and digits <= MAX_DIGITS else None


def find_existing(name: str, tables: Sequence[str]) -> list[str]:
    """The tables that exist already, beside a table of an address."""
    place = parse_address(name)
    with _connect(place.address) as connection:
        return [
            table
            for table in tables
            if _run(connection, f"SELECT to_regclass({quote_text(_quote(place.schema, table))})")
            != [(None,)]
        ]


def write_postgres(name: str, tables: Mapping[str, pa.Table]) -> None:
    """Write tables beside a table of an address in one transaction; existing ones are replaced."""
    place = parse_address(name)
    prepared = {table: _fit(table, data) for table, data in tables.items()}
    with _connect(place.address) as connection:
        for table, data in prepared.items():
            with connection.cursor() as cursor:
                cursor.adbc_ingest(table, data, mode="replace", db_schema_name=place.schema)
            for field in data.schema:
                if pa.types.is_decimal(field.type):
                    type = f"numeric({field.type.precision}, {field.type.scale})"
                    quoted = _quote(place.schema, table)
                    column = quote_name(field.name)
                    _run(connection, f"ALTER TABLE {quoted} ALTER COLUMN {column} TYPE {type}")
        connection.commit()


def _fit(name: str, table: pa.Table) -> pa.Table:
    """A table in types that PostgreSQL has; no value changes."""
    for text in (name, *table.column_names):
        if len(text.encode()) > MAX_NAME_BYTES:
            raise InputError(
                f"the name {text!r} is longer than the {MAX_NAME_BYTES} bytes of PostgreSQL; "
                "rename it"
            )
    columns = [_fit_column(column) for column in table.columns]
    return pa.table(columns, names=table.column_names)


def _fit_column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    type = column.type
    if pa.types.is_dictionary(type):
        return _fit_column(column.cast(type.value_type))
    if pa.types.is_uint64(type):
        return column.cast(pa.decimal128(20, 0))
    if pa.types.is_timestamp(type) and type.unit == "ns":
        try:
            return column.cast(pa.timestamp("us", type.tz))
        except pa.ArrowInvalid:
            return column.cast(pa.string())
    if pa.types.is_null(type) or pa.types.is_duration(type) or pa.types.is_decimal256(type):
        return column.cast(pa.string())
    if pa.types.is_nested(type) and not _is_array(type):
        return to_text(column)
    return column


def _is_array(type: pa.DataType) -> bool:
    """Whether PostgreSQL has a type for a list."""
    if not (pa.types.is_list(type) or pa.types.is_large_list(type)):
        return False
    tests = (pa.types.is_string, pa.types.is_signed_integer, pa.types.is_floating)
    return any(test(type.value_type) for test in tests)
