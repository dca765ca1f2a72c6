"""`partita train`: match weights from labels."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from partita.cli.combinations import STORE
from partita.cli.options import (
    COMPARE_SETTINGS,
    NO_SETTINGS,
    ConfigFile,
    Files,
    Force,
    Json,
    Quiet,
    SettingOptions,
    TrainedFile,
    format_options,
    with_settings,
)
from partita.cli.outputs import check_outputs, is_stdout, open_output
from partita.cli.shell import console, mark_written, print_json
from partita.cli.store_options import DryRun, print_counts, print_rows
from partita.errors import InputError

__all__ = ["train"]


@with_settings(*COMPARE_SETTINGS)
def train(
    files: Files,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="MODEL.json", help="Output: the model.", show_default=False
        ),
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option("--labels", metavar="FILE", help="Labels, such as `partita label` writes."),
    ] = None,
    truth_column: Annotated[
        str | None,
        typer.Option("--truth-column", metavar="COL", help="Column of the true entity."),
    ] = None,
    config: ConfigFile = None,
    model: TrainedFile = None,
    settings: SettingOptions = NO_SETTINGS,
    dry_run: DryRun = False,
    force: Force = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Learn match weights from labels.

    `resolve --model MODEL.json` applies the weights. With a store as FILE, its model is learned
    again from all its records and corrections, and its records are resolved again.
    """
    if files[0].endswith(STORE):
        return _train_store(files, dry_run=dry_run, json=json, quiet=quiet)
    if out is None:
        raise InputError("there is no output; give --out MODEL.json, or the file of a store")
    inputs = [*files, labels, config, model]
    check_outputs({"out": (out, (".json",))}, inputs, force=force, json=json)
    if (labels is None) == (truth_column is None):
        raise InputError("give either --labels or --truth-column to learn from")
    from partita.cli.inputs import input_paths
    from partita.linkage.supervision.training import train as train_model

    suggested = dict(settings)
    trained = train_model(
        input_paths(files),
        labels,
        truth_column=truth_column,
        model=model,
        config=config,
        progress=not (quiet or json),
        **settings,
    )
    with open_output(out, ".json") as path:
        trained.save(path)
    mark_written([out])
    held_out = trained.held_out
    assert held_out is not None, "training measures held-out labels"
    if json:
        content = {**held_out.as_dict(), "changed": held_out.changed, "weights": trained.named()}
        print_json({**content, "model": out})
    elif not quiet:
        if truth_column is not None:
            suggested["ignore"] = (*suggested.get("ignore", ()), truth_column)
        # the labels stay true, whatever the weights
        options = format_options(suggested, config=config, model=out, constraints=labels)
        command = f"partita resolve {shlex.join(files)} {options} --out resolved.csv"
        _print_facts([*held_out.sentences(), ("model", str(out)), ("use it", command)], out)


def _print_facts(rows: list[tuple[str, str]], out: Path) -> None:
    from partita.cli.tables import facts

    console(stderr=is_stdout(out)).print(facts(rows))


def _train_store(files: list[str], *, dry_run: bool, json: bool, quiet: bool) -> None:
    from partita.store import Store

    if len(files) > 1:
        raise InputError(f"{files[1]!r} stands after a store; `partita add` adds records to it")
    with Store(files[0]) as store:
        report = store.train(dry_run=dry_run)
    if quiet and not json:
        return
    print_counts(report, json=json)
    if not json and report["weights"]:
        print_rows("weights", report["weights"], json=False)
