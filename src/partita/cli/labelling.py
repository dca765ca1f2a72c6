"""`partita label`: questions about pairs of records, one at a time, every answer saved at once."""

from __future__ import annotations

import csv
import io
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from partita.cli.options import typed
from partita.cli.shell import console, refuse_overwriting, say_json, wrote
from partita.data.table import to_text
from partita.data.write import check_path
from partita.errors import InputError
from partita.io import write_text
from partita.linkage.output.differences import mark_differences
from partita.linkage.resolve import Compared, asked_settings, compared
from partita.linkage.stages import Clock
from partita.linkage.supervision.active_learning import Answer, Questions
from partita.linkage.supervision.labels import LEAST, MATCH, NON_MATCH, UNSURE, answer, read_labels

__all__ = ["LabelFile", "Session", "run_label"]

KEYS = {"y": MATCH, "n": NON_MATCH, "u": UNSURE}
IDS, SOURCES = ("unique_id_l", "unique_id_r"), ("source_dataset_l", "source_dataset_r")
LABEL = "label"
PROMPT = "One entity?  \\[y]es  \\[n]o  \\[u]nsure  \\[p]revious  \\[q]uit "
DIFFERENT, SAME = "bold yellow", "dim"


class LabelFile:
    """A CSV of labels that is whole after every answer; what it held before stays."""

    def __init__(self, path: Path, sources: bool) -> None:
        check_path(path, (".csv",))
        self.path = path
        names = [*IDS, *(SOURCES if sources else ()), LABEL]
        self.header: list[str] = names
        self.rows: list[dict[str, str]] = []
        if path.exists():
            self.header, self.rows = _read(path)
        missing = [name for name in names if name not in self.header]
        if missing:
            raise InputError(
                f"{path} has no column {missing[0]!r}, so that it cannot be continued; "
                "give another --out"
            )

    def add(self, row: dict[str, str]) -> None:
        """One more answer."""
        self.rows.append(row)
        self._save()

    def take_back(self) -> dict[str, str]:
        """Without the last answer, which is returned."""
        row = self.rows.pop()
        self._save()
        return row

    def _save(self) -> None:
        text = io.StringIO()
        made = csv.DictWriter(text, self.header, restval="", lineterminator="\n")
        made.writeheader()
        made.writerows(self.rows)
        write_text(self.path, text.getvalue())


def _read(path: Path) -> tuple[list[str], list[dict[str, str]]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file)
            return list(rows.fieldnames or ()), list(rows)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path} cannot be continued ({error}); give another --out") from error


class Session:
    """Questions about compared records, and the answers so far, those of the file included."""

    def __init__(self, ready: Compared, file: LabelFile) -> None:
        self.ready, self.file = ready, file
        self.questions = Questions(ready.evidence, ready.settings.seed)
        self.pending: tuple[int, int] | None = None
        """Rows of a pair that was taken back and is asked again."""
        self.answers = self._answers()

    def _answers(self) -> list[Answer]:
        """What the file says already."""
        if not self.file.rows:
            return []
        # checks them: an answer must be of two records that are there
        read_labels(self.file.path, self.ready.records)
        places = _places(self.ready)
        return [self._answer(*_rows(row, places), row[LABEL]) for row in self.file.rows]

    def _answer(self, left: int, right: int, word: str) -> Answer:
        low, high = sorted(self.ready.prepared.distinct[[left, right]].tolist())
        return Answer(low, high, answer(word))

    def question(self) -> tuple[int, int] | None:
        """Rows of the two records to ask about."""
        if self.pending is not None:
            return self.pending
        found = self.questions.next(self.answers)
        if found is None:
            return None
        first = self.ready.prepared.first
        return int(first[found[0]]), int(first[found[1]])

    def answer(self, rows: tuple[int, int], word: str) -> None:
        """Save what was said of a pair."""
        records, row = self.ready.records, {LABEL: word}
        for side, at in enumerate(rows):
            row[IDS[side]] = str(records.ids[at].as_py())
            if records.sources is not None:
                row[SOURCES[side]] = records.source_names[records.sources[at]]
        self.file.add(row)
        self.answers.append(self._answer(*rows, word))
        self.pending = None

    def take_back(self) -> bool:
        """Ask the last pair again; False if there is none."""
        if not self.answers:
            return False
        self.answers.pop()
        left, right = _rows(self.file.take_back(), _places(self.ready))
        self.pending = left, right
        return True

    def counts(self) -> dict[str, int]:
        """How many answers of each kind there are."""
        said = [one.match for one in self.answers]
        return {word: said.count(answer(word)) for word in KEYS.values()}


def _places(ready: Compared) -> dict[tuple[str | None, str], int]:
    """The row of each record, by source and id as text; by id alone where there is one source."""
    records = ready.records
    ids = to_text(_chunked(records.ids)).to_pylist()
    if records.sources is None:
        return {(None, id): row for row, id in enumerate(ids)}
    titles = np.array(records.source_names, object)[records.sources]
    return {(title, id): row for row, (title, id) in enumerate(zip(titles, ids, strict=True))}


def _chunked(array: Any) -> Any:
    import pyarrow as pa

    return pa.chunked_array([array])


def _rows(row: dict[str, str], places: dict[tuple[str | None, str], int]) -> tuple[int, int]:
    sides = zip(IDS, SOURCES, strict=True)
    left, right = (places[row.get(source) or None, row[id].strip()] for id, source in sides)
    return left, right


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
    if min(told[MATCH], told[NON_MATCH]) < LEAST:
        return (
            f"{done}\nto learn takes at least {LEAST} matches and {LEAST} non-matches; go on later"
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
