"""Codes inside text: tokens with digits, such as model numbers."""

from __future__ import annotations

import re

__all__ = ["DIGITS", "TOKEN", "has_code", "is_code"]

MIN_LENGTH = 4
"""Characters of a code with letters at least; shorter ones are versions, such as v2 and cs3."""
MIN_DIGITS = 5
"""Digits of a code without letters at least; shorter numbers are years, sizes and quantities."""
TOKEN = re.compile(r"[^\W_]+")
DIGITS = re.compile(r"\d+")


def is_code(token: str) -> bool:
    """Whether a token is a code: letters with digits, or a long number."""
    if token.isdigit():
        return len(token) >= MIN_DIGITS
    return len(token) >= MIN_LENGTH and DIGITS.search(token) is not None


def has_code(text: str) -> bool:
    """Whether a token of a text is a code."""
    return any(map(is_code, TOKEN.findall(text.lower())))
