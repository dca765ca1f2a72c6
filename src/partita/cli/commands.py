"""The commands with their examples. Heavy modules are imported when a command runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from partita.cli.add import add
from partita.cli.block import block
from partita.cli.check import check
from partita.cli.combinations import Command
from partita.cli.coref import coref
from partita.cli.correct import correct
from partita.cli.diff import diff
from partita.cli.evaluate import evaluate
from partita.cli.explain import explain
from partita.cli.export import export
from partita.cli.extract import extract
from partita.cli.facts import facts
from partita.cli.find import find
from partita.cli.forget import forget
from partita.cli.generate import generate
from partita.cli.history import history
from partita.cli.init import init
from partita.cli.label import label
from partita.cli.link import link
from partita.cli.log import log
from partita.cli.profile import profile
from partita.cli.resolve import resolve
from partita.cli.schema import schema
from partita.cli.serve import serve
from partita.cli.shell import CommandGroup
from partita.cli.train import train
from partita.cli.undo import undo
from partita.cli.warm import warm

__all__ = ["app"]

COMMANDS: dict[Callable[..., None], tuple[str, ...]] = {
    resolve: (
        "partita resolve customers.csv --out entities.csv --report report.html",
        "partita resolve a.csv b.csv --mode link --one-to-one --out links.csv --pairs pairs.csv",
        "partita resolve a.csv b.csv --map a.title=b.name --out links.csv",
        "zcat customers.csv.gz | partita resolve - --out - > entities.csv",
    ),
    link: (
        "partita link delivery.csv --to master.csv --out links.csv",
        "partita link delivery.csv --to register.parquet --to-id number --map company=name "
        "--out links.csv",
        "partita link names.csv --to countries.csv --aliases names_of_countries.csv --out - ",
    ),
    explain: (
        "partita explain customers.csv 17 42",
        "partita explain delivery.csv 17 C042 --to master.csv",
    ),
    profile: ("partita profile customers.csv",),
    init: (
        "partita init customers.csv",
        "partita resolve customers.csv --config partita.toml --out entities.csv",
    ),
    block: ("partita block customers.csv --config partita.toml",),
    label: ("partita label customers.csv --out labels.csv",),
    train: (
        "partita train customers.csv --labels labels.csv --out model.json",
        "partita resolve customers.csv --model model.json --out entities.csv",
        "partita train people.partita",
    ),
    evaluate: (
        "partita evaluate entities.csv --truth truth.csv --truth-column entity",
        "partita evaluate entities.csv --truth-column entity --pairs pairs.csv",
    ),
    extract: (
        "partita extract references.txt --schema citation --out references.csv",
        "partita extract ads.csv --column title --schema ads.toml --out ads.parquet",
        "partita extract references.txt --schema citation --out - --suggest 20 -q",
    ),
    schema: (
        "partita schema tagged.txt --out citations.toml",
        "partita extract references.txt --schema citations.toml --out references.csv",
    ),
    coref: (
        "partita coref documents.jsonl --out entities.csv",
        "partita coref article.ann --to people.csv --aliases nicknames.csv --out entities.csv",
        "partita coref corpus.conllu --out entities.parquet",
    ),
    facts: (
        "partita facts triples.tsv --rules rules.pl --out facts.csv",
        "partita facts triples.tsv --rules rules.pl --out facts.csv --rated rules.csv "
        "--conflicts conflicts.csv",
        "partita facts triples.tsv --rules rules.pl --out facts.csv --explain 'ann livesIn leeds'",
    ),
    serve: (
        "partita serve reconcile register.csv",
        "partita serve reconcile register.parquet --to-id number --name company --type country "
        "--port 8001",
    ),
    generate: (
        "partita generate 1000 --out people.csv --truth file",
        "partita generate 2000 --kind products --sources 2 --out products.csv",
        "partita generate 500 --kind companies --noise 2 --out companies.csv",
    ),
    add: (
        "partita add people.partita monday.csv",
        "partita add people.partita --delete 17 --delete 23 --dry-run",
    ),
    find: ("partita find people.partita name='Ann Lee' city=Ely",),
    correct: (
        "partita correct people.partita --together 17 42 --reason 'same passport'",
        "partita correct people.partita --apart 17,23",
        "partita correct people.partita --entity e9e3779b97 --is 17 42",
    ),
    log: ("partita log people.partita", "partita log people.partita --run 2 --limit 20"),
    history: ("partita history people.partita e9e3779b97",),
    diff: ("partita diff people.partita 1 3",),
    undo: ("partita undo people.partita 3",),
    export: ("partita export people.partita --out entities.csv --run 2",),
    check: ("partita check people.partita",),
    forget: ("partita forget people.partita 17",),
    warm: ("partita warm",),
}
"""Commands in the order of the help page, each with examples."""

app = typer.Typer(
    cls=CommandGroup,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Resolve messy records into entities, each with its probability.",
    epilog="Exit codes: 0 success, 2 refused input (one sentence names the cause), 130 stopped, "
    "143 terminated.",
)
for command, examples in COMMANDS.items():
    # \b keeps the line breaks
    examples_text = "\n".join(("\b", "Examples:", *(f"  {line}" for line in examples)))
    app.command(cls=Command, epilog=examples_text)(command)


def _print_version(requested: bool) -> None:
    if requested:
        import partita

        typer.echo(f"partita {partita.__version__}")
        raise typer.Exit


@app.callback()
def start(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Resolve messy records into entities, each with its probability."""
