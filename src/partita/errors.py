"""Errors and warnings of Partita; each message names the value and the next step."""

import re

__all__ = [
    "CheckpointError",
    "EmptyInputError",
    "InputError",
    "ModeError",
    "ModelError",
    "PartitaError",
    "PartitaWarning",
    "shorten",
]

QUOTED = re.compile(r"(?<!\w)(?:'([^']*)'|\"([^\"]*)\")(?!\w)|(\S{240,})")
"""A quoted value, or a long word without blanks."""
MAX_QUOTED, SHOWN = 120, 60
"""Characters above which a quoted value is cut, and those that are left of it."""


def shorten(text: str) -> str:
    """Shorten the long values that a message quotes.

    >>> shorten(f"there is no record {'x' * 100_000!r}").count("x")
    60
    """

    def cut(match: re.Match[str]) -> str:
        value = next(group for group in match.groups() if group is not None)
        if len(value) <= MAX_QUOTED:
            return match[0]
        mark = "" if match[3] else match[0][0]
        return f"{mark}{value[:SHOWN]}... ({len(value):,} characters){mark}"

    return QUOTED.sub(cut, text)


class PartitaError(Exception):
    """Base of all errors that a user can act on."""

    def __init__(self, message: object = "") -> None:
        super().__init__(shorten(str(message)))


class InputError(PartitaError, ValueError):
    """A value passed to Partita is out of range, of the wrong shape or not finite."""


class EmptyInputError(InputError):
    """A file or table has no records."""


class ModelError(PartitaError, ValueError):
    """A model, a user's function or a weight is not usable."""


class ModeError(PartitaError, RuntimeError):
    """A run does not have the requested result, such as marginals after a MAP search."""


class CheckpointError(PartitaError, RuntimeError):
    """A checkpoint is damaged, or belongs to another model, version or seed."""


class PartitaWarning(UserWarning):
    """A run finished, but its result may be less good than the user expects."""
