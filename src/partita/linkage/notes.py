"""Notes: warnings of a run, each with a severity."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Note", "Severity"]


class Severity(StrEnum):
    """The users that a note concerns, the most severe note first."""

    UNRELIABLE = "all results unreliable"
    """Every user: the results as a whole may be unusable."""
    RESULTS = "affects results"
    """Every user: some results may differ from those that the input suggests."""
    VERBOSE = "verbose only"
    """A user who inspects the model; no action follows from it."""


class Note(str):
    """The text of a warning, with its severity."""

    severity: Severity

    def __new__(cls, text: str, severity: Severity = Severity.RESULTS) -> Note:
        """Make a note of a text."""
        note = super().__new__(cls, text)
        note.severity = severity
        return note

    @classmethod
    def of(cls, text: str) -> Note:
        """The text as a note; a text without a severity affects results."""
        return text if isinstance(text, Note) else cls(text)
