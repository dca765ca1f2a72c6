"""Tables for the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

from partita.blocking.candidates import Candidates, Completeness, StepSummary
from partita.data import ColumnProfile
from partita.metrics import Estimate, Evaluation, Interval, Score

__all__ = ["block_table", "evaluation_table", "facts", "profile_table", "summary_table"]


def facts(rows: Sequence[tuple[str, str]], title: str = "") -> Table:
    """Names and what is to be said of them."""
    table = Table.grid(padding=(0, 2))
    table.title, table.title_justify = title or None, "left"
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(name, Text(value))
    return table


def summary_table(
    told: Mapping[str, Any], took: Mapping[str, float], files: Mapping[str, Path]
) -> Group:
    """What a resolution found, and where it is."""
    expected = told["entities_expected"]
    rows = [
        ("records", f"{told['records']:,}"),
        (
            "entities",
            f"{told['entities']:,}; the draws say {expected['mean']:,.1f} "
            f"(95% {expected['low']:,.0f} to {expected['high']:,.0f}); "
            f"the largest has {told['largest']:,} records",
        ),
        ("duplicates", f"{told['duplicates']:,}, of which {told['identical']:,} are identical"),
        (
            "doubtful",
            f"{told['doubtful_entities']:,} entities, {told['doubtful_pairs']:,} of "
            f"{told['pairs_compared']:,} compared pairs",
        ),
        ("engine", f"{told['engine']}: {told['why_engine']}"),
        ("model", f"{told['model']}: {told['why_model']}"),
        ("convergence", _convergence(told)),
        ("time", f"{took['wall']:.1f} s ({took['cpu']:.1f} CPU s), seed {told['seed']}"),
        *((name, str(path)) for name, path in files.items()),
    ]
    notes = [Text(f"warning: {one}", style="yellow") for one in told["warnings"]]
    return Group(facts(rows), *notes)


def _convergence(told: Mapping[str, Any]) -> str:
    """Whether the chains agree, and by what."""
    found = told["diagnostics"]
    if not found:
        return "nothing was open, so nothing was sampled"
    r_hats = [one["r_hat"] for one in found.values() if one["r_hat"] is not None]
    if not r_hats:
        return "the chains agree: none of them ever changed"
    r_hat = max(r_hats)
    if told["chains"] < 2:
        return f"not known of a single chain (R-hat of its halves {r_hat:.2f}); give --chains 2"
    draws = min(one["ess_bulk"] for one in found.values() if one["ess_bulk"] is not None)
    if told["converged"]:
        return f"the chains agree (R-hat {r_hat:.2f}, {draws:.0f} effective draws)"
    return (
        f"the chains do not agree (R-hat {r_hat:.2f}, {draws:.0f} effective draws); "
        "give more --draws or --chains"
    )


def block_table(
    found: Candidates, rows: Sequence[StepSummary], completeness: Completeness | None, records: int
) -> Group:
    """What each search and rule brings, and whom nobody finds."""
    table = Table(title="Candidates", title_justify="left")
    table.add_column("by")
    for title in ("pairs", "new", "together", "records in none"):
        table.add_column(title, justify="right")
    table.add_column("largest blocks", overflow="fold")
    for row in rows:
        largest = ", ".join(f"{one.label} ({one.size:,})" for one in row.largest)
        numbers = (row.pairs, row.new, row.cumulative, row.unblocked)
        table.add_row(Text(row.rule), *(f"{one:,}" for one in numbers), Text(largest))
    distinct = found.counts.size
    lines = [
        ("records", f"{records:,}, {distinct:,} of them distinct"),
        ("pairs", f"{len(found.pairs):,}, {2 * len(found.pairs) / distinct:.1f} per record"),
        ("no candidate", f"{found.unblocked.size:,} records; each becomes an entity of its own"),
        ("pair completeness", _completeness(completeness)),
    ]
    notes = [Text(f"warning: {row.message}", style="yellow") for row in rows if row.message]
    return Group(table, facts(lines), *notes)


def _completeness(found: Completeness | None) -> str:
    if found is None or found.pairs != found.pairs:
        return "cannot be estimated: the searches find no likely match in common"
    return (
        f"an estimated {found.pairs:.1%} of matching pairs are candidates; {found.records:.1%} of "
        f"the records with a match have one among their candidates (95% {found.records_low:.1%} to "
        f"{found.records_high:.1%}); upper bounds, since records hard for one search are hard for "
        "the other"
    )


SCORES = {
    "pairwise": "pairwise",
    "bcubed": "B-cubed",
    "muc": "MUC",
    "ceaf_e": "CEAF-e",
    "exact_clusters": "exact clusters",
}


def evaluation_table(
    found: Evaluation, sample: Estimate | None, calibrated: Mapping[str, Any] | None
) -> Group:
    """All scores against the truth."""
    table = Table(title="Against the truth", title_justify="left")
    table.add_column("score")
    for title in ("precision", "recall", "F1"):
        table.add_column(title, justify="right")
    for name, title in SCORES.items():
        score: Score | None = getattr(found, name)
        if score is not None:
            numbers = (score.precision, score.recall, score.f1)
            table.add_row(title, *(f"{one:.4f}" for one in numbers))
    parts = [table]
    if sample is not None:
        parts.append(_sample_table(sample))
    lines = [
        ("adjusted Rand", f"{found.adjusted_rand:.4f}"),
        ("records", f"{found.records:,} labelled, {found.unlabelled:,} not"),
        ("entities", f"{found.found_entities:,} found, {found.true_entities:,} true"),
        (
            "pairs",
            f"{found.pairs_found:,} found, {found.pairs_true:,} true, "
            f"{found.pairs_shared:,} in both",
        ),
        ("largest", f"{found.largest_found:,} found, {found.largest_true:,} true"),
    ]
    if calibrated is not None:
        lines.append(
            (
                "calibration",
                f"error {calibrated['ece_width']:.4f}, Brier score {calibrated['brier']:.4f} "
                f"over {calibrated['pairs']:,} near pairs",
            )
        )
    return Group(*parts, facts(lines))


def _sample_table(sample: Estimate) -> Table:
    """What the labelled records say of all records."""
    table = Table(
        title=f"Estimated for all {sample.records:,} records from {sample.labelled:,} labelled "
        f"(taken as a sample of {sample.sampled})",
        title_justify="left",
    )
    table.add_column("score")
    for title in ("precision", "recall", "F1"):
        table.add_column(f"{title} ({sample.interval:.0%})", justify="right")
    for title, one in (("pairwise", sample.pairwise), ("B-cubed", sample.bcubed)):
        table.add_row(title, *(_interval(part) for part in (one.precision, one.recall, one.f1)))
    return table


def _interval(one: Interval) -> str:
    if one.value != one.value:
        return "not known"
    return f"{one.value:.4f} ({one.low:.4f} to {one.high:.4f})"


def profile_table(profiles: Sequence[ColumnProfile]) -> Table:
    """Tabulate the column profiles."""
    table = Table(title="Columns")
    table.add_column("column")
    table.add_column("type")
    for title in ("filled", "distinct", "length", "words"):
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
            _notes(column),
            " | ".join(column.examples),
        )
    return table


def _notes(column: ColumnProfile) -> str:
    """Name the properties of a column that affect its use."""
    if not column.distinct:
        return "always missing"
    notes = []
    if not column.is_usable:
        notes.append("not used: one value" if column.distinct == 1 else "not used: nearly empty")
    elif column.is_near_constant:
        notes.append("nearly constant")
    if column.is_near_unique:
        notes.append("nearly unique")
    if column.is_redundant:
        notes.append(f"repeats other columns ({column.covered_share:.0%})")
    return ", ".join(notes)
