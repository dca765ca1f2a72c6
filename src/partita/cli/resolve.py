"""`partita resolve`: entities with their probabilities."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from partita.cli.checkpoints import keep_checkpoint, refuse_resume
from partita.cli.inputs import input_paths
from partita.cli.options import (
    INFER_SETTINGS,
    NO_SETTINGS,
    ConfigFile,
    ConstraintsFile,
    Files,
    Force,
    GoldenFile,
    Json,
    Quiet,
    ReportFile,
    SafeCells,
    SettingOptions,
    Verbose,
    drop_missing,
    with_settings,
)
from partita.cli.outputs import TABLES, check_outputs, is_stdout, write_outputs
from partita.cli.shell import (
    command_line,
    console,
    print_json,
    print_warnings,
)
from partita.errors import InputError

if TYPE_CHECKING:
    from partita.linkage.result import Resolution

__all__ = ["Outputs", "resolve"]

Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        metavar="OUT",
        help="Output: the input with cluster_id, p_member and p_cluster, as .csv, .parquet or "
        ".jsonl; - writes CSV to standard output.",
        show_default=False,
    ),
]
Pairs = Annotated[
    Path | None,
    typer.Option(
        "--pairs",
        metavar="FILE",
        help="Output: compared pairs with match_probability (this pair alone) and p_same "
        "(posterior).",
        show_default="not written",
    ),
]
StoreOut = Annotated[
    Path | None,
    typer.Option(
        "--store",
        metavar="FILE.partita",
        help="Output: a store, to which `partita add` adds records.",
        show_default="not written",
    ),
]
ModelOut = Annotated[
    Path | None,
    typer.Option(
        "--save-model",
        metavar="MODEL.json",
        help="Output: the learned model, which `resolve --model` applies to other records.",
        show_default="not written",
    ),
]
Recipe = Annotated[
    str | None,
    typer.Option(
        "--recipe",
        metavar="NAME",
        help="authors: author mentions on papers, up to millions.",
        show_default="authors for more than 500,000 author records, else none",
    ),
]
Engine = Annotated[
    str | None,
    typer.Option(
        "--engine",
        metavar="NAME",
        help="draws: sample the posterior, whatever the size; for a recipe: auto, flat or ray.",
        show_default="auto",
    ),
]
Address = Annotated[
    str | None,
    typer.Option(
        "--address",
        metavar="HOST:PORT",
        help="Ray cluster of --engine ray.",
        show_default="start one on this machine",
    ),
]
Resume = Annotated[
    bool,
    typer.Option(
        "--resume",
        help="Continue a run that was stopped or killed, from the checkpoint beside the output.",
        show_default=False,
    ),
]
TruthColumn = Annotated[
    str | None,
    typer.Option(
        "--truth-column",
        metavar="COL",
        help="For a recipe: column of the true entity, where known, to learn from.",
        show_default="learn without labels",
    ),
]


@with_settings(*INFER_SETTINGS, "survivorship")
def resolve(
    files: Files,
    out: Out = None,
    pairs: Pairs = None,
    report: ReportFile = None,
    golden: GoldenFile = None,
    store: StoreOut = None,
    save_model: ModelOut = None,
    config: ConfigFile = None,
    constraints: ConstraintsFile = None,
    settings: SettingOptions = NO_SETTINGS,
    recipe: Recipe = None,
    engine: Engine = None,
    address: Address = None,
    truth_column: TruthColumn = None,
    resume: Resume = False,
    safe_cells: SafeCells = False,
    force: Force = False,
    json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Resolve records into entities.

    The output is the input with three more columns: cluster_id, p_member (mean probability that
    the record is one entity with each other member of its cluster) and p_cluster (probability
    that exactly this cluster is an entity).
    """
    outputs = Outputs(out, pairs, report, golden, store, save_model)
    outputs.check([*files, config, constraints], force=force, json=json, safe_cells=safe_cells)
    others = {**outputs._asdict(), "config": config, "constraints": constraints}
    options = drop_missing(recipe=recipe, engine=engine, address=address, truth_column=truth_column)
    from partita.cli.recipe import choose_recipe, run_recipe
    from partita.linkage.routing import DRAWS

    data: Any = files
    if not (options or safe_cells):
        options, data = choose_recipe(files, others, settings)
    if options and options != {"engine": DRAWS}:
        refuse_resume(resume)
        run_recipe(data, others, settings, options, json=json, quiet=quiet)
        return
    from partita.cli.tables import summary_table
    from partita.linkage.resolve import resolve as resolve_records

    began = time.perf_counter()
    with keep_checkpoint(out or store or save_model, resume) as checkpoint:
        resolution = resolve_records(
            input_paths(data),
            config=config,
            constraints=constraints,
            progress=not quiet,
            checkpoint=checkpoint,
            **settings,
        )
        with _busy("writing", quiet=quiet):
            written = outputs.write(resolution, safe_cells=safe_cells)
    summary = resolution.summary()
    took = {"wall": time.perf_counter() - began, "cpu": sum(summary["seconds"].values())}
    if json:
        print_json({**summary, "took": took, "files": written})
        return
    if not quiet:
        screen = console(stderr=outputs.has_stdout)
        screen.print(summary_table(summary, took, written, verbose=verbose))
    print_warnings(summary["warnings"], verbose=verbose)


class Outputs(NamedTuple):
    """The output files of a resolution."""

    result: Path | None
    pairs: Path | None = None
    report: Path | None = None
    golden: Path | None = None
    store: Path | None = None
    save_model: Path | None = None

    @property
    def has_stdout(self) -> bool:
        """Whether one of them is standard output."""
        return any(is_stdout(path) for path in self)

    def check(
        self,
        inputs: Sequence[str | Path | None],
        *,
        force: bool,
        json: bool,
        safe_cells: bool = False,
    ) -> None:
        """Raise if there is no output, or one cannot be written, before any work."""
        if self.result is None and self.store is None and self.save_model is None:
            raise InputError(
                "there is no output; give --out FILE, --store FILE.partita or --save-model "
                "MODEL.json"
            )
        outputs = {
            "out": (self.result, TABLES),
            "pairs": (self.pairs, TABLES),
            "report": (self.report, (".html",)),
            "golden": (self.golden, TABLES),
            "store": (self.store, (".partita",)),
            "save-model": (self.save_model, (".json",)),
        }
        check_outputs(outputs, inputs, force=force, json=json, safe_cells=safe_cells)

    def write(self, resolution: Resolution, *, safe_cells: bool = False) -> Mapping[str, Path]:
        """Write all outputs; return the path of each."""
        return write_outputs(
            {
                # first, because its columns may clash with those of the input
                "golden": (self.golden, resolution.write_golden),
                "result": (self.result, resolution.write),
                "pairs": (self.pairs, resolution.write_pairs),
                "report": (self.report, lambda path: _write_report(resolution, path)),
                "store": (self.store, lambda path: _write_store(resolution, path)),
                "save_model": (self.save_model, resolution.save_model),
            },
            safe_cells=safe_cells,
        )


def _write_report(resolution: Resolution, path: Path) -> None:
    from partita.report import write_report

    write_report(resolution, path, command=command_line())


def _write_store(resolution: Resolution, path: Path) -> None:
    from partita.store import Store

    Store.create(resolution, path).close()


def _busy(task: str, *, quiet: bool) -> Any:
    """Show a spinner on a terminal."""
    from rich.console import Console

    screen = Console(stderr=True)
    return nullcontext() if quiet or not screen.is_terminal else screen.status(task)
