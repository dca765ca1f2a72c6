"""Migrations: a store of an older schema version is brought to the present one when it is opened.

Each step changes the tables of one version into those of the next. All steps run in one
transaction, after a copy of the file is written beside it.
"""

from __future__ import annotations

import json
import math
import sqlite3
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from partita.errors import InputError
from partita.io import atomic_write
from partita.store.schema import DRIFT, EVENTS, HISTORY, PAGING, VERSION

__all__ = ["STEPS", "migrate", "read_version"]

DERIVED = ("m", "lam", "warnings")
"""Fields of a pair model that weights by name replace from version 2 on."""


def read_version(connection: sqlite3.Connection) -> int:
    """The schema version of a store."""
    row = connection.execute("SELECT value FROM meta WHERE key = 'version'").fetchone()
    try:
        return int(row[0])
    except (TypeError, ValueError):
        raise InputError(
            "its schema version cannot be read, so it is no store; restore it from a copy"
        ) from None


def migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Bring a store to the present version; an InputError for a version without a step."""
    version = read_version(connection)
    if version == VERSION:
        return
    if version > VERSION or any(step not in STEPS for step in range(version, VERSION)):
        raise InputError(
            f"{path} has schema version {version} and this Partita reads {VERSION}; use the "
            "Partita that wrote it, or a newer one"
        )
    connection.execute("BEGIN IMMEDIATE")
    try:
        # another process may have migrated the file before the lock
        version = read_version(connection)
        if version < VERSION:
            _copy_file(path, path.with_name(f"{path.name}.version-{version}"))
        for step in range(version, VERSION):
            STEPS[step](connection)
            connection.execute("UPDATE meta SET value = ? WHERE key = 'version'", (step + 1,))
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _copy_file(path: Path, target: Path) -> None:
    """Write a copy of the last committed state of a store, journal included."""
    with atomic_write(target) as (temporary,):
        source, copy = sqlite3.connect(path), sqlite3.connect(temporary)
        try:
            source.backup(copy)
        finally:
            source.close()
            copy.close()


def _nest_learned_model(connection: sqlite3.Connection) -> None:
    """Version 2: weights and reading of a store have the format of model files; drift is kept."""
    rows = connection.execute("SELECT run, content FROM models").fetchall()
    for run, text in rows:
        content = json.dumps(_nest(json.loads(text)), ensure_ascii=False, separators=(",", ":"))
        connection.execute("UPDATE models SET content = ? WHERE run = ?", (content, run))
    connection.execute(DRIFT)


def _nest(content: dict[str, Any]) -> dict[str, Any]:
    pairs, records, reading = (content.pop(name) for name in ("pairs", "records", "reading"))
    weights = {"prior": math.log(pairs["lam"] / (1 - pairs["lam"]))}
    for name, levels, m, u in zip(
        pairs["names"], pairs["level_names"], pairs["m"], pairs["u"], strict=True
    ):
        for level, matches, others in zip(levels, m, u, strict=True):
            weights[f"{name} = {level}"] = math.log(matches / others)
    mode = tomllib.loads(content["settings"]).get("input", {}).get("mode", "dedupe")
    content["learned"] = {
        "records": records,
        "held_out": None,
        "reading": None if reading["name"] == "trained" else {**reading, "mode": mode},
        "weights": weights,
        "pairs": {key: value for key, value in pairs.items() if key not in DERIVED},
    }
    return content


def _index_entities(connection: sqlite3.Connection) -> None:
    """Version 3: entities have indexes by probability and by size."""
    for statement in PAGING:
        connection.execute(statement)


def _index_history(connection: sqlite3.Connection) -> None:
    """Version 4: changes have indexes by entity, which the view of events can use."""
    for statement in ("DROP VIEW events", EVENTS, *HISTORY):
        connection.execute(statement)


def _list_learned_models(connection: sqlite3.Connection) -> None:
    """Version 5: an add can learn the model again, so the events list every model."""
    connection.execute("DROP VIEW events")
    connection.execute(EVENTS)


STEPS: dict[int, Callable[[sqlite3.Connection], None]] = {
    1: _nest_learned_model,
    2: _index_entities,
    3: _index_history,
    4: _list_learned_models,
}
"""The step from each version to the next."""
