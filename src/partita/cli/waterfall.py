"""Waterfalls for the terminal: both values of each column and a signed bar on one axis."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from partita.linkage.output.explain import Explanation, Part

__all__ = ["bar", "explanation_table"]

HALF = 8
"""Cells of a bar on each side of its axis."""
FULL, PARTIAL = "█", ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")
FOR, AGAINST, SAME = "green", "red", "dim"


def bar(bits: float, most: float) -> Text:
    """Draw a bar to the right of the axis for positive bits and to the left for negative bits."""
    length = HALF * min(abs(bits) / most, 1.0) if most > 0 else 0.0
    whole, eighths = divmod(round(length * 8), 8)
    if bits >= 0:
        return Text(" " * HALF + "│").append(FULL * whole + PARTIAL[eighths], FOR)
    # Unicode has only these two blocks that fill a cell from the right
    end = "▐" if eighths > 3 else "▕" if eighths else ""
    return Text(" " * (HALF - whole - len(end))).append(end + FULL * whole, AGAINST).append("│")


def explanation_table(explanation: Explanation) -> Group:
    """Show the verdict, the waterfall of the pair, the waterfall of the entity, and notes."""
    parts: list[Table | Text] = [_head(explanation), Text("\nThe pair alone"), _pair(explanation)]
    if explanation.entity_rows:
        parts += [Text(f"The entity: {explanation.entity_question}"), _entity(explanation)]
    notes = list(explanation.constraints)
    if explanation.identical:
        notes.append("identical in every used column; collapsed")
    if not explanation.compared:
        notes.append("this pair was not a candidate, or was pruned; it was compared on request")
    if not explanation.entity_rows and explanation.entity_question:
        notes.append(explanation.entity_question)
    parts += [Text(f"· {note}") for note in notes]
    return Group(*parts)


def _head(explanation: Explanation) -> Text:
    verdict = "one entity" if explanation.together else "two entities"
    head = Text(f"{explanation.left} and {explanation.right}: ").append(verdict, "bold")
    return head.append(f", P(one entity) = {explanation.p_same:.3f}")


def _grid() -> Table:
    return Table(box=box.SIMPLE_HEAD, pad_edge=False)


def _pair(explanation: Explanation) -> Table:
    grid = _grid()
    grid.add_column("", no_wrap=True)
    grid.add_column(Text(str(explanation.left)), overflow="fold")
    grid.add_column(Text(str(explanation.right)), overflow="fold")
    grid.add_column("level", style=SAME, overflow="fold")
    grid.add_column("bits", justify="right")
    grid.add_column("", no_wrap=True, min_width=2 * HALF + 1)
    most = _most(explanation.rows)
    for row in explanation.rows:
        left, right = _side_by_side(row.left, row.right)
        grid.add_row(
            Text(row.label), left, right, row.level, f"{row.bits:+.1f}", bar(row.bits, most)
        )
    total = f"P = {explanation.match_probability:.3f}"
    grid.add_section()
    grid.add_row("match weight", "", "", total, f"{explanation.match_weight:+.1f}", style="bold")
    return grid


def _side_by_side(left: str | None, right: str | None) -> tuple[Text, Text]:
    """Style both values: equal values are dim."""
    if left is None and right is None:
        return Text(""), Text("")
    style = SAME if left == right else ""
    return Text(left or "–", style), Text(right or "–", style)


def _entity(explanation: Explanation) -> Table:
    grid = _grid()
    grid.add_column("")
    grid.add_column("bits", justify="right")
    grid.add_column("", no_wrap=True, min_width=2 * HALF + 1)
    most = _most(explanation.entity_rows)
    for row in explanation.entity_rows:
        grid.add_row(Text(row.label), f"{row.bits:+.1f}", bar(row.bits, most))
    grid.add_section()
    grid.add_row("in all", f"{explanation.entity_weight:+.1f}", style="bold")
    return grid


def _most(rows: Sequence[Part]) -> float:
    return max(abs(row.bits) for row in rows)
