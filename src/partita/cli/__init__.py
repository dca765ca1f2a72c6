"""The command line: `partita` and `python -m partita`."""

from partita.cli.app import app, main

__all__ = ["app", "main"]
