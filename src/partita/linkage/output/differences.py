"""Differences between two values of a column, for the report and the terminal."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

__all__ = ["mark_differences"]

BY_CHARACTER = 48
"""Characters; longer values are compared word by word."""
MIN_RATIO = 0.6
"""Values with a lower ratio of common characters (of `difflib`) differ as a whole: characters that
agree by chance distract."""


def mark_differences(text: str, other: str) -> list[tuple[str, bool]]:
    """Split a text into pieces, each with whether it differs from the other text.

    Case is ignored. An empty piece that differs stands where the other text has more.

    >>> mark_differences("Smith", "Smyth")
    [('Sm', False), ('i', True), ('th', False)]
    >>> mark_differences("Ann", "Barbara")
    [('Ann', True)]
    """
    if text.casefold() == other.casefold():
        return [(text, False)]
    by_word = max(len(text), len(other)) > BY_CHARACTER
    own, others = (
        re.findall(r"\s+|\w+|." if by_word else r"(?s:.)", string) for string in (text, other)
    )
    matcher = SequenceMatcher(
        None, [part.casefold() for part in others], [part.casefold() for part in own], False
    )
    if matcher.ratio() < MIN_RATIO:
        return [(text, True)]
    return [
        ("".join(own[start:end]), operation != "equal")
        for operation, _, _, start, end in matcher.get_opcodes()
    ]
