"""A PostgreSQL server of its own, for benchmarks and tests."""

from __future__ import annotations

import importlib.util
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["PASSWORD", "explain_absence", "start_server"]

PASSWORD = "s3cret word"
"""The password of the server; it may be in no message."""
INSTALLED = Path("/usr/lib/postgresql")
"""The place of Debian's packages, whose programs are on no path."""
OPTIONS = ("-U", "ann", "-A", "scram-sha-256", "-E", "UTF8", "--locale=C", "-N")


def _find_program(name: str) -> str | None:
    places = sorted(INSTALLED.glob(f"*/bin/{name}"), reverse=True)
    return shutil.which(name) or next(map(str, places), None)


def explain_absence() -> str | None:
    """The reason why no server can be started; None if one can."""
    if importlib.util.find_spec("adbc_driver_postgresql") is None:
        return "the extra postgres is not installed"
    if _find_program("initdb") is None or _find_program("pg_ctl") is None:
        return "no PostgreSQL server is installed (initdb and pg_ctl)"
    return None


@contextmanager
def start_server() -> Iterator[str]:
    """Yield the address of a server in a temporary folder; root starts it as the user postgres.

    The server refuses to run as root.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        yield from _serve(Path(folder))


def _serve(folder: Path) -> Iterator[str]:
    user = "postgres" if os.geteuid() == 0 else None
    if user is not None:
        shutil.chown(folder, user)
    secret, data = folder / "password", folder / "data"
    secret.write_text(PASSWORD)
    secret.chmod(0o644)

    def run(name: str, *words: str | Path) -> None:
        program = _find_program(name)
        assert program is not None, explain_absence()
        command = [program, "-D", data, *words]
        subprocess.run(command, user=user, cwd=folder, check=True, capture_output=True)

    run("initdb", "--pwfile", secret, *OPTIONS)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    flags = f"-p {port} -h 127.0.0.1 -c unix_socket_directories='' -c fsync=off"
    run("pg_ctl", "-w", "-l", folder / "log", "-o", flags, "start")
    try:
        yield f"postgresql://ann:{PASSWORD.replace(' ', '%20')}@127.0.0.1:{port}/postgres"
    finally:
        run("pg_ctl", "-m", "immediate", "stop")
