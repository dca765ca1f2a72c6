"""`partita correct`: records together or apart for good."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from partita.cli.options import Json
from partita.cli.store_options import DryRun, Reason, StoreFile, print_counts, print_rows
from partita.errors import InputError

__all__ = ["correct"]


Ids = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[ID]...",
        help="Further records of --together, --apart or --is.",
        show_default=False,
    ),
]
Together = Annotated[
    list[str] | None,
    typer.Option("--together", metavar="A,B", help="Records of one entity, as A,B or A B."),
]
Apart = Annotated[
    list[str] | None,
    typer.Option("--apart", metavar="A,B", help="Records of different entities, as A,B or A B."),
]
Entity = Annotated[
    str | None,
    typer.Option("--entity", metavar="CLUSTER", help="Entity with exactly the records of --is."),
]
Members = Annotated[
    str | None, typer.Option("--is", metavar="A,B", help="Records of --entity, as A,B or A B.")
]
PairFile = Annotated[
    Path | None,
    typer.Option("--file", metavar="FILE", help="Pairs: id_l, id_r, constraint (must, cannot)."),
]
Remove = Annotated[
    list[int] | None, typer.Option("--remove", metavar="N", help="Correction to remove.")
]


def correct(
    store: StoreFile,
    ids: Ids = None,
    together: Together = None,
    apart: Apart = None,
    entity: Entity = None,
    members: Members = None,
    file: PairFile = None,
    remove: Remove = None,
    reason: Reason = "",
    dry_run: DryRun = False,
    json: Json = False,
) -> None:
    """Put records together or apart; every later run obeys.

    Without an option the corrections in force are listed.
    """
    from partita.store import Store

    with Store(store) as opened:
        groups = [[pair.split(",") for pair in pairs or ()] for pairs in (together, apart)]
        own = [] if members is None else members.split(",")
        if ids:
            _extend_group([*groups[0], *groups[1], *([] if entity is None else [own])], ids)
        groups = groups if file is None else _read_groups(groups, file)
        if (entity is None) != (not own):
            raise InputError("name the entity and its records: --entity CLUSTER --is ID ID ...")
        if not (any(groups) or entity or remove):
            print_rows("corrections", opened.corrections(), json=json)
            return
        report = opened.correct(
            together=groups[0],
            apart=groups[1],
            entity=None if entity is None else (entity, own),
            remove=remove or (),
            reason=reason,
            dry_run=dry_run,
        )
    print_counts(report, json=json)


def _read_groups(groups: list[list[list[str]]], file: Path) -> list[list[list[str]]]:
    """The groups of records together and apart, with those of a file."""
    from partita.store.statements import read_statements

    return [own + pairs for own, pairs in zip(groups, read_statements(file), strict=True)]


def _extend_group(groups: list[list[str]], ids: list[str]) -> None:
    """Add the ids after the options to the only group that the options name."""
    if len(groups) != 1:
        raise InputError(
            f"{ids[0]!r} stands after {len(groups)} groups of records; write each group as A,B"
        )
    groups[0] += ids
