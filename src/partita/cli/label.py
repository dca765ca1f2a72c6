"""`partita label`: questions about pairs of records, the most uncertain first."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from partita.cli.options import (
    COMPARE_SETTINGS,
    NO_SETTINGS,
    ConfigFile,
    Files,
    Json,
    SettingOptions,
    TrainedFile,
    format_options,
    with_settings,
)
from partita.cli.outputs import check_outputs
from partita.cli.shell import console, print_json

__all__ = ["label"]


@with_settings(*COMPARE_SETTINGS)
def label(
    files: Files,
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", metavar="FILE.csv", help="Labels; an existing file is continued."
        ),
    ] = Path("labels.csv"),
    count: Annotated[
        int | None,
        typer.Option(
            "--count", metavar="N", min=1, help="Stop after N answers.", show_default="no limit"
        ),
    ] = None,
    config: ConfigFile = None,
    model: TrainedFile = None,
    settings: SettingOptions = NO_SETTINGS,
    json: Json = False,
) -> None:
    """Label uncertain pairs, and pairs on which the readings disagree, in the terminal.

    Every answer is saved at once; the same command continues an existing file.
    """
    # an existing file is continued, not overwritten
    check_outputs({"out": (out, (".csv",))}, [*files, model, config], force=True)
    from partita.cli.inputs import input_paths
    from partita.cli.labelling import LabelFile, Session, ask_pairs, describe_labels
    from partita.linkage.resolve import compare_records, read_compared, read_settings
    from partita.progress import Clock

    suggested = dict(settings)
    data = input_paths(files)
    merged, trained = read_settings(config, settings, model)
    clock = Clock(not json)
    ready = read_compared(compare_records(data, merged, None, trained, clock), trained, clock)
    session = Session(ready, LabelFile(out, ready.records.sources is not None))
    screen = console(stderr=json)
    exhausted = ask_pairs(session, screen, count)
    counts = session.counts()
    if json:
        print_json({"labels": out, **counts, "asked_all": exhausted})
        return
    if exhausted:
        screen.print("no further pair to label")
    options = format_options(suggested, config=config, model=model, labels=out)
    # the new model does not replace the one it starts from
    name = "model.json" if model is None or model.name != "model.json" else "model2.json"
    command = f"partita train {shlex.join(files)} {options} --out {name}"
    screen.print(describe_labels(out, counts, command), soft_wrap=True, markup=False)
