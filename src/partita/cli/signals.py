"""Exit codes, and signals that stop a command: Ctrl-C, SIGTERM and SIGHUP end it in a sentence.

A library may turn the exception of a handler into another one, or drop it. The number of the signal
is therefore recorded, and every exception after it counts as the stop.
"""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType
from typing import Any, NoReturn

__all__ = [
    "REFUSED",
    "catch_signals",
    "end_process",
    "exit_code",
    "is_stopped",
    "reset",
    "stop_sentence",
]

REFUSED = 2
"""Exit code of a command that refuses its input."""

NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
"""Signals that stop a command, where the system has them."""

_received: list[int] = []
"""The number of the signal that stopped the command."""


def catch_signals() -> None:
    """Raise KeyboardInterrupt for every signal that stops a command; a second one ends it."""
    sys.unraisablehook = _report_unraisable
    for name in NAMES:
        number = getattr(signal, name, None)
        # a signal that the parent ignores, as nohup does, stays ignored
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _stop)


def _stop(number: int, frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_DFL)
    _received.append(number)
    raise KeyboardInterrupt


def _report_unraisable(problem: Any) -> None:
    """Hide the messages of objects that a stop destroys halfway."""
    if not _received:
        sys.__unraisablehook__(problem)


def reset() -> None:
    """Forget earlier signals, before a command begins."""
    _received.clear()


def is_stopped() -> bool:
    """Return whether a signal has stopped the command."""
    return bool(_received)


def exit_code() -> int:
    """Return 128 and the number of the signal, as shells do."""
    return 128 + (_received[0] if _received else int(signal.SIGINT))


def stop_sentence(written: str = "") -> str:
    """Return the message of a stopped command, with the files that are complete."""
    verb = "stopped" if exit_code() == 128 + signal.SIGINT else "terminated"
    return f"{verb}; written: {written}" if written else f"{verb}; nothing was written"


def end_process() -> NoReturn:
    """End a stopped command at once, without the cleanup of half-loaded libraries."""
    sys.stderr.write(stop_sentence() + "\n")
    sys.stderr.flush()
    os._exit(exit_code())
