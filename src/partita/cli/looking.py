"""`partita profile`, `partita init` and `partita block`: a look before anything is resolved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from partita.blocking.candidates import Completeness, summarise_blocking
from partita.cli.shell import console, refuse_overwriting, say_json, wrote
from partita.cli.show import block_table, profile_table
from partita.data import Records, profile, read
from partita.data.write import check_path
from partita.errors import InputError
from partita.io import write_text
from partita.linkage.columns import choose_columns
from partita.linkage.config import config_text, load_settings
from partita.linkage.prepare import choose_mode, prepare
from partita.linkage.resolve import block_records, weigh
from partita.linkage.settings import Settings

__all__ = ["run_block", "run_init", "run_profile"]

MOST_NAMED = 100
"""Records in no block that are named."""


def _records(files: Sequence[str], settings: Settings) -> Records:
    return read(
        list(files),
        id=settings.id,
        source=settings.source,
        ignore=settings.ignore,
        memory=settings.memory,
    )


def run_profile(files: Sequence[str], settings: dict[str, Any], *, json: bool) -> None:
    """Show what is in each column."""
    records = _records(files, Settings().replaced(**settings))
    profiles = profile(records)
    if json:
        columns = [
            {**asdict(one), "is_usable": one.is_usable, "is_compared": one.is_compared}
            for one in profiles
        ]
        say_json({"records": records.n, "sources": records.source_names, "columns": columns})
        return
    screen = console()
    screen.print(profile_table(profiles))
    screen.print(f"{records.n:,} records")


def run_init(
    files: Sequence[str], out: Path, settings: dict[str, Any], *, force: bool, json: bool
) -> None:
    """Write the settings that `resolve` would use."""
    check_path(out, (".toml",))
    refuse_overwriting([out], files)
    if out.exists() and not force:
        raise InputError(f"{out} is there already; give --force to replace it, or another --out")
    asked = Settings().replaced(**settings)
    records = _records(files, asked)
    profiles = profile(records, seed=asked.seed)
    chosen = choose_columns(profiles, asked)
    text = config_text(chosen, profiles)
    write_text(out, text)
    wrote([out])
    if json:
        columns = {name: one.as_dict() for name, one in chosen.columns.items()}
        say_json({"config": out, "columns": columns})
    else:
        console().print(f"settings for {len(chosen.columns)} columns in {out}", soft_wrap=True)


def run_block(
    files: Sequence[str], config: Path | None, settings: dict[str, Any], *, json: bool
) -> None:
    """Show what each search and rule finds, and what share of the matches they keep."""
    asked = load_settings(config).replaced(**settings).checked()
    records = _records(files, asked)
    chosen = choose_columns(profile(records, seed=asked.seed), asked)
    mode = choose_mode(records, asked)
    prepared = prepare(records, chosen, mode)
    found = block_records(prepared, chosen, mode)
    rows = summarise_blocking(found)
    completeness: Completeness | None = None
    if chosen.neighbours and len(found.pairs):
        completeness = found.estimate_completeness(weigh(prepared, found, chosen, mode).likely)
    if not json:
        console().print(block_table(found, rows, completeness, records.n))
        return
    alone = records.ids.take(prepared.numbering.wide[found.unblocked])
    say_json(
        {
            "records": records.n,
            "distinct": prepared.n,
            "pairs": len(found.pairs),
            "rules": [
                {**row._asdict(), "largest": [one._asdict() for one in row.largest]} for row in rows
            ],
            "unblocked": {"records": len(alone), "first": alone.to_pylist()[:MOST_NAMED]},
            "completeness": completeness._asdict() if completeness else None,
        }
    )
