"""Values as HTML: escaped, shortened, and with differences marked."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

import numpy as np

from partita.linkage.output.differences import mark_differences

__all__ = ["count", "embedded", "marked", "number", "percent", "plain", "short", "signed", "table"]

LONGEST = 160
"""Characters of a value in the page."""
WIDEST = 36
"""Longer words may be broken anywhere."""
MISSING = '<span class="missing">missing</span>'


def plain(value: Any) -> str | None:
    """Format a value as text on one line; None if it is missing."""
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return None
    if isinstance(value, list | tuple):
        value = "; ".join(str(one) for one in value)
    return re.sub(r"\s+", " ", str(value)).strip() or None


def short(text: str, longest: int = LONGEST) -> str:
    """Cut a text, with an ellipsis if it is longer."""
    return text if len(text) <= longest else text[:longest].rstrip() + " …"


def marked(text: str | None, other: str | None) -> str:
    """Format a text as HTML and mark the parts that differ from another text; case is equal."""
    if text is None:
        return MISSING
    if other is None or text.casefold() == other.casefold():
        return _told(text, _piece(short(text)))
    found = [
        f"<mark>{_piece(piece)}</mark>" if differs else _piece(piece)
        for piece, differs in mark_differences(text[:LONGEST], other[:LONGEST])
    ]
    if len(text) > LONGEST:
        rest = text[LONGEST:].casefold() == other[LONGEST:].casefold()
        found.append(" …" if rest else " <mark>…</mark>")
    return _told(text, "".join(found))


def _piece(text: str) -> str:
    """Escaped text, that may go on in a new line after the sign of an email."""
    return escape(text).replace("@", "@<wbr>")


def _told(text: str, shown: str) -> str:
    """What is shown, kept apart from the direction of the text around it."""
    told = f' title="{len(text):,} characters, of which {LONGEST} are shown"'
    wide = max(map(len, text.split()), default=0) > WIDEST
    kind = ' class="long"' if wide else ""
    return f"<bdi{kind}{told if len(text) > LONGEST else ''}>{shown}</bdi>"


def count(many: float, noun: str = "", nouns: str = "") -> str:
    """A number of things, such as "1 record" and "2,000 records"."""
    shown = f"{many:,.0f}"
    if not noun:
        return shown
    return f"{shown} {noun if shown == '1' else nouns or noun + 's'}"


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


def signed(value: float) -> str:
    """Format a number with its sign and one decimal."""
    shown = f"{abs(value):.1f}"
    return shown if shown == "0.0" else ("−" if value < 0 else "+") + shown


def table(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    numbers: Sequence[int] = (),
    kind: str = "",
) -> str:
    """A table of cells that are HTML already; `numbers` are the columns set to the right."""
    right = set(numbers)

    def line(tag: str, cells: Sequence[str]) -> str:
        made = (
            f"<{tag} class='number'>{cell}</{tag}>" if k in right else f"<{tag}>{cell}</{tag}>"
            for k, cell in enumerate(cells)
        )
        return f"<tr>{''.join(made)}</tr>"

    body = "\n".join(line("td", row) for row in rows)
    return (
        f'<div class="scroll"><table class="{kind}"><thead>{line("th", header)}</thead>\n'
        f"<tbody>{body}</tbody></table></div>"
    )


def embedded(data: Any) -> str:
    """Format JSON for a script element: no part of the data can end the element."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text
