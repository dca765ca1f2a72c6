"""Tables for the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from partita.blocking.candidates import Candidates, Completeness, StepSummary
    from partita.data import ColumnProfile
    from partita.metrics import Calibration, Estimate, Evaluation, Interval, Score

__all__ = [
    "block_table",
    "coref_table",
    "evaluation_table",
    "extraction_table",
    "facts",
    "link_table",
    "profile_table",
    "summary_table",
]


def facts(rows: Sequence[tuple[str, str]], title: str = "") -> Table:
    """Two columns: names and values."""
    table = Table.grid(padding=(0, 2))
    table.title, table.title_justify = title or None, "left"
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(name, Text(value))
    return table


def count(number: float, noun: str, plural: str = "") -> str:
    """A number with its noun, such as "1 record" and "2,000 records"."""
    return f"{number:,.0f} {noun if round(number) == 1 else plural or noun + 's'}"


def summary_table(
    summary: Mapping[str, Any],
    took: Mapping[str, float],
    files: Mapping[str, Path],
    *,
    verbose: bool = False,
) -> Table:
    """The summary of a resolution and its output files."""
    from partita.linkage.output.tables import describe_range

    rows = [
        ("records", f"{summary['records']:,}"),
        (
            "entities",
            f"{summary['entities']:,}; {describe_range(summary)}; "
            f"the largest has {count(summary['largest'], 'record')}",
        ),
        ("duplicates", f"{summary['duplicates']:,}, {summary['identical']:,} of them identical"),
        (
            "uncertain",
            f"{count(summary['uncertain_entities'], 'entity', 'entities')}, "
            f"{summary['uncertain_pairs']:,} of "
            f"{count(summary['pairs_compared'], 'compared pair')}",
        ),
        ("engine", f"{summary['engine']}: {summary['why_engine']}"),
        ("mode", f"{summary['mode']}: {summary['why_mode']}"),
        ("reading", f"{summary['reading']}: {summary['why_reading']}"),
        ("trust", summary["trust"]["sentence"]),
        ("next step", summary["trust"]["advice"]),
        ("model", f"{summary['model']}: {summary['why_model']}"),
        ("convergence", _describe_convergence(summary)),
        *_list_costs(summary, took, files, verbose=verbose),
    ]
    return facts(rows)


def extraction_table(
    summary: Mapping[str, Any],
    took: Mapping[str, float],
    files: Mapping[str, Path],
    *,
    verbose: bool = False,
) -> Table:
    """The summary of an extraction and its output files."""
    fields = ", ".join(f"{name} {share:.0%}" for name, share in summary["fields"].items())
    rules = [
        (f"  {rule['rule']}", _describe_rate(rule))
        for rule in (summary["rules"] if verbose else ())
        if rule["cases"]
    ]
    labelled = f", {summary['labelled']:,} labelled lines" if summary["labelled"] else ""
    rows = [
        (
            "lines",
            f"{count(summary['lines'], 'line')}, {count(summary['tokens'], 'token')}{labelled}",
        ),
        ("filled", fields),
        ("doubtful", f"{count(summary['doubtful'], 'line')} with a reading below 50%"),
        ("errors", f"an expected {summary['expected_errors']:.1%} of the tokens"),
        ("rules", f"{len(summary['rules'])}{'' if verbose else '; --verbose lists their rates'}"),
        *rules,
        *_list_costs(summary, took, files, verbose=verbose),
    ]
    return facts(rows)


def _describe_rate(rule: Mapping[str, Any]) -> str:
    """Describe the rate of a rule, and the lines in which it seems wrong."""
    rate = f"seems right in {rule['rate']:.0%} of {count(rule['cases'], 'case')}"
    lines = ", ".join(f"{line + 1:,}" for line in rule["doubtful"])
    noun = "line" if len(rule["doubtful"]) == 1 else "lines"
    return f"{rate}; look at {noun} {lines}" if lines else rate


def link_table(
    summary: Mapping[str, Any],
    took: Mapping[str, float],
    files: Mapping[str, Path],
    *,
    verbose: bool = False,
) -> Table:
    """The summary of links and their output files."""
    aliases = f", {count(summary['aliases'], 'alias', 'aliases')}" if summary["aliases"] else ""
    rows = [
        ("rows", f"{summary['rows']:,}"),
        ("reference", f"{count(summary['reference'], 'record')}{aliases}"),
        (
            "linked",
            f"{count(summary['linked'], 'row')} to {count(summary['records_linked'], 'record')}; "
            f"{summary['linked_expected']:,.1f} rows expected",
        ),
        ("no link", count(summary["rows"] - summary["linked"], "row")),
        ("uncertain", count(summary["uncertain"], "row")),
        ("compared", ", ".join(summary["columns_compared"])),
        ("reading", f"{summary['reading']}: {summary['why_reading']}"),
        *_list_costs(summary, took, files, verbose=verbose),
    ]
    return facts(rows)


def coref_table(
    summary: Mapping[str, Any], took: Mapping[str, float], files: Mapping[str, Path]
) -> Table:
    """The summary of entities in documents and their output file."""
    expected = summary["entities_expected"]
    rows = [
        ("mentions", f"{summary['mentions']:,} in {count(summary['documents'], 'document')}"),
        (
            "entities",
            f"{summary['entities']:,}, {summary['single']:,} of one mention; "
            f"{expected['low']:,.0f} to {expected['high']:,.0f} expected",
        ),
        ("uncertain", count(summary["uncertain"], "mention")),
    ]
    if "linked" in summary:
        known = f"{summary['records_linked']:,} of {count(summary['records'], 'record')}"
        rows.append(("linked", f"{count(summary['linked'], 'mention')} to {known}"))
    return facts([*rows, *_list_costs(summary, took, files, verbose=False)])


def _list_costs(
    summary: Mapping[str, Any],
    took: Mapping[str, float],
    files: Mapping[str, Path],
    *,
    verbose: bool,
) -> list[tuple[str, str]]:
    """The seconds of a run, those of each stage if `verbose`, and the output files."""
    seconds = summary["seconds"].items() if verbose else ()
    seed = f", seed {summary['seed']}" if "seed" in summary else ""
    return [
        ("time", f"{took['wall']:.1f} s ({took['cpu']:.1f} CPU s){seed}"),
        *((f"  {stage}", f"{spent:.2f} CPU s") for stage, spent in seconds),
        *((name, str(path)) for name, path in files.items()),
    ]


def _describe_convergence(summary: Mapping[str, Any]) -> str:
    """Whether the chains agree, by R-hat and effective sample size."""
    diagnostics = summary["diagnostics"]
    if not diagnostics:
        return "no record is uncertain, so nothing was sampled"
    r_hats = [trace["r_hat"] for trace in diagnostics.values() if trace["r_hat"] is not None]
    if not r_hats:
        return "the chains agree: no draw differs from another"
    r_hat = max(r_hats)
    if summary["chains"] < 2:
        return f"unknown for a single chain (R-hat of its halves {r_hat:.2f}); give --chains 2"
    draws = min(
        trace["ess_bulk"] for trace in diagnostics.values() if trace["ess_bulk"] is not None
    )
    if summary["converged"]:
        return f"the chains agree (R-hat {r_hat:.2f}, {draws:.0f} effective draws)"
    return (
        f"the chains do not agree (R-hat {r_hat:.2f}, {draws:.0f} effective draws); "
        "give more --draws or --chains"
    )


def block_table(
    candidates: Candidates,
    rows: Sequence[StepSummary],
    completeness: Completeness | None,
    records: int,
) -> Group:
    """The candidate pairs of each blocking method and rule, and their pair completeness."""
    table = Table(title="Candidates", title_justify="left")
    table.add_column("method or rule")
    for title in ("pairs", "new", "total", "records without"):
        table.add_column(title, justify="right")
    table.add_column("largest blocks", overflow="fold")
    for row in rows:
        largest = ", ".join(f"{block.label} ({block.size:,})" for block in row.largest)
        numbers = (row.pairs, row.new, row.cumulative, row.unblocked)
        table.add_row(Text(row.rule), *(f"{number:,}" for number in numbers), Text(largest))
    distinct, pairs = candidates.counts.size, len(candidates.pairs)
    lines = [
        ("records", f"{records:,}, {distinct:,} of them distinct"),
        ("pairs", f"{pairs:,}, {2 * pairs / distinct:.1f} per distinct record"),
        (
            "no candidate",
            f"{count(candidates.unblocked.size, 'record')}; each becomes an entity of its own",
        ),
        ("pair completeness", _describe_completeness(completeness)),
    ]
    return Group(table, facts(lines))


def _describe_completeness(completeness: Completeness | None) -> str:
    if completeness is None or completeness.pairs != completeness.pairs:
        return "cannot be estimated: the searches find no likely match in common"
    return (
        f"an estimated {completeness.pairs:.1%} of matching pairs are candidates; "
        f"{completeness.records:.1%} of the records with a match have one among their candidates "
        f"(95% {completeness.records_low:.1%} to {completeness.records_high:.1%}); upper bounds, "
        "since records hard for one search are hard for the other"
    )


SCORES = {
    "pairwise": "pairwise",
    "bcubed": "B-cubed",
    "muc": "MUC",
    "ceaf_e": "CEAF-e",
    "exact_clusters": "exact clusters",
}


def evaluation_table(
    evaluation: Evaluation, sample: Estimate | None, calibrated: Calibration | None
) -> Group:
    """All scores against the truth."""
    table = Table(title="Against the truth", title_justify="left")
    table.add_column("score")
    for title in ("precision", "recall", "F1"):
        table.add_column(title, justify="right")
    for name, title in SCORES.items():
        score: Score | None = getattr(evaluation, name)
        if score is not None:
            numbers = (score.precision, score.recall, score.f1)
            table.add_row(title, *(f"{number:.4f}" for number in numbers))
    parts = [table]
    if sample is not None:
        parts.append(_sample_table(sample))
    lines = [
        ("adjusted Rand", f"{evaluation.adjusted_rand:.4f}"),
        ("records", f"{evaluation.records:,} labelled, {evaluation.unlabelled:,} not"),
        ("entities", f"{evaluation.found_entities:,} found, {evaluation.true_entities:,} true"),
        (
            "pairs",
            f"{evaluation.pairs_found:,} found, {evaluation.pairs_true:,} true, "
            f"{evaluation.pairs_shared:,} in both",
        ),
        ("largest", f"{evaluation.largest_found:,} found, {evaluation.largest_true:,} true"),
    ]
    if calibrated is not None:
        lines.append(
            (
                "calibration",
                f"error {calibrated.ece_width:.4f}, Brier score {calibrated.brier:.4f} "
                f"over {count(calibrated.pairs, 'pair')} of probability 1% or more",
            )
        )
    return Group(*parts, facts(lines))


def _sample_table(sample: Estimate) -> Table:
    """Estimates for all records from the labelled ones."""
    table = Table(
        title=f"Estimated for all {sample.records:,} records from {sample.labelled:,} labelled "
        f"(taken as a sample of {sample.sampled})",
        title_justify="left",
    )
    table.add_column("score")
    for title in ("precision", "recall", "F1"):
        table.add_column(f"{title} ({sample.interval:.0%})", justify="right")
    for title, estimate in (("pairwise", sample.pairwise), ("B-cubed", sample.bcubed)):
        table.add_row(
            title, *(_interval(part) for part in (estimate.precision, estimate.recall, estimate.f1))
        )
    return table


def _interval(interval: Interval) -> str:
    if interval.value != interval.value:
        return "unknown"
    return f"{interval.value:.4f} ({interval.low:.4f} to {interval.high:.4f})"


def profile_table(profiles: Sequence[ColumnProfile]) -> Table:
    """Tabulate the column profiles."""
    table = Table(title="Columns")
    table.add_column("column")
    table.add_column("type")
    for title in ("filled", "distinct", "length", "words", "relevance"):
        table.add_column(title, justify="right")
    table.add_column("notes")
    table.add_column("examples", overflow="fold")
    for column in profiles:
        table.add_row(
            column.name,
            column.type,
            f"{column.filled:.1%}",
            f"{column.distinct:,}",
            f"{column.length:.1f}",
            f"{column.tokens:.1f}",
            "" if column.relevance is None else f"{column.relevance:.1f}",
            _notes(column),
            " | ".join(column.examples),
        )
    return table


def _notes(column: ColumnProfile) -> str:
    """Name the properties of a column that affect its use."""
    if not column.distinct:
        return "always missing"
    notes = [column.unused_reason] if column.unused_reason else []
    if column.is_usable and column.is_near_constant:
        notes.append("nearly constant")
    if column.is_near_unique:
        notes.append("nearly unique")
    if column.is_compared and column.weight < 1.0:
        notes.append(f"counts {column.weight:.2f}")
    return ", ".join(notes)
