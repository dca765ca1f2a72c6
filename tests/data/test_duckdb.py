"""Query results, quoting, and tables in memory-mapped files."""

import tempfile

import duckdb
import pyarrow as pa
import pytest

from partita.data.duckdb import (
    connect,
    gather_batches,
    query,
    quote_name,
    quote_text,
    summarise_error,
)


def test_quoting_survives_the_database():
    odd = 'it\'s "odd" \\ ; --'
    with connect(None) as opened:
        table = query(opened, f"SELECT {quote_text(odd)} AS {quote_name(odd)}", None)
    assert table.to_pylist() == [{odd: odd}]


def test_a_message_is_one_line():
    with connect(None) as opened, pytest.raises(duckdb.Error) as caught:
        opened.execute("SELECT * FROM nowhere")
    assert summarise_error(caught.value) == "Table with name nowhere does not exist!"


def test_a_connection_keeps_order_and_memory():
    with connect(1 << 29) as opened:
        result = opened.sql(
            "SELECT current_setting('memory_limit'), current_setting('threads')"
        ).fetchall()
    assert result == [("256.0 MiB", 1)]


def test_large_tables_are_mapped_from_a_deleted_file(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folders = []
    make = tempfile.mkdtemp
    monkeypatch.setattr(tempfile, "mkdtemp", lambda *given: folders.append(given) or make(*given))
    batch = pa.record_batch({"a": list(range(1000))})
    small = gather_batches([batch] * 5, batch.schema)
    assert not folders
    before = pa.total_allocated_bytes()
    large = gather_batches([batch] * 5, batch.schema, memory=20_000)
    assert len(folders) == 1
    assert pa.total_allocated_bytes() == before
    assert large.equals(small)
    assert not list(tmp_path.iterdir())


def test_a_failing_source_leaves_no_file(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    batch = pa.record_batch({"a": list(range(1000))})

    def source():
        yield from [batch] * 3
        raise KeyError("source")

    with pytest.raises(KeyError, match="source"):
        gather_batches(source(), batch.schema, memory=10_000)
    assert not list(tmp_path.iterdir())
