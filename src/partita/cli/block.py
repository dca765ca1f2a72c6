"""`partita block`: the candidate pairs and their estimated completeness."""

from __future__ import annotations

from partita.cli.options import (
    COMPARE_SETTINGS,
    NO_SETTINGS,
    ConfigFile,
    Files,
    Json,
    SettingOptions,
    with_settings,
)
from partita.cli.shell import console, print_json, print_warnings

__all__ = ["block"]

MAX_NAMED = 100
"""Records without a candidate that the JSON output names."""


@with_settings(*COMPARE_SETTINGS)
def block(
    files: Files,
    config: ConfigFile = None,
    settings: SettingOptions = NO_SETTINGS,
    json: Json = False,
) -> None:
    """Show the candidate pairs of each method.

    Also estimates pair completeness: the share of all matching pairs that are candidates.
    """
    from partita.blocking.candidates import Completeness, summarise_blocking
    from partita.cli.inputs import input_paths
    from partita.cli.tables import block_table
    from partita.linkage.compare import block_records, score_candidates
    from partita.linkage.prepare import prepare
    from partita.linkage.resolve import profile_columns, read_input, read_settings

    base, _ = read_settings(config, settings)
    records, task, _ = read_input(input_paths(files), base, None)
    _, chosen = profile_columns(records, task)
    prepared = prepare(records, chosen)
    candidates = block_records(prepared, chosen)
    rows = summarise_blocking(candidates)
    completeness: Completeness | None = None
    if chosen.neighbours and len(candidates.pairs):
        completeness = candidates.estimate_completeness(
            score_candidates(prepared, candidates, chosen).likely
        )
    if not json:
        console().print(block_table(candidates, rows, completeness, records.n))
        print_warnings([*records.notes, *(row.message for row in rows if row.message)])
        return
    unblocked = records.ids.take(prepared.numbering.wide[candidates.unblocked])
    print_json(
        {
            "records": records.n,
            "distinct": prepared.n,
            "pairs": len(candidates.pairs),
            "rules": [
                {**row._asdict(), "largest": [group._asdict() for group in row.largest]}
                for row in rows
            ],
            "unblocked": {"records": len(unblocked), "first": unblocked.to_pylist()[:MAX_NAMED]},
            "completeness": completeness._asdict() if completeness else None,
        }
    )
