"""`partita explain`: the evidence for and against two records being one entity."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from partita.cli.link import Aliases, ToId
from partita.cli.options import (
    INFER_SETTINGS,
    NO_SETTINGS,
    ConfigFile,
    ConstraintsFile,
    Files,
    Json,
    SettingOptions,
    with_settings,
)
from partita.cli.shell import console, print_json

if TYPE_CHECKING:
    from partita.linkage.output.explain import Explanation

__all__ = ["explain"]


@with_settings(*INFER_SETTINGS)
def explain(
    files: Files,
    left: Annotated[str, typer.Argument(metavar="ID", help="A record.", show_default=False)],
    right: Annotated[str, typer.Argument(metavar="ID", help="Another record.", show_default=False)],
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="REFERENCE",
            help="Explain a link: the first ID is a row, the second a record of this reference.",
            show_default="explain two records of the files",
        ),
    ] = None,
    to_id: ToId = None,
    aliases: Aliases = None,
    config: ConfigFile = None,
    constraints: ConstraintsFile = None,
    settings: SettingOptions = NO_SETTINGS,
    json: Json = False,
) -> None:
    """Explain the evidence for two records.

    Give the same options as for `resolve`, or with --to those for `link`: the records are resolved
    or linked again.
    """
    from partita.cli.inputs import input_paths
    from partita.cli.waterfall import explanation_table
    from partita.linkage.output.explain import explain as explain_pair
    from partita.linkage.resolve import resolve

    if to is None:
        data = input_paths(files)
        resolution = resolve(
            data, config=config, constraints=constraints, progress=True, **settings
        )
        explanation = explain_pair(resolution, left, right)
    else:
        explanation = explain_link(files, to, (left, right), to_id, aliases, config, settings)
    if json:
        print_json(explanation.as_dict())
    else:
        console().print(explanation_table(explanation))


def explain_link(
    files: list[str],
    to: str,
    ids: tuple[str, str],
    to_id: str | None,
    aliases: str | None,
    config: Path | None,
    settings: SettingOptions,
) -> Explanation:
    """Link the rows of one file again and explain the link of one row."""
    from partita.cli.inputs import input_path
    from partita.errors import InputError
    from partita.knowledge.linking import link

    if len(files) != 1:
        raise InputError(f"--to needs one file of rows, but there are {len(files)}; give one")
    result = link(
        input_path(files[0]),
        to=input_path(to),
        to_id=to_id,
        aliases=input_path(aliases),
        config=config,
        progress=True,
        **settings,
    )
    return result.explain(*ids)
