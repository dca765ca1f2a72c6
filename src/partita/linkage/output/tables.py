"""Tables of a result: compared pairs, golden records, and the display of a notebook."""

from __future__ import annotations

import math
from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from partita.data.arrow import from_numpy, from_strings
from partita.kernel import Floats

if TYPE_CHECKING:
    from partita.linkage.result import Resolution

__all__ = [
    "RESULTS",
    "UNCERTAIN",
    "WEIGHT_DIGITS",
    "describe",
    "describe_range",
    "golden_table",
    "pair_table",
    "render_html",
    "round_columns",
    "round_probabilities",
]

RESULTS = ("cluster_id", "p_member", "p_cluster")
"""The columns that are added to the input."""
UNCERTAIN = (0.05, 0.95)
"""A pair between these probabilities is uncertain, and a cluster below the second."""
WEIGHT_DIGITS = 4
"""Decimals of match weights, in bits."""
MODEL_DIGITS = 6
"""Decimals of match_probability, which the pairwise model computes without draws."""
HTML_ROWS = 10
"""Records that a notebook shows."""
HTML_CHARACTERS = 60
"""Characters of a value that a notebook shows."""


def round_probabilities(values: Floats, draws: int) -> Floats:
    """Round to the decimals that a number of draws supports: 2 for 60 draws, 3 for 400.

    >>> round_probabilities(np.array([1 / 3]), 60).tolist()
    [0.33]
    """
    return np.round(values, max(1, math.ceil(math.log10(max(draws, 2)))))


def pair_table(resolution: Resolution) -> pa.Table:
    """The compared pairs with their ids, match weights and probabilities.

    `match_probability` is the probability of a match by this pair alone, from the pairwise model.
    `p_same` is the posterior probability that both records are one entity: it takes all other
    records into account, so that a third record may link two or separate them.
    """
    records, pairs = resolution.records, resolution.record_pairs
    order = np.lexsort((pairs.right, pairs.left))
    columns: dict[str, Any] = {}
    for side, rows in (("l", pairs.left[order]), ("r", pairs.right[order])):
        if records.sources is not None:
            names = from_strings(records.source_names)
            columns[f"source_dataset_{side}"] = names.take(from_numpy(records.sources[rows]))
        name = records.id_name or "unique_id"
        columns[f"{name}_{side}"] = records.ids.take(from_numpy(rows))
    columns["match_weight"] = np.round(pairs.scores.match_weight[order], WEIGHT_DIGITS)
    columns["match_probability"] = np.round(pairs.scores.probability[order], MODEL_DIGITS)
    columns["p_same"] = round_probabilities(pairs.p_same[order], resolution.total_draws)
    return pa.table(columns)


def golden_table(resolution: Resolution) -> pa.Table:
    """One record per entity with its surviving values and their probabilities."""
    from partita.linkage.output.golden import golden

    return round_columns(golden(resolution), resolution.total_draws)


def round_columns(table: pa.Table, draws: int) -> pa.Table:
    """Round the probabilities of golden records as the number of draws supports them."""
    for place, name in enumerate(table.column_names):
        column = table.column(name)
        if name.startswith("p_") and pa.types.is_floating(column.type):
            values = column.to_numpy()
            rounded = round_probabilities(values, draws)
            array = pa.array(rounded, mask=np.isnan(values))
            table = table.set_column(place, name, array)
    return table


def describe_range(summary: Mapping[str, Any]) -> str:
    """The range of the number of entities, rough where the chains do not agree."""
    expected = summary["entities_expected"]
    low, high = f"{expected['low']:,.0f}", f"{expected['high']:,.0f}"
    if low == high:
        return "the range has this number only"
    by = "posterior of the trained model" if summary["reading"] == "trained" else "readings"
    rough = "" if summary["converged"] else "; rough, since the chains do not agree"
    return f"between {low} and {high} by the {by}{rough}"


def describe(resolution: Resolution) -> str:
    """One line: records, entities with their range, and uncertain entities."""
    summary = resolution.summary()
    return (
        f"{_count(summary['records'], 'record', 'records')} in "
        f"{_count(summary['entities'], 'entity', 'entities')} ({describe_range(summary)}), "
        f"{summary['uncertain_entities']:,} uncertain"
    )


def _count(number: int, noun: str, plural: str) -> str:
    return f"{number:,} {noun if number == 1 else plural}"


def render_html(resolution: Resolution) -> str:
    """The first records with their clusters as an HTML table, under one line of summary."""
    rows = min(resolution.records.n, HTML_ROWS)
    table = resolution.records.original(range(rows))
    results = {name: values[:rows] for name, values in resolution.results().items()}
    for name, values in results.items():
        array = values if isinstance(values, pa.Array) else pa.array(values)
        table = table.append_column(name, array)
    head = "".join(f"<th>{escape(name)}</th>" for name in table.column_names)
    body = "".join(
        f"<tr>{''.join(f'<td>{_cell(value)}</td>' for value in row.values())}</tr>"
        for row in table.to_pylist()
    )
    hidden = resolution.records.n - rows
    footer = f"<p>and {_count(hidden, 'more record', 'more records')}</p>" if hidden else ""
    return (
        f"<p>{escape(describe(resolution))}</p><table><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>{footer}"
    )


def _cell(value: Any) -> str:
    text = "" if value is None else str(value)
    return escape(text if len(text) <= HTML_CHARACTERS else text[:HTML_CHARACTERS] + "…")
