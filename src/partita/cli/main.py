"""The entry point: quick to import, so that Ctrl-C ends with a sentence from the start."""

from __future__ import annotations

import atexit
import gc
import os
import sys

from partita.cli.signals import REFUSED, catch_signals, end_process, exit_code, is_stopped

__all__ = ["main"]

COLLECTED_OBJECTS = 10_000
"""New objects after which Python searches for unused cycles. With its default of 700 the searches
take 8 % of the CPU time of a run of 1,000 records, with this number half of that."""
MIN_ADDRESS_SPACE, ADDRESS_SPACE_PER_CORE = 5 << 29, 1 << 27
"""Bytes that libraries map: `partita resolve` of 40 records maps 2.4 GiB on two cores, and each
further core adds the stack and the arena of a thread. Below that, they crash."""

_codes: list[object] = []
"""The exit code of a command that ended by itself."""


def main() -> None:
    """Run the command line."""
    # Numba's level 2 compiles in three quarters of the time, to code that is as fast
    os.environ.setdefault("NUMBA_OPT", "2")
    gc.set_threshold(COLLECTED_OBJECTS)
    # handlers run in reverse order, so that this one is the last
    atexit.register(_skip_teardown)
    try:
        catch_signals()
        _check_address_space()
        from partita.cli.commands import app

        app()
    except SystemExit as ending:
        # Typer gives every signal before a command the code of Ctrl-C, without a sentence
        if is_stopped() and ending.code != exit_code():
            end_process()
        _codes.append(ending.code)
        raise
    except KeyboardInterrupt:
        end_process()
    except Exception:
        # a library that is interrupted while it loads may raise another error
        if is_stopped():
            end_process()
        raise


def _skip_teardown() -> None:
    """End the process with its exit code; freeing every object takes 15 % of a small run."""
    if _codes and isinstance(_codes[0], int):
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        except OSError:
            # Python itself reports a closed pipe or a full disk
            return
        os._exit(_codes[0])


def _check_address_space() -> None:
    """Refuse a limit on the address space (ulimit -v) under which libraries would crash."""
    try:
        import resource
    except ImportError:
        # Windows has no such limit
        return
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    needed = MIN_ADDRESS_SPACE + ADDRESS_SPACE_PER_CORE * (os.cpu_count() or 1)
    if limit != resource.RLIM_INFINITY and limit < needed:
        sys.stderr.write(
            f"the limit on memory (ulimit -v) is {limit >> 20:,} MiB, but Partita maps "
            f"{needed >> 20:,} MiB; raise the limit\n"
        )
        sys.exit(REFUSED)
