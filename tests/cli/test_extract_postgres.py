"""`partita extract` and `partita schema` on a table of PostgreSQL; no output holds the password."""

import pyarrow as pa
import pytest

from partita.data.postgres import write_postgres
from tests.cli.running import refused, told
from tests.cli.test_extract import folder
from tests.data.test_postgres import server

__all__ = ["folder", "server"]

# no kernels of its own: those it calls are tested as plain Python where they stand
pytestmark = pytest.mark.compiled


def test_a_table_of_a_database(server, folder):
    table = pa.table({"line": ["Lee 1999", "Orr in 2001"], "place": ["Ely", "Bath"]})
    address = f"{server}::lines"
    write_postgres(address, {"lines": table})
    extracted = told("extract", address, "-s", "s.toml", "-o", "o.csv", "--report", "r.html")
    assert extracted["lines"] == 2 and extracted["fields"]["date"] == 1.0
    assert "s3cret" not in (folder / "r.html").read_text()
    message = refused("schema", address, "-o", "d.toml")
    assert "the dictionaries of a schema are files" in message and "s3cret" not in message
    assert not (folder / "d.toml").exists()
    assert told("schema", address, "--column", "line", "-o", "d.toml")["fields"]
    assert "s3cret" not in (folder / "d.toml").read_text()
