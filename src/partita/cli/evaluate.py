"""`partita evaluate`: a result against the truth."""

from __future__ import annotations

from typing import Annotated

import typer

from partita.cli.options import Id, Json, Source
from partita.cli.shell import console, print_json, print_warnings

__all__ = ["evaluate"]


def evaluate(
    out: Annotated[
        str,
        typer.Argument(metavar="OUT", help="The output of `resolve`.", show_default=False),
    ],
    truth_column: Annotated[
        str,
        typer.Option(
            "--truth-column", metavar="COL", help="Column of the true entity.", show_default=False
        ),
    ],
    truth: Annotated[
        str | None,
        typer.Option(
            "--truth", metavar="FILE", help="File with the truth column.", show_default="OUT"
        ),
    ] = None,
    id: Id = None,
    source: Source = None,
    cluster_column: Annotated[
        str, typer.Option("--cluster-column", metavar="COL", help="Column of the predicted entity.")
    ] = "cluster_id",
    pairs: Annotated[
        str | None,
        typer.Option(
            "--pairs",
            metavar="FILE",
            help="The output of `resolve --pairs`, to measure the calibration of p_same.",
            show_default="no calibration",
        ),
    ] = None,
    sampled: Annotated[
        str,
        typer.Option(
            "--sampled",
            metavar="HOW",
            help="How labelled records were sampled: records, clusters or 'clusters by size'.",
        ),
    ] = "records",
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", help="Seed of the bootstrap intervals.")
    ] = 0,
    json: Json = False,
) -> None:
    """Score a result against the truth.

    Scores are pairwise, B-cubed, MUC, CEAF-e, exact clusters and adjusted Rand; with --pairs also
    the calibration of p_same.
    """
    from partita.cli.evaluation import Evaluated, evaluate_files
    from partita.cli.tables import evaluation_table

    files = Evaluated(out, truth or out, truth_column, cluster_column, id, source, pairs)
    scores = evaluate_files(files, sampled=sampled, seed=seed)
    if json:
        print_json(scores.as_dict())
        return
    console().print(evaluation_table(scores.result, scores.sample, scores.calibration))
    print_warnings(scores.warnings(files))
