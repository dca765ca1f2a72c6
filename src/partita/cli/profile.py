"""`partita profile`: the content of each column."""

from __future__ import annotations

from dataclasses import asdict

from partita.cli.options import (
    NO_SETTINGS,
    READ_SETTINGS,
    Files,
    Json,
    SettingOptions,
    with_settings,
)
from partita.cli.shell import console, print_json, print_warnings

__all__ = ["profile"]


@with_settings(*READ_SETTINGS)
def profile(files: Files, settings: SettingOptions = NO_SETTINGS, json: Json = False) -> None:
    """Show the content of each column.

    Prints its type, the share of missing values, the number of distinct values, its relevance and
    examples. The relevance compares records that are similar in the other columns with random ones.
    """
    from partita.cli.inputs import input_paths
    from partita.cli.tables import profile_table
    from partita.data import profile as profile_columns
    from partita.data import read
    from partita.linkage.column_weights import weigh_columns
    from partita.linkage.settings import Settings
    from partita.linkage.task import use_source_column

    base = Settings().replaced(**settings)
    records, task = use_source_column(read(input_paths(files), **settings), base)
    profiles = weigh_columns(records, profile_columns(records), task)
    if json:
        columns = [
            {**asdict(column), "is_usable": column.is_usable, "is_compared": column.is_compared}
            for column in profiles
        ]
        print_json({"records": records.n, "sources": records.source_names, "columns": columns})
        return
    screen = console()
    screen.print(profile_table(profiles))
    screen.print("1 record" if records.n == 1 else f"{records.n:,} records")
    print_warnings(records.notes)
