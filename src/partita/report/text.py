"""Values as HTML: escaped, shortened, and with differences marked."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

import numpy as np

from partita.linkage.output.differences import mark_differences

__all__ = [
    "add_sign",
    "count",
    "embed",
    "format_sentence",
    "mark",
    "number",
    "percent",
    "plain",
    "short",
    "table",
]

MAX_CHARACTERS = 160
"""Characters of a value in the page; the rest is cut."""
MAX_WORD = 36
"""Characters; the page breaks longer words anywhere."""
MISSING = '<span class="missing">missing</span>'


def plain(value: Any) -> str | None:
    """Format a value as text on one line; None if it is missing."""
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return None
    if isinstance(value, list | tuple):
        value = "; ".join(str(item) for item in value)
    return re.sub(r"\s+", " ", str(value)).strip() or None


def format_sentence(text: str) -> str:
    """Escape a message; words between back quotes are code.

    >>> format_sentence("a < b; run `partita label`")
    'a &lt; b; run <code>partita label</code>'
    """
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(text))


def short(text: str, longest: int = MAX_CHARACTERS) -> str:
    """Cut a text, with an ellipsis if it is longer."""
    return text if len(text) <= longest else text[:longest].rstrip() + " …"


def mark(text: str | None, other: str | None) -> str:
    """Format a text as HTML and mark the parts that differ from another text, except in case."""
    if text is None:
        return MISSING
    if other is None or text.casefold() == other.casefold():
        return _isolate(text, _piece(short(text)))
    pieces = [
        f"<mark>{_piece(piece)}</mark>" if differs else _piece(piece)
        for piece, differs in mark_differences(text[:MAX_CHARACTERS], other[:MAX_CHARACTERS])
    ]
    if len(text) > MAX_CHARACTERS:
        same_end = text[MAX_CHARACTERS:].casefold() == other[MAX_CHARACTERS:].casefold()
        pieces.append(" …" if same_end else " <mark>…</mark>")
    return _isolate(text, "".join(pieces))


def _piece(text: str) -> str:
    """Escape a text and allow a line break after the at sign of an e-mail address."""
    return escape(text).replace("@", "@<wbr>")


def _isolate(text: str, content: str) -> str:
    """Wrap a text in an element that isolates its writing direction."""
    title = f' title="{len(text):,} characters, of which {MAX_CHARACTERS} are shown"'
    wide = max(map(len, text.split()), default=0) > MAX_WORD
    kind = ' class="long"' if wide else ""
    return f"<bdi{kind}{title if len(text) > MAX_CHARACTERS else ''}>{content}</bdi>"


def count(amount: float, noun: str = "", nouns: str = "") -> str:
    """A number of things, such as "1 record" and "2,000 records"."""
    digits = f"{amount:,.0f}"
    if not noun:
        return digits
    return f"{digits} {noun if digits == '1' else nouns or noun + 's'}"


def percent(share: float) -> str:
    """Format a probability as HTML; only 0 and 1 are shown as 0% and 100%."""
    if np.isnan(share):
        return "unknown"
    if 0 < share < 0.01:
        return "&lt;1%"
    if 0.99 < share < 1:
        return "&gt;99%"
    return f"{share:.0%}"


def number(value: float, digits: int = 2) -> str:
    """Format a number; a dash if it is not finite."""
    return f"{value:,.{digits}f}" if np.isfinite(value) else "–"


def add_sign(value: float) -> str:
    """Format a number with its sign and one decimal."""
    digits = f"{abs(value):.1f}"
    return digits if digits == "0.0" else ("−" if value < 0 else "+") + digits


def table(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    numbers: Sequence[int] = (),
    kind: str = "",
) -> str:
    """Format a table of HTML cells; the columns `numbers` are aligned to the right."""
    number_columns = set(numbers)

    def line(tag: str, cells: Sequence[str]) -> str:
        parts = (
            f"<{tag} class='number'>{cell}</{tag}>"
            if k in number_columns
            else f"<{tag}>{cell}</{tag}>"
            for k, cell in enumerate(cells)
        )
        return f"<tr>{''.join(parts)}</tr>"

    body = "\n".join(line("td", row) for row in rows)
    return (
        f'<div class="scroll"><table class="{kind}"><thead>{line("th", header)}</thead>\n'
        f"<tbody>{body}</tbody></table></div>"
    )


def embed(data: Any) -> str:
    """Format JSON for a script element: no part of the data can end the element."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text
