"""Waterfalls for the terminal: values side by side, and signed bars on one axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from partita.linkage.output.explain import Explanation, Part

__all__ = ["bar", "shown"]

HALF = 8
"""Cells of a bar on each side of its axis."""
FULL, PARTIAL = "█", ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")
FOR, AGAINST, SAME = "green", "red", "dim"


def bar(bits: float, most: float) -> Text:
    """A bar to the right of the axis for positive bits, and to the left for negative ones."""
    length = HALF * min(abs(bits) / most, 1.0) if most > 0 else 0.0
    whole, eighths = divmod(round(length * 8), 8)
    if bits >= 0:
        return Text(" " * HALF + "│").append(FULL * whole + PARTIAL[eighths], FOR)
    # of blocks that fill a cell from the right there are only these
    end = "▐" if eighths > 3 else "▕" if eighths else ""
    return Text(" " * (HALF - whole - len(end))).append(end + FULL * whole, AGAINST).append("│")


def shown(given: Explanation) -> Group:
    """A head, the waterfall of the pair, that of the entity, and what else is to be said."""
    parts: list[Table | Text] = [_head(given), Text("\nThe pair alone"), _pair(given)]
    if given.entity_rows:
        parts += [Text(f"The entity: {given.entity_question}"), _entity(given)]
    notes = list(given.constraints)
    if given.identical:
        notes.append("identical in every used column; collapsed")
    if not given.compared:
        notes.append("the two were no candidates, or hopeless ones, and are compared only now")
    if not given.entity_rows and given.entity_question:
        notes.append(given.entity_question)
    parts += [Text(f"· {note}") for note in notes]
    return Group(*parts)


def _head(given: Explanation) -> Text:
    verdict = "one entity" if given.together else "two entities"
    head = Text(f"{given.left} and {given.right}: ").append(verdict, "bold")
    return head.append(f", P(one entity) = {given.p_same:.3f}")


def _grid() -> Table:
    return Table(box=box.SIMPLE_HEAD, pad_edge=False)


def _pair(given: Explanation) -> Table:
    grid = _grid()
    grid.add_column("", no_wrap=True)
    grid.add_column(Text(str(given.left)), overflow="fold")
    grid.add_column(Text(str(given.right)), overflow="fold")
    grid.add_column("level", style=SAME, overflow="fold")
    grid.add_column("bits", justify="right")
    grid.add_column("", no_wrap=True, min_width=2 * HALF + 1)
    most = _most(given.rows)
    for row in given.rows:
        left, right = _side_by_side(row.left, row.right)
        grid.add_row(
            Text(row.label), left, right, row.level, f"{row.bits:+.1f}", bar(row.bits, most)
        )
    total = f"P = {given.match_probability:.3f}"
    grid.add_section()
    grid.add_row("match weight", "", "", total, f"{given.match_weight:+.1f}", style="bold")
    return grid


def _side_by_side(left: str | None, right: str | None) -> tuple[Text, Text]:
    """Both values; what they share is dim, so that the difference stands out."""
    if left is None and right is None:
        return Text(""), Text("")
    style = SAME if left == right else ""
    return Text(left or "–", style), Text(right or "–", style)


def _entity(given: Explanation) -> Table:
    grid = _grid()
    grid.add_column("")
    grid.add_column("bits", justify="right")
    grid.add_column("", no_wrap=True, min_width=2 * HALF + 1)
    most = _most(given.entity_rows)
    for row in given.entity_rows:
        grid.add_row(Text(row.label), f"{row.bits:+.1f}", bar(row.bits, most))
    grid.add_section()
    grid.add_row("in all", f"{given.entity_weight:+.1f}", style="bold")
    return grid


def _most(rows: Sequence[Part]) -> float:
    return max(abs(row.bits) for row in rows)
