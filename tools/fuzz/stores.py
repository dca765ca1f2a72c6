"""Cases of stores: records and arguments of every kind, and damaged files."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path
from random import Random

from typer.testing import CliRunner

from partita.cli import app
from partita.synthetic import people
from tools.fuzz.files import HARD, damage
from tools.fuzz.judge import Refused, Wrong, check_cells, read_output, run_command

__all__ = ["damaged_store", "stored_records"]

RECORDS = 60


@cache
def _make_store(folder: Path) -> tuple[bytes, dict[str, list[str]]]:
    """The bytes of a store of generated people, and their cells."""
    [source] = people(RECORDS, seed=5, truth=None).write(folder / "stored.csv")
    store = folder / "people.partita"
    run_command("resolve", source, "--store", store, "--quiet")
    return store.read_bytes(), read_output(Path(source))


def _list_verbs(random: Random, folder: Path, column: str) -> list[tuple[object, ...]]:
    """Verbs on a store with random arguments."""
    # an argument that begins with a hyphen is an option
    words = [word for word in HARD if not word.startswith("-")]
    word, other = random.choice(words), str(random.randrange(RECORDS + 5))
    number = random.choice((-1, 0, 1, 2, 99, 2**70))
    return [
        ("find", f"{column}={word}", "--limit", number),
        ("find", f"{word}={other}"),
        ("correct", "--together", f"{other},{word}"),
        ("correct", "--apart", "0,1", "--reason", word),
        ("correct", "--entity", word, other),
        ("correct", "--remove", number),
        ("forget", word),
        ("forget", other),
        ("history", word),
        ("history", other),
        ("log", "--run", number),
        ("diff", 1, abs(number)),
        ("undo", abs(number)),
        ("export", "--out", folder / "export.csv", "--run", number),
        ("export", "--golden", folder / "golden.csv", "--survivorship", f"{column}={word}"),
        ("add", "--delete", word),
        ("check",),
    ]


def _run_verb(words: tuple[object, ...], store: Path) -> str:
    if words[0] == "check":
        # broken invariants are its result
        text = CliRunner().invoke(app, ["check", str(store)], catch_exceptions=False).output
    else:
        text = run_command(words[0], store, *words[1:])
    if any(mark in text for mark in "\x1b\x07\x9b\x7f\u202e"):
        raise Wrong("the output has control characters")
    return text


def stored_records(random: Random, folder: Path) -> None:
    """Records with difficult cells are added, a verb runs, and the export has every cell."""
    data, cells = _make_store(folder.parent)
    store, delivery, out = folder / "p.partita", folder / "delivery.csv", folder / "out.jsonl"
    store.write_bytes(data)
    names = list(cells)
    count = random.randrange(1, 6)
    fresh = {name: [random.choice(HARD) for _ in range(count)] for name in names}
    fresh[names[0]] = [f"new{k}" for k in range(count)]
    with delivery.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL).writerows(
            [names, *zip(*fresh.values(), strict=True)]
        )
    run_command("add", store, delivery)
    verb = random.choice(_list_verbs(random, folder, names[1]))
    try:
        _run_verb(verb, store)
    except Refused:
        verb = ("refused",)
    run_command("check", store)
    run_command("export", store, "--out", out)
    if verb[0] not in ("forget", "undo", "add"):
        check_cells({name: [*cells[name], *fresh[name]] for name in names}, out)


def damaged_store(random: Random, folder: Path) -> None:
    """A store with damaged bytes: a verb succeeds, or refuses in one sentence."""
    data, cells = _make_store(folder.parent)
    store = folder / "p.partita"
    store.write_bytes(damage(random, data))
    _run_verb(random.choice(_list_verbs(random, folder, list(cells)[1])), store)
