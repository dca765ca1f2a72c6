"""`partita label`: questions about pairs of records, one at a time, every answer saved at once."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from partita.cli.options import typed
from partita.cli.shell import console, refuse_overwriting, say_json, wrote
from partita.data.table import to_text
from partita.linkage.output.differences import mark_differences
from partita.linkage.resolve import Compared, asked_settings, compared
from partita.linkage.stages import Clock
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

__all__ = ["Session", "run_label"]

KEYS = {"y": MATCH, "n": NON_MATCH, "u": UNSURE}
PROMPT = "One entity?  \\[y]es  \\[n]o  \\[u]nsure  \\[p]revious  \\[q]uit "
DIFFERENT, SAME = "bold yellow", "dim"


class Session:
    """Questions about compared records, and all answers, those of the file included."""

    def __init__(self, ready: Compared, file: LabelFile) -> None:
        self.ready, self.file = ready, file
        self.questions = Questions(ready.scored, ready.settings.seed)
        self.pending: tuple[int, int] | None = None
        """Rows of a pair whose answer was taken back; it is asked again."""
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

    def take_back(self) -> bool:
        """Remove the last answer and ask its pair again; False if there is no answer."""
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


def run_label(
    files: Sequence[str],
    out: Path,
    *,
    model: Path | None,
    config: Path | None,
    settings: dict[str, Any],
    count: int | None,
    json: bool,
) -> None:
    """Ask until the user has enough."""
    refuse_overwriting([out], [*files, *(path for path in (model, config) if path is not None)])
    asked, trained = asked_settings(config, settings, model)
    ready = compared(list(files), asked, None, trained, Clock(not json))
    session = Session(ready, LabelFile(out, ready.records.sources is not None))
    screen = Console(stderr=True, highlight=False) if json else console()
    ended = _converse(session, screen, count)
    told = session.counts()
    if json:
        say_json({"labels": out, **told, "asked_all": ended})
        return
    if ended:
        screen.print("there is no further pair to ask about")
    again = typed(settings, config=config, model=model, labels=out)
    following = f"partita train {shlex.join(files)} {again} --out {_free(model)}"
    screen.print(_farewell(out, told, following), soft_wrap=True, markup=False)


def _free(model: Path | None) -> str:
    """A name for the model to come that is not the one it goes on from."""
    return "model.json" if model is None or model.name != "model.json" else "model2.json"


def _farewell(out: Path, told: dict[str, int], following: str) -> str:
    if not sum(told.values()):
        return "no answers, and nothing was written"
    done = f"{_counted(told)} in {out}"
    if min(told[MATCH], told[NON_MATCH]) < MIN_LABELS:
        return (
            f"{done}\n`partita train` needs at least {MIN_LABELS} matches and {MIN_LABELS} "
            "non-matches; run this command again to add labels"
        )
    return f"{done}\nlearn from them: {following}"


def _counted(told: dict[str, int]) -> str:
    matches = "1 match" if told[MATCH] == 1 else f"{told[MATCH]} matches"
    others = "1 non-match" if told[NON_MATCH] == 1 else f"{told[NON_MATCH]} non-matches"
    return f"{matches}, {others}, {told[UNSURE]} unsure"


def _converse(session: Session, screen: Console, count: int | None) -> bool:
    """Ask, until somebody quits, the input ends, `count` were answered or nothing is left."""
    key, given = _keyboard(screen), 0
    while count is None or given < count:
        rows = session.question()
        if rows is None:
            return True
        screen.print(_shown(session, rows))
        word = _key(key, screen)
        if word == "q":
            break
        if word == "p":
            if session.take_back():
                given -= 1
            else:
                screen.print("there is no answer to take back", style="yellow")
            continue
        session.answer(rows, KEYS[word])
        if given == 0:
            # so that Ctrl-C says where the answers are
            wrote([session.file.path])
        given += 1
    return False


def _key(key: Callable[[], str], screen: Console) -> str:
    """One of the keys that mean something; the end of the input is "q"."""
    while True:
        screen.print(PROMPT, end="")
        pressed = key().strip().lower()[:1]
        screen.print(pressed)
        if pressed in (*KEYS, "p", "q"):
            return pressed
        screen.print("press y, n, u, p or q", style="yellow")


def _keyboard(screen: Console) -> Callable[[], str]:
    """Single keys of a terminal, or lines of anything else, whose end quits."""
    if sys.stdin.isatty():
        return lambda: typer.getchar() or "q"
    return lambda: sys.stdin.readline() or "q"


def _shown(session: Session, rows: tuple[int, int]) -> Table:
    """Two records side by side; what differs stands out."""
    records = session.ready.records
    values = records.original(rows)
    many = len(session.answers)
    grid = Table(box=box.SIMPLE_HEAD, pad_edge=False, title_justify="left")
    grid.title = Text(f"\nPair {many + 1}", "bold").append(f"  {_counted(session.counts())}", SAME)
    grid.title_style = ""
    grid.add_column("", style=SAME, no_wrap=True)
    for at in rows:
        source = "" if records.sources is None else f"{records.source_names[records.sources[at]]}:"
        grid.add_column(Text(f"{source}{records.ids[at].as_py()}"), overflow="fold", ratio=1)
    for name in records.names:
        left, right = to_text(values.column(name)).to_pylist()
        if left or right:
            grid.add_row(Text(name), *_marked(left, right))
    return grid


def _marked(left: str | None, right: str | None) -> tuple[Text, Text]:
    """Style both values: equal values are dim, pieces that differ are highlighted."""
    if left == right or not left or not right:
        style = SAME if left == right else ""
        return Text(left or "–", style), Text(right or "–", style)
    return _highlight(left, right), _highlight(right, left)


def _highlight(text: str, other: str) -> Text:
    pieces = mark_differences(text, other)
    return Text.assemble(*((piece, DIFFERENT if differs else "") for piece, differs in pieces))
