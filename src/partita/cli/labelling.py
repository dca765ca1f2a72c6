"""Questions about pairs of records in the terminal; every answer is saved at once."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from partita.cli.shell import mark_written
from partita.data.table import to_text
from partita.linkage.output.differences import mark_differences
from partita.linkage.resolve import ComparedRecords
from partita.linkage.supervision.active_learning import Answer, Questions
from partita.linkage.supervision.labels import MIN_LABELS, check_labels
from partita.linkage.supervision.pair_files import (
    IS_MATCH,
    LABEL,
    MATCH,
    NON_MATCH,
    UNSURE,
    LabelFile,
    read_pair_file,
)

__all__ = ["LabelFile", "Session", "ask_pairs", "describe_labels", "mark_value"]

KEYS = {"y": MATCH, "n": NON_MATCH, "u": UNSURE}
PROMPT = "One entity?  \\[y]es  \\[n]o  \\[u]nsure  \\[p]revious  \\[q]uit "
DIFFERENT, SAME = "bold yellow", "dim"


class Session:
    """Questions about compared records, and all answers, those of the file included."""

    def __init__(self, ready: ComparedRecords, file: LabelFile) -> None:
        self.ready, self.file = ready, file
        self.questions = Questions(ready.scored, ready.settings.seed)
        self.pending: tuple[int, int] | None = None
        """Rows of a pair whose answer was taken back; it is shown again."""
        self.rows: list[tuple[int, int]] = []
        """Rows of the answered pairs."""
        self.answers: list[Answer] = []
        if file.rows:
            table = read_pair_file(file.path, ready.records, LABEL)
            check_labels(table, ready.records)
            for (left, right), label in zip(table.rows.tolist(), table.labels, strict=True):
                self._add((left, right), str(label))

    def _add(self, rows: tuple[int, int], label: str) -> None:
        low, high = sorted(self.ready.prepared.numbering.narrow[list(rows)].tolist())
        self.rows.append(rows)
        self.answers.append(Answer(low, high, IS_MATCH[label]))

    def question(self) -> tuple[int, int] | None:
        """Rows of the next pair; None if every pair is labelled."""
        if self.pending is not None:
            return self.pending
        pair = self.questions.next(self.answers)
        if pair is None:
            return None
        first = self.ready.prepared.numbering.wide
        return int(first[pair[0]]), int(first[pair[1]])

    def answer(self, rows: tuple[int, int], label: str) -> None:
        """Save the label of a pair."""
        self.file.append(self.ready.records, rows, label)
        self._add(rows, label)
        self.pending = None

    def undo(self) -> bool:
        """Remove the last answer and show its pair again; False if there is no answer."""
        if not self.answers:
            return False
        self.file.pop()
        self.answers.pop()
        self.pending = self.rows.pop()
        return True

    def counts(self) -> dict[str, int]:
        """The number of answers with each label."""
        answers = [answer.match for answer in self.answers]
        return {label: answers.count(IS_MATCH[label]) for label in KEYS.values()}


def describe_labels(out: Path, counts: dict[str, int], command: str) -> str:
    """Describe the labels of a file and the next step: a command, or more labels."""
    if not sum(counts.values()):
        return "no answers; nothing was written"
    total = f"{_format_counts(counts)} in {out}"
    if min(counts[MATCH], counts[NON_MATCH]) < MIN_LABELS:
        return (
            f"{total}\n`partita train` needs at least {MIN_LABELS} matches and {MIN_LABELS} "
            "non-matches; run this command again to add labels"
        )
    return f"{total}\ntrain with them: {command}"


def _format_counts(counts: dict[str, int]) -> str:
    matches = "1 match" if counts[MATCH] == 1 else f"{counts[MATCH]} matches"
    others = "1 non-match" if counts[NON_MATCH] == 1 else f"{counts[NON_MATCH]} non-matches"
    return f"{matches}, {others}, {counts[UNSURE]} unsure"


def ask_pairs(session: Session, screen: Console, count: int | None) -> bool:
    """Show pairs until the user quits, the input ends or `count` answers are saved.

    Returns whether no pair is left.
    """
    read_key, answered = _open_keyboard(), 0
    while count is None or answered < count:
        rows = session.question()
        if rows is None:
            return True
        screen.print(_pair_table(session, rows))
        key = _ask(read_key, screen)
        if key == "q":
            break
        if key == "p":
            if session.undo():
                answered -= 1
            else:
                screen.print("there is no answer to undo", style="yellow")
            continue
        session.answer(rows, KEYS[key])
        if answered == 0:
            # the message of Ctrl-C names the file
            mark_written([session.file.path])
        answered += 1
    return False


def _ask(read_key: Callable[[], str], screen: Console) -> str:
    """Prompt until a known key is pressed; the end of the input is "q"."""
    while True:
        screen.print(PROMPT, end="")
        pressed = read_key().strip().lower()[:1]
        screen.print(pressed)
        if pressed in (*KEYS, "p", "q"):
            return pressed
        screen.print("press y, n, u, p or q", style="yellow")


def _open_keyboard() -> Callable[[], str]:
    """Read single keys of a terminal, or lines of any other input, whose end is "q"."""
    if sys.stdin.isatty():
        return lambda: typer.getchar() or "q"
    return lambda: sys.stdin.readline() or "q"


def _pair_table(session: Session, rows: tuple[int, int]) -> Table:
    """Show two records side by side with their differences marked."""
    records = session.ready.records
    values = records.original(rows)
    title = Text(f"\nPair {len(session.answers) + 1}", "bold")
    grid = Table(box=box.SIMPLE_HEAD, pad_edge=False, title_justify="left", title_style="")
    grid.title = title.append(f"  {_format_counts(session.counts())}", SAME)
    grid.add_column("", style=SAME, no_wrap=True)
    for row in rows:
        source = "" if records.sources is None else f"{records.source_names[records.sources[row]]}:"
        grid.add_column(Text(f"{source}{records.ids[row].as_py()}"), overflow="fold", ratio=1)
    for name in records.names:
        left, right = to_text(values.column(name)).to_pylist()
        if left or right:
            grid.add_row(Text(name), mark_value(left, right), mark_value(right, left))
    return grid


def mark_value(value: str | None, other: str | None) -> Text:
    """Style a value: dim if it equals the other, otherwise with the differing parts marked."""
    if value == other or not value or not other:
        return Text(value or "–", SAME if value == other else "")
    text = Text()
    for piece, differs in mark_differences(value, other):
        text.append(piece, DIFFERENT if differs else "")
    return text
