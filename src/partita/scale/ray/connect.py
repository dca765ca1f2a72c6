"""Connections to Ray: a cluster started on this machine, or a running one at an address."""

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

__all__ = ["connect"]

CONNECT_SECONDS = 5.0
"""Limit on opening the port of a cluster."""
ANSWER_SECONDS = 20.0
"""Limit on the health check of the cluster behind the port."""


@contextmanager
def connect(address: str | None, workers: int) -> Iterator[Any]:
    """Yield the connected library; a connection that the process already has is used and kept."""
    ray = import_ray()
    if ray.is_initialized():
        yield ray
        return
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
    try:
        if address is None:
            ray.init(num_cpus=workers, include_dashboard=False, **quiet)
        else:
            check_address(address)
            ray.init(address=address, **quiet)
    except Exception as error:
        # Ray raises errors of many kinds where it cannot start
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


def import_ray() -> Any:
    """The library; an InputError with the install command if it is missing."""
    try:
        import ray
    except ImportError:
        raise InputError(
            "Ray is not installed; run `pip install partita[ray]`, or search on this machine alone"
        ) from None
    return ray


def check_address(address: str) -> None:
    """Raise unless a cluster answers at the address; Ray itself retries for most of a minute."""
    if address == "auto":
        return
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit() or "/" in address:
        raise InputError(f"the address is {address!r}; give HOST:PORT, such as 10.0.0.1:6379")
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise InputError(
            f"no Ray cluster answers at {address} ({error}); start one with `ray start --head` and "
            "give the address that it prints"
        ) from None
    command = ["-m", "ray.scripts.scripts", "health-check", "--address", address]
    try:
        check = subprocess.run(
            [sys.executable, *command, "--skip-version-check"],
            capture_output=True,
            timeout=ANSWER_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        check = None
    if check is not None and b"AuthenticationError" in check.stderr:
        raise InputError(
            f"the Ray cluster at {address} needs a token; set RAY_AUTH_MODE=token and the "
            "cluster's token (see token authentication in Ray's documentation)"
        )
    if check is None or check.returncode:
        raise InputError(
            f"the process at {address} is no Ray cluster, or does not answer within "
            f"{ANSWER_SECONDS:.0f} s; give the address that `ray start --head` prints"
        )
