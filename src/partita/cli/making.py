"""`partita generate`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from partita.cli.shell import console, say_json, wrote
from partita.errors import InputError
from partita.synthetic import Source, authors, people

__all__ = ["run_generate"]

KINDS: dict[str, Callable[..., Source]] = {"people": people, "authors": authors}
TRUTHS = {"column": "column", "file": "file", "none": None}


def run_generate(n: int, out: Path, *, kind: str, seed: int, truth: str, json: bool) -> None:
    """Write generated records."""
    if kind not in KINDS:
        raise InputError(f"kind is {kind!r}; give one of {', '.join(KINDS)}")
    if truth not in TRUTHS:
        raise InputError(f"truth is {truth!r}; give one of {', '.join(TRUTHS)}")
    made = KINDS[kind](n, seed, truth=TRUTHS[truth])
    files = made.write(out)
    wrote(files)
    if json:
        say_json({"records": made.n, "kind": kind, "seed": seed, "files": files})
        return
    told = " and ".join(str(one) for one in files)
    console().print(f"{made.n:,} records of {kind} in {told}", soft_wrap=True)
