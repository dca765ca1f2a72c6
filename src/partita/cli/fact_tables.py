"""The summary of `partita facts`: counts, rated rules, conflicts and explanations."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from partita.knowledge.completion import Explanation, Facts

__all__ = ["print_facts"]


def print_facts(
    screen: Console, completed: Facts, explanations: Sequence[Explanation], most: int
) -> None:
    """Print the counts, the rules, the most probable facts, conflicts and explanations."""
    counts = completed.summary()
    screen.print(
        f"{counts['observed']:,} facts observed, {counts['facts']:,} in question, "
        f"{counts['likely']:,} of them likely; {counts['conflicts']:,} conflicts; weights "
        f"{counts['weights']}"
    )
    if completed.ratings:
        screen.print(_rule_table(completed, most))
    if completed.world.n:
        screen.print(_fact_table(completed, most))
    for row in completed.conflicts().slice(0, most).to_pylist():
        screen.print(Text(f"conflict: {row['body']} against {row['head']} ({row['rule']})"))
    for explanation in explanations:
        screen.print(Text(str(explanation)), soft_wrap=True)


def _rule_table(completed: Facts, most: int) -> Table:
    table = Table("rule", title="Rules against the facts")
    for head in ("weight", "heads", "observed", "confidence", "PCA confidence"):
        table.add_column(head, justify="right")
    for row in completed.rules().slice(0, most).to_pylist():
        shares = (row["confidence"], row["pca_confidence"])
        table.add_row(
            Text(row["rule"]),
            f"{row['weight']:.2f}",
            f"{row['heads']:,}",
            f"{row['support']:,}",
            *("-" if share is None else f"{share:.2f}" for share in shares),
        )
    return table


def _fact_table(completed: Facts, most: int) -> Table:
    table = Table("head", "relation", "tail", title="Most probable facts")
    for head in ("p", "without rules"):
        table.add_column(head, justify="right")
    for row in completed.table().slice(0, most).to_pylist():
        alone = row["p_embedding"]
        names = (Text(row[name]) for name in ("head", "relation", "tail"))
        table.add_row(*names, f"{row['p']:.3f}", "-" if alone is None else f"{alone:.3f}")
    return table
