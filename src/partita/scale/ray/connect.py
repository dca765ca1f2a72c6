"""Ray, for those who have it: started on this machine, or joined at an address that answers."""

from __future__ import annotations

import logging
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from partita.errors import InputError

__all__ = ["joined"]

KNOCK, ANSWER = 5.0, 20.0
"""Seconds until a port must open, and until the cluster behind it must answer."""


@contextmanager
def joined(address: str | None, workers: int) -> Iterator[Any]:
    """Ray, connected; a cluster that the process has joined already is used, and left as it was."""
    ray = imported()
    if ray.is_initialized():
        yield ray
        return
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
    try:
        if address is None:
            ray.init(num_cpus=workers, include_dashboard=False, **quiet)
        else:
            answering(address)
            ray.init(address=address, **quiet)
    except (ConnectionError, RuntimeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        where = "on this machine" if address is None else f"at {address}"
        reason = str(error).partition("\n")[0]
        raise InputError(
            f"there is no Ray cluster {where} ({reason}); start one with `ray start --head`"
        ) from None
    try:
        yield ray
    finally:
        ray.shutdown()


def imported() -> Any:
    """The library, or how to get it."""
    try:
        import ray
    except ImportError:
        raise InputError(
            "Ray is not installed; run `pip install partita[ray]`, or search on this machine alone"
        ) from None
    return ray


def answering(address: str) -> None:
    """Raise unless a cluster answers; Ray itself would knock for the better part of a minute."""
    if address == "auto":
        return
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit() or "/" in address:
        raise InputError(f"the address is {address!r}; give HOST:PORT, such as 10.0.0.1:6379")
    try:
        socket.create_connection((host.strip("[]"), int(port)), KNOCK).close()
    except (OSError, OverflowError) as error:
        raise InputError(
            f"no Ray cluster answers at {address} ({error}); start one with `ray start --head` and "
            "give the address that it prints"
        ) from None
    ask = ["-m", "ray.scripts.scripts", "health-check", "--address", address]
    try:
        found = subprocess.run(
            [sys.executable, *ask, "--skip-version-check"],
            capture_output=True,
            timeout=ANSWER,
            check=False,
        )
    except subprocess.TimeoutExpired:
        found = None
    if found is not None and b"AuthenticationError" in found.stderr:
        raise InputError(
            f"the Ray cluster at {address} wants a token; set RAY_AUTH_MODE=token and give the "
            "cluster's token as Ray's documentation on token authentication says"
        )
    if found is None or found.returncode:
        raise InputError(
            f"what listens at {address} is no Ray cluster, or one that does not answer within "
            f"{ANSWER:.0f} s; give the address that `ray start --head` prints"
        )
