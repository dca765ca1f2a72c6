"""The entry point: quick to import, so that Ctrl-C ends with a sentence from the start."""

from __future__ import annotations

import os
import sys

__all__ = ["main"]

STOPPED = 130
"""Exit code of a command that the user stops: 128 and the number of SIGINT."""


def main() -> None:
    """Run the command line."""
    # Numba's level 2 compiles in three quarters of the time, to code that is as fast
    os.environ.setdefault("NUMBA_OPT", "2")
    try:
        from partita.cli.commands import app

        app()
    except KeyboardInterrupt:
        sys.stderr.write("stopped; nothing was written\n")
        sys.exit(STOPPED)
