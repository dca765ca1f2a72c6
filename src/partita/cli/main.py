"""The entry point: quick to import, so that Ctrl-C ends with a sentence from the start."""

from __future__ import annotations

import os

from partita.cli.signals import catch_signals, end_process, is_stopped

__all__ = ["main"]


def main() -> None:
    """Run the command line."""
    # Numba's level 2 compiles in three quarters of the time, to code that is as fast
    os.environ.setdefault("NUMBA_OPT", "2")
    try:
        catch_signals()
        from partita.cli.commands import app

        app()
    except KeyboardInterrupt:
        end_process()
    except Exception:
        # a library that is interrupted while it loads may raise another error
        if is_stopped():
            end_process()
        raise
