"""`partita explain`: the evidence for and against two records being one entity."""

from __future__ import annotations

from typing import Annotated

import typer

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

__all__ = ["explain"]


@with_settings(*INFER_SETTINGS)
def explain(
    files: Files,
    left: Annotated[str, typer.Argument(metavar="ID", help="A record.", show_default=False)],
    right: Annotated[str, typer.Argument(metavar="ID", help="Another record.", show_default=False)],
    config: ConfigFile = None,
    constraints: ConstraintsFile = None,
    settings: SettingOptions = NO_SETTINGS,
    json: Json = False,
) -> None:
    """Explain the evidence for two records.

    Give the same options as for `resolve`: the records are resolved again.
    """
    from partita.cli.inputs import input_paths
    from partita.cli.waterfall import explanation_table
    from partita.linkage.output.explain import explain as explain_pair
    from partita.linkage.resolve import resolve

    data = input_paths(files)
    resolution = resolve(data, config=config, constraints=constraints, progress=True, **settings)
    explanation = explain_pair(resolution, left, right)
    if json:
        print_json(explanation.as_dict())
    else:
        console().print(explanation_table(explanation))
