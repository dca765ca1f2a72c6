"""The commands. Heavy modules are imported when a command runs, so that help is quick."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from partita.cli.options import (
    COMPARING,
    INFERRING,
    NOTHING,
    READING,
    Address,
    Asked,
    ConfigFile,
    ConstraintsFile,
    EngineName,
    Files,
    GoldenFile,
    Id,
    Json,
    KnownColumn,
    PairsFile,
    Quiet,
    RecipeName,
    ReportFile,
    SourceColumn,
    TrainedFile,
    asks,
    given,
)
from partita.cli.shell import Guarded

__all__ = ["app", "main"]

app = typer.Typer(
    cls=Guarded,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Resolve messy records into entities, each with its probability.",
    epilog="Exit codes: 0 done, 2 refused (one sentence says why), 130 stopped.",
)


def _version(asked: bool) -> None:
    if asked:
        import partita

        typer.echo(f"partita {partita.__version__}")
        raise typer.Exit


@app.callback()
def start(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Resolve messy records into entities, each with its probability."""


@app.command()
@asks(*INFERRING)
def resolve(
    files: Files,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="OUT", help="Result: .csv, .parquet or .jsonl.")
    ],
    config: ConfigFile = None,
    constraints: ConstraintsFile = None,
    settings: Asked = NOTHING,
    pairs: PairsFile = None,
    report: ReportFile = None,
    golden: GoldenFile = None,
    recipe: RecipeName = None,
    engine: EngineName = None,
    address: Address = None,
    truth_column: KnownColumn = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Find the entities behind records; writes cluster_id, p_member and p_cluster beside them."""
    from partita.cli.resolving import Outputs, run_resolve

    run_resolve(
        files,
        Outputs(out, pairs, report, golden),
        config=config,
        constraints=constraints,
        settings=settings,
        recipe=given(recipe=recipe, engine=engine, address=address, truth_column=truth_column),
        json=json,
        quiet=quiet,
    )


@app.command()
@asks(*INFERRING)
def explain(
    files: Files,
    one: Annotated[str, typer.Argument(metavar="ID", help="A record.", show_default=False)],
    other: Annotated[str, typer.Argument(metavar="ID", help="Another.", show_default=False)],
    config: ConfigFile = None,
    constraints: ConstraintsFile = None,
    settings: Asked = NOTHING,
    json: Json = False,
) -> None:
    """Say why two records are one entity or two; give the options that `resolve` was given."""
    from partita.cli.resolving import run_explain

    run_explain(
        files,
        one,
        other,
        config=config,
        constraints=constraints,
        settings=settings,
        json=json,
    )


@app.command()
@asks(*READING)
def profile(
    files: Files,
    settings: Asked = NOTHING,
    json: Json = False,
) -> None:
    """Show what is in each column."""
    from partita.cli.looking import run_profile

    run_profile(files, settings, json=json)


@app.command()
@asks(*READING)
def init(
    files: Files,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="Where the settings go.")
    ] = Path("partita.toml"),
    settings: Asked = NOTHING,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
    json: Json = False,
) -> None:
    """Write a partita.toml for these files, with every setting spelt out."""
    from partita.cli.looking import run_init

    run_init(files, out, settings, force=force, json=json)


@app.command()
@asks(*COMPARING)
def block(
    files: Files,
    config: ConfigFile = None,
    settings: Asked = NOTHING,
    json: Json = False,
) -> None:
    """Show which pairs would be compared, and estimate what share of the matches is among them."""
    from partita.cli.looking import run_block

    run_block(files, config, settings, json=json)


@app.command()
@asks(*COMPARING)
def label(
    files: Files,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE.csv", help="Labels; continued if there.")
    ] = Path("labels.csv"),
    count: Annotated[
        int | None, typer.Option("--count", metavar="N", min=1, help="Stop after N answers.")
    ] = None,
    config: ConfigFile = None,
    model: TrainedFile = None,
    settings: Asked = NOTHING,
    json: Json = False,
) -> None:
    """Ask whether pairs of records are one entity, the most telling pairs first."""
    from partita.cli.labelling import run_label

    run_label(files, out, model=model, config=config, settings=settings, count=count, json=json)


@app.command()
@asks(*COMPARING)
def train(
    files: Files,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="MODEL.json", help="Where the model goes.")
    ],
    labels: Annotated[
        Path | None, typer.Option("--labels", metavar="FILE", help="What `partita label` wrote.")
    ] = None,
    truth_column: Annotated[
        str | None, typer.Option("--truth-column", metavar="COL", help="Column of the true entity.")
    ] = None,
    config: ConfigFile = None,
    model: TrainedFile = None,
    settings: Asked = NOTHING,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Learn better weights from labels; `resolve --model MODEL.json` uses them."""
    from partita.cli.training import run_train

    run_train(
        files,
        out,
        labels=labels,
        truth_column=truth_column,
        model=model,
        config=config,
        settings=settings,
        json=json,
        quiet=quiet,
    )


@app.command()
def evaluate(
    out: Annotated[
        str, typer.Argument(metavar="OUT", help="What `resolve` wrote.", show_default=False)
    ],
    truth_column: Annotated[
        str, typer.Option("--truth-column", metavar="COL", help="Column of the true entity.")
    ],
    truth: Annotated[
        str | None, typer.Option("--truth", metavar="FILE", help="File of the truth; else OUT.")
    ] = None,
    id: Id = None,
    source: SourceColumn = None,
    cluster_column: Annotated[
        str, typer.Option("--cluster-column", metavar="COL", help="Column of the found entity.")
    ] = "cluster_id",
    pairs: Annotated[
        str | None,
        typer.Option("--pairs", metavar="FILE", help="Pairs with p_same, to judge calibration."),
    ] = None,
    sampled: Annotated[
        str,
        typer.Option(
            "--sampled",
            metavar="HOW",
            help="How labelled records were chosen: records, clusters or 'clusters by size'.",
        ),
    ] = "records",
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Seed of the intervals.")] = 0,
    json: Json = False,
) -> None:
    """Compare a result with the truth by every metric."""
    from partita.cli.judging import Question, run_evaluate

    asked = Question(out, truth or out, truth_column, cluster_column, id, source, pairs)
    run_evaluate(asked, sampled=sampled, seed=seed, json=json)


@app.command()
def generate(
    n: Annotated[int, typer.Argument(metavar="N", help="Number of records.", show_default=False)],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help=".csv, .parquet or .jsonl.")
    ],
    kind: Annotated[
        str, typer.Option("--kind", metavar="KIND", help="people or authors.")
    ] = "people",
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Seed.")] = 0,
    truth: Annotated[
        str,
        typer.Option(
            "--truth", metavar="WHERE", help="Truth as a column, in a file beside, or none."
        ),
    ] = "column",
    json: Json = False,
) -> None:
    """Write generated records of people or authors, with the truth."""
    from partita.cli.making import run_generate

    run_generate(n, out, kind=kind, seed=seed, truth=truth, json=json)


def main() -> None:
    """Run the command line."""
    # Numba's level 2 compiles in three quarters of the time, to code that is as fast
    os.environ.setdefault("NUMBA_OPT", "2")
    app()
