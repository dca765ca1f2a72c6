"""PostgreSQL: a real server, rows, types and NULLs there and back, and no password in messages."""

import datetime
import decimal

import pyarrow as pa
import pytest

from benchmarks.store.server import explain_absence, start_server
from partita.data import read
from partita.data.postgres import (
    find_existing,
    hide_password,
    is_postgres,
    parse_address,
    read_postgres,
    write_postgres,
)
from partita.errors import EmptyInputError, InputError

DAY = datetime.datetime(2024, 1, 2, 3, 4, 5, 678901)
TABLE = pa.table(
    {
        "small": pa.array([1, None], pa.int16()),
        "whole": pa.array([None, -2], pa.int32()),
        "large": pa.array([2**62, None], pa.int64()),
        "single": pa.array([1.5, None], pa.float32()),
        "double": pa.array([None, 0.1], pa.float64()),
        "text": pa.array(["é 'quoted' \"twice\"", None]),
        "flag": pa.array([True, None]),
        "bytes": pa.array([b"\x00\xff", None]),
        "day": pa.array([DAY.date(), None]),
        "clock": pa.array([DAY.time(), None]),
        "moment": pa.array([DAY, None], pa.timestamp("us")),
        "zoned": pa.array([DAY, None], pa.timestamp("us", "UTC")),
        "money": pa.array([decimal.Decimal("12.30"), None], pa.decimal128(10, 2)),
        "tags": pa.array([["a", None], None]),
        "counts": pa.array([[1, 2], None], pa.list_(pa.int32())),
        'od"d name': pa.array(["", None]),
    }
)


@pytest.fixture(scope="session")
def server():
    """The address of a server of its own."""
    reason = explain_absence()
    if reason is not None:
        pytest.skip(reason)
    with start_server() as address:
        yield address


def execute(server, *statements):
    from adbc_driver_postgresql import dbapi

    with dbapi.connect(server) as connection, connection.cursor() as cursor:
        for sql in statements:
            cursor.execute(sql)
        rows = cursor.fetchall() if cursor.description else []
        connection.commit()
    return rows


def test_rows_types_and_nulls_there_and_back(server):
    write_postgres(f"{server}::round", {"round": TABLE})
    back = read_postgres(f"{server}::round")
    assert back.schema == TABLE.schema
    assert back.to_pylist() == TABLE.to_pylist()
    write_postgres(f"{server}::again", {"again": back})
    assert read_postgres(f"{server}::again").equals(back)
    sql = "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = '{}'"
    assert execute(server, sql.format("round")) == execute(server, sql.format("again"))


def test_types_of_the_server_alone_become_text(server):
    execute(
        server,
        "CREATE TABLE kinds (a uuid, b jsonb, c numeric, d numeric(6, 2), e inet, f interval, "
        "g money, h varchar(9), i char(3))",
        "INSERT INTO kinds VALUES ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '{\"a\": 1}', 1.50, "
        "2.5, '10.0.0.1/32', '1 day', '1.5', 'ab', 'c')",
        "INSERT INTO kinds (a) VALUES (NULL)",
    )
    first, last = read_postgres(f"{server}::kinds").to_pylist()
    assert first["a"] == "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11" and first["b"] == '{"a": 1}'
    assert first["c"] == "1.50" and first["d"] == decimal.Decimal("2.50")
    assert (first["e"], first["f"], first["h"]) == ("10.0.0.1/32", "1 day", "ab")
    assert set(last.values()) == {None}


def test_types_that_the_server_lacks_keep_their_values(server):
    table = pa.table(
        {
            "unsigned": pa.array([2**63, None], pa.uint64()),
            "word": pa.array(["x", None]).dictionary_encode(),
            "struct": pa.array([{"a": 1}, None]),
            "empty": pa.nulls(2),
            "nanos": pa.array([1, None], pa.timestamp("ns")),
        }
    )
    write_postgres(f"{server}::odd", {"odd": table})
    first, last = read_postgres(f"{server}::odd").to_pylist()
    assert first["unsigned"] == 2**63 and first["word"] == "x" and "1" in first["struct"]
    assert first["nanos"].endswith("000000001") and set(last.values()) == {None}


def test_all_tables_or_none(server):
    good, long = pa.table({"a": [1]}), pa.table({"b" * 64: [1]})
    with pytest.raises(InputError, match="longer than the 63 bytes"):
        write_postgres(f"{server}::one", {"one": good, "two": long})
    execute(server, "CREATE TABLE base (a int)", "CREATE VIEW shown AS SELECT * FROM base")
    with pytest.raises(InputError, match="cannot be used"):
        write_postgres(f"{server}::three", {"three": good, "base": good})
    assert find_existing(f"{server}::one", ["one", "two", "three", "base"]) == ["base"]


def test_schemas_and_records(server):
    execute(server, "CREATE SCHEMA sales")
    rows = pa.table({"id": [1, 2], "name": ["Ann", "Bob"], "town": ["Ely", None]})
    write_postgres(f"{server}::sales.people", {"people": rows})
    records = read([f"{server}::sales.people", f"{server}::sales.people"])
    assert records.source_names == ("people", "people_2") and records.n == 4
    assert read(f"{server}::sales.people").table.equals(rows)


@pytest.mark.parametrize(
    ("change", "table", "text"),
    [
        ((), "nope", 'relation "nope" does not exist'),
        (("s3cret%20word", "wr0ng"), "t", "password authentication failed"),
        (("127.0.0.1:", "127.0.0.1:1"), "t", "cannot be used"),
        (("/postgres", "/nowhere"), "t", 'database "nowhere" does not exist'),
    ],
)
def test_errors_are_one_sentence_without_the_password(server, change, table, text):
    address = server.replace(*change) if change else server
    with pytest.raises(InputError, match=text) as caught:
        read_postgres(f"{address}::{table}")
    message = str(caught.value)
    assert "\n" not in message and "ann:***@" in message
    assert "s3cret" not in message and "wr0ng" not in message


def test_an_empty_table_is_refused(server):
    execute(server, "CREATE TABLE nothing (a int)")
    with pytest.raises(EmptyInputError, match="holds no records") as caught:
        read_postgres(f"{server}::nothing")
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("postgresql://ann:pw@host:5432/db::t", "postgresql://ann:***@host:5432/db::t"),
        ("postgres://ann:p:/w@host/db::t", "postgres://ann:***@host/db::t"),
        ("postgresql:/ann:pw@host/db::t", "postgresql:/ann:***@host/db::t"),
        ("postgresql://h/db?password=pw&a=b::t", "postgresql://h/db?password=***&a=b::t"),
        ("postgresql://ann@host:5432/db::t", "postgresql://ann@host:5432/db::t"),
        ("C:/files/a@b.csv", "C:/files/a@b.csv"),
    ],
)
def test_passwords_are_hidden(text, shown):
    assert hide_password(text) == shown


def test_addresses():
    assert is_postgres("postgresql://h/db::t") and is_postgres("POSTGRES://h/db::t")
    assert not is_postgres("postgres.csv") and not is_postgres("db.duckdb::t")
    place = parse_address('postgresql://h/db::sa"les.t')
    assert (place.address, place.quoted) == ("postgresql://h/db", '"sa""les"."t"')
    with pytest.raises(InputError, match="names no table") as caught:
        parse_address("postgresql://ann:pw@h/db")
    assert "pw" not in str(caught.value)
