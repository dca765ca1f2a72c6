"""Write a file of a kind as a labelled set: NAME/records.csv, as the panel reads it."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from benchmarks.kinds.generate import generate
from benchmarks.kinds.model import Kind
from partita.io import write_file

__all__ = ["name_set", "write_kind"]


def name_set(kind: Kind, seed: int) -> str:
    """The name of a set; the panel takes the part before the first underscore as its domain."""
    return f"{kind.group.replace(' ', '-')}_{kind.name}_{seed}"


def write_kind(kind: Kind, seed: int, split: str, records: int, folder: Path) -> str:
    """Generate and write a file of a kind; return the name of the set."""
    name = name_set(kind, seed)
    path = folder / name / "records.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, partial(generate(kind, seed, split, records).to_csv, index=False))
    return name
