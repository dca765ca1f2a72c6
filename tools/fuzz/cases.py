"""The cases: undamaged and damaged records, settings, constraints, labels and models."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from random import Random

from partita.data import read, write
from partita.errors import PartitaError
from partita.synthetic import people
from tools.fuzz.files import damage, make_file
from tools.fuzz.judge import Refused, Wrong, check_cells, read_output, run_command
from tools.fuzz.knowledge import changed_facts, changed_reference, changed_requests
from tools.fuzz.layouts import idle_options, other_encoding, wide_sheet
from tools.fuzz.stores import damaged_store, stored_records
from tools.fuzz.texts import changed_documents, changed_schema
from tools.fuzz.values import change_value

__all__ = ["GROUPS", "make_case"]

OUTPUTS = (".csv", ".csv", ".parquet", ".jsonl")
SETTINGS = (
    *(
        "seed = 7",
        "[inference]\nchains = 2",
        '[columns.first_name]\ntype = "given name"',
        "draws = 4",
    ),
    *('mode = "dedupe"', "[blocking]\nneighbours = 5", 'ignore = ["city"]', "one_to_one = true"),
    *('model = "pairs"', '[columns.city]\nrole = "block"', "posterior = 'map'", "memory = '1GB'"),
)
WORDS = (
    "match",
    "non-match",
    "unsure",
    "must",
    "cannot",
    "1",
    "0",
    "",
    "maybe",
    "MATCH",
    "\x1b[2J",
)


def _read(path: Path) -> object:
    """Read records by the library, with its errors as refusals."""
    try:
        return read(path, header=True if path.suffix == ".csv" else None)
    except PartitaError as error:
        _check_sentence(str(error))
        raise Refused(str(error)) from error


def _check_sentence(text: str) -> None:
    if len(text) < 10 or "Traceback" in text:
        raise Wrong(f"the refusal is no sentence: {text[:300]!r}")


def _copy(records: object, target: Path) -> Path:
    """Write records beside a new column, with errors as refusals."""
    try:
        return write(records, {"cluster_id": [0] * len(records)}, target)  # type: ignore
    except PartitaError as error:
        _check_sentence(str(error))
        raise Refused(str(error)) from error


def whole_records(random: Random, folder: Path) -> None:
    """An undamaged file: every cell is in the output."""
    path, cells = make_file(random, folder)
    target = folder / f"out{random.choice(OUTPUTS)}"
    check_cells(cells, _copy(_read(path), target))


def resolved_records(random: Random, folder: Path) -> None:
    """An undamaged file through `partita resolve`."""
    path, cells = make_file(random, folder)
    target = folder / f"out{random.choice(OUTPUTS)}"
    header = ["--header"] if path.suffix == ".csv" else []
    run_command("resolve", path, *header, "--out", target, "--quiet")
    check_cells(cells, target)


def damaged_records(random: Random, folder: Path) -> None:
    """A file with damaged bytes: the cells read are in the output, or the file is refused."""
    path, _ = make_file(random, folder)
    path.write_bytes(damage(random, path.read_bytes()))
    records = _read(path)
    expected = records.table.to_pydict()  # type: ignore
    nested = [name for name, column in expected.items() if _is_nested(column)]
    first, second = folder / "out.parquet", folder / "out.csv"
    _copy(records, first)
    check_cells({name: expected[name] for name in expected if name not in nested}, first)
    _copy(records, second)
    if len(next(iter(read_output(second).values()))) != len(next(iter(expected.values()))):
        raise Wrong("the CSV output has another number of rows")
    if path.suffix in (".jsonl", ".json"):
        _check_json(path, second)


def _is_nested(column: list[object]) -> bool:
    return any(not isinstance(value, str | int | float | bool | None) for value in column)


def _check_json(path: Path, target: Path) -> None:
    """Compare the records of JSON lines with those that Python reads, where it reads them."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines() if path.suffix == ".jsonl" else []
        rows = [json.loads(line) for line in lines if line.strip()]
    except (ValueError, RecursionError):
        return
    flat = [name for name in ("id", "name", "town") if all(_is_flat(row, name) for row in rows)]
    if rows and len({tuple(row) for row in rows}) == 1:
        check_cells({name: [row[name] for row in rows] for name in flat}, target)


def _is_flat(row: object, name: str) -> bool:
    return isinstance(row, dict) and isinstance(row.get(name), str)


def profiled_records(random: Random, folder: Path) -> None:
    """A damaged or undamaged file through `partita profile`, which sends no escape sequence."""
    path, _ = make_file(random, folder)
    if random.random() < 0.5:
        path.write_bytes(damage(random, path.read_bytes()))
    text = run_command("profile", path, *(["--json"] if random.random() < 0.5 else []))
    if any(mark in text for mark in "\x1b\x07\x9b\x7f\u202e"):
        raise Wrong("the output has control characters")


@cache
def _make_people(folder: Path) -> Path:
    """Records that settings, constraints and models are used with."""
    [path] = people(150, seed=3, truth="column").write(folder / "people.csv")
    return Path(path)


def _resolve_people(folder: Path, *words: object) -> None:
    source = _make_people(folder.parent)
    target = folder / "out.csv"
    run_command("resolve", source, "--ignore", "entity", "--out", target, "--quiet", *words)
    check_cells(read_output(source), target)


def changed_settings(random: Random, folder: Path) -> None:
    """A partita.toml with damaged lines."""
    lines = random.sample(SETTINGS, random.randrange(1, 5))
    text = "\n".join(sorted(lines, key=lambda line: "[" in line)).encode()
    path = folder / "partita.toml"
    path.write_bytes(damage(random, text) if random.random() < 0.8 else text)
    _resolve_people(folder, "--config", path)


def _make_pairs(random: Random, folder: Path, label: str) -> Path:
    """Pairs of records with random labels, perhaps damaged."""
    ids = [str(row) for row in read_output(_make_people(folder.parent))["unique_id"]]
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["unique_id_l", "unique_id_r", label])
    words = WORDS if random.random() < 0.3 else WORDS[:2] if label == "label" else WORDS[3:5]
    for _ in range(random.randrange(1, 30)):
        writer.writerow([*random.sample(ids, 2), random.choice(words)])
    path = folder / f"pairs{random.choice(('.csv', '.tsv', '.txt'))}"
    data = out.getvalue().encode()
    path.write_bytes(damage(random, data) if random.random() < 0.7 else data)
    return path


def changed_constraints(random: Random, folder: Path) -> None:
    """A file of constraints, perhaps damaged."""
    _resolve_people(folder, "--constraints", _make_pairs(random, folder, "constraint"))


def changed_labels(random: Random, folder: Path) -> None:
    """A file of labels, perhaps damaged."""
    pairs, source = _make_pairs(random, folder, "label"), _make_people(folder.parent)
    words = ("--labels", pairs, "--ignore", "entity", "--out", folder / "model.json", "--quiet")
    run_command("train", source, *words)
    json.loads((folder / "model.json").read_text(encoding="utf-8"))


@cache
def _train_model(folder: Path) -> bytes:
    path = folder / "model.json"
    words = ("--truth-column", "entity", "--out", path, "--quiet", "--force")
    run_command("train", _make_people(folder), *words)
    return path.read_bytes()


def changed_model(random: Random, folder: Path) -> None:
    """A trained model with damaged bytes or changed values."""
    data = _train_model(folder.parent)
    path = folder / "changed.json"
    if random.random() < 0.4:
        path.write_bytes(damage(random, data))
    else:
        content = json.loads(data)
        for _ in range(random.randrange(1, 4)):
            change_value(random, content)
        path.write_text(json.dumps(content))
    _resolve_people(folder, "--model", path)


GROUPS: dict[Callable[[Random, Path], None], int] = {
    whole_records: 22,
    damaged_records: 26,
    profiled_records: 6,
    resolved_records: 3,
    changed_settings: 6,
    changed_constraints: 4,
    changed_labels: 2,
    changed_model: 5,
    changed_schema: 6,
    changed_documents: 5,
    changed_facts: 5,
    changed_reference: 3,
    changed_requests: 3,
    stored_records: 2,
    damaged_store: 2,
    other_encoding: 3,
    wide_sheet: 1,
    idle_options: 3,
}
"""Functions that make and run a case, and their shares in percent."""


def make_case(
    seed: int, number: int, folder: Path, group: str | None = None
) -> tuple[str, Callable[[], None]]:
    """Return name and function of a case, which depend on seed and number alone.

    With the name of its group, a case stays the same when the shares of the groups change.
    """
    random = Random(seed * 1_000_003 + number)
    [drawn] = random.choices(list(GROUPS), list(GROUPS.values()))
    [run] = [drawn] if group is None else [each for each in GROUPS if each.__name__ == group]
    return run.__name__, partial(run, random, folder)
