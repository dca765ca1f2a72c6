"""`partita init`: a partita.toml with every setting."""

from __future__ import annotations

from pathlib import Path

from partita.cli.options import (
    NO_SETTINGS,
    READ_SETTINGS,
    Files,
    Force,
    Json,
    SettingOptions,
    TomlFile,
    with_settings,
)
from partita.cli.outputs import check_outputs, is_stdout, open_output
from partita.cli.shell import console, mark_written, print_json

__all__ = ["init"]


@with_settings(*READ_SETTINGS, "compare")
def init(
    files: Files,
    out: TomlFile = Path("partita.toml"),
    settings: SettingOptions = NO_SETTINGS,
    force: Force = False,
    json: Json = False,
) -> None:
    """Write a partita.toml for these files.

    It lists every setting with its value, for editing and for `--config`.
    """
    check_outputs({"out": (out, (".toml",))}, files, force=force, json=json)
    from partita.cli.inputs import input_paths
    from partita.cli.tables import count
    from partita.data import profile, read
    from partita.io import write_text
    from partita.linkage.column_weights import weigh_columns
    from partita.linkage.columns import choose_columns
    from partita.linkage.config import config_text
    from partita.linkage.settings import Settings
    from partita.linkage.task import choose_task, use_source_column

    base = Settings().replaced(**settings)
    # a resolution finds the column of sources and the task again, so the file does not name them
    reading = {name: value for name, value in settings.items() if name in READ_SETTINGS}
    records, task = use_source_column(read(input_paths(files), **reading), base)
    profiles = weigh_columns(records, profile(records, seed=base.seed), task)
    columns = choose_columns(profiles, choose_task(records, task)).columns
    chosen = base.replaced(columns=columns)
    with open_output(out, ".toml") as path:
        write_text(path, config_text(chosen, profiles))
    mark_written([out])
    if json:
        listed = {name: column.as_dict() for name, column in columns.items()}
        print_json({"config": out, "columns": listed})
    else:
        console(stderr=is_stdout(out)).print(
            f"settings of {count(len(chosen.columns), 'column')} in {out}", soft_wrap=True
        )
