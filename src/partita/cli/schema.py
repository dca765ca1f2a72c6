"""`partita schema`: a draft of a schema from examples."""

from __future__ import annotations

from pathlib import Path

from partita.cli.extract import TextColumn, TextFile
from partita.cli.options import Force, Json, TomlFile
from partita.cli.outputs import check_outputs, is_stdout, open_output
from partita.cli.shell import console, mark_written, print_json

__all__ = ["schema"]


def schema(
    file: TextFile,
    out: TomlFile = Path("schema.toml"),
    column: TextColumn = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Draft a schema for `partita extract` from examples.

    Tagged lines give fields and rules that agree with the tags; a table of records gives one field
    for each column; plain lines give the common patterns in them.
    """
    check_outputs({"out": (out, (".toml",))}, [file], force=force, json=json)
    from partita.cli.inputs import input_path
    from partita.cli.tables import count
    from partita.io import write_text
    from partita.text.extraction.draft import draft_schema
    from partita.text.extraction.schema import load_schema

    text = draft_schema(input_path(file), column)
    with open_output(out, ".toml") as path:
        write_text(path, text)
        drafted = load_schema(path) if not is_stdout(out) else None
    mark_written([out])
    if json:
        names = [rule.name for rule in drafted.rules] if drafted else []
        print_json({"schema": out, "fields": drafted.fields if drafted else [], "rules": names})
    elif drafted is not None:
        fields, rules = count(len(drafted.fields), "field"), count(len(drafted.rules), "rule")
        console().print(f"{fields} and {rules} in {out}", soft_wrap=True)
