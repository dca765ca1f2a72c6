"""Report of an extraction: lines with coloured fields, doubtful lines first, and the rules."""

from __future__ import annotations

import math
from datetime import datetime
from html import escape
from pathlib import Path
from string import Template

import numpy as np

import partita
from partita.data.postgres import hide_password
from partita.data.write import check_path
from partita.io import write_text
from partita.report.report import ENDINGS, read_resource
from partita.report.text import count, percent, table
from partita.text.extraction.result import Extraction

__all__ = ["write_extraction_report"]

MAX_DOUBTFUL = 40
"""Doubtful lines in the page."""
MAX_OTHERS = 20
"""Lines in the page that are drawn evenly from the others."""
MAX_LINE = 1_200
"""Characters of a line in the page."""
DOUBTFUL_SPAN = 0.7
"""Probability below which a field is hatched."""
GOLDEN_ANGLE = 137.5
"""Degrees between the hues of two fields: neighbours in the list differ most."""


def write_extraction_report(
    result: Extraction, path: str | Path, *, date: datetime | None = None
) -> Path:
    """Write the report of an extraction; it needs no network and no other file."""
    check_path(path, ENDINGS)
    written = date or datetime.now().astimezone()
    facts = [f"{written:%Y-%m-%d %H:%M}", f"Partita {partita.__version__}"]
    source = result.records.input
    if isinstance(source, str | Path):
        facts.insert(0, f"<bdi>{escape(hide_password(str(source)))}</bdi>")
    return write_text(path, _page(result, " · ".join(facts)))


def _page(result: Extraction, facts: str) -> str:
    doubtful, others = _choose_lines(result)
    sections = [
        ("summary", "Summary", _summary(result)),
        ("doubtful", "Doubtful lines", _lines(result, doubtful, "No line is doubtful.")),
        ("others", "Other lines", _lines(result, others, "All lines are above.")),
        ("rules", "Rules", _rules(result)),
    ]
    links = "".join(f'<a href="#{key}">{escape(title)}</a>' for key, title, _ in sections)
    body = "\n".join(
        f'<section id="{key}"><h2>{escape(title)}</h2>{content}</section>'
        for key, title, content in sections
    )
    return Template(read_resource("extraction.html")).substitute(
        style=read_resource("page.css") + read_resource("extraction.css"),
        links=links,
        facts=facts,
        body=body,
        lines=f"{len(result.tokens.lines):,}",
    )


def _choose_lines(result: Extraction) -> tuple[list[int], list[int]]:
    """Choose the most uncertain lines, and some of the others at even distances."""
    order = result.rank_doubtful()
    limit = 0.5  # expected wrong tokens: at least one token is doubtful
    doubtful = [int(line) for line in order if result.uncertainty[line] > limit][:MAX_DOUBTFUL]
    rest = np.sort(np.setdiff1d(order, doubtful))
    places = np.unique(np.linspace(0, rest.size - 1, min(MAX_OTHERS, rest.size)).astype(int))
    return doubtful, [int(line) for line in rest[places]] if rest.size else []


def _summary(result: Extraction) -> str:
    summary = result.summary()
    cards = [
        (count(summary["lines"]), "lines", f"{count(summary['tokens'], 'token')}"),
        (count(summary["doubtful"]), "doubtful lines", "the best reading is below 50%"),
        (percent(summary["expected_errors"]), "expected errors", "share of the tokens"),
        (count(summary["labelled"]), "labelled lines", "beside the rules"),
    ]
    body = "".join(
        f'<div class="card"><b>{number}</b><span>{title}</span><small>{note}</small></div>'
        for number, title, note in cards
    )
    fields = [
        (_legend(result, name), percent(share) if share else "none")
        for name, share in summary["fields"].items()
    ]
    notes = "".join(f"<li>{escape(note)}</li>" for note in result.notes)
    warnings = (
        f'<details class="warnings" open><summary>Warnings</summary><ul>{notes}</ul></details>'
    )
    return (
        f'<div class="cards">{body}</div>{warnings if notes else ""}'
        f"{table(['field', 'lines that have it'], fields, [1])}"
    )


def _legend(result: Extraction, name: str) -> str:
    return f'<span class="field" style="{_tint(result, name)}">{escape(name)}</span>'


def _tint(result: Extraction, name: str) -> str:
    """Return the colour of a field as a style."""
    hue = list(result.masks).index(name) * GOLDEN_ANGLE % 360
    return f"--tint: hsl({hue:.0f} 70% 55% / .22); --tint-edge: hsl({hue:.0f} 60% 45% / .6)"


def _lines(result: Extraction, lines: list[int], empty: str) -> str:
    """Show lines with a coloured box around each field."""
    if not lines:
        return f"<p>{empty}</p>"
    names = "".join(_legend(result, name) for name in result.masks)
    cards = "".join(_line(result, line) for line in lines)
    return f'<div class="legend">{names}</div>{cards}'


def _line(result: Extraction, line: int) -> str:
    text, place, pieces = result.tokens.lines[line], 0, []
    for span in result.column_spans[line]:
        if span.begin >= MAX_LINE:
            break
        if span.begin < place:  # a field within the column of its parent
            continue
        kind = "field doubtful" if span.p < DOUBTFUL_SPAN else "field"
        pieces.append(escape(text[place : span.begin]))
        pieces.append(
            f'<span class="{kind}" style="{_tint(result, span.field)}" '
            f'title="{escape(span.field)}, {percent(span.p)}">{escape(text[span.begin : span.end])}'
            f"<small>{escape(span.field)} {percent(span.p)}</small></span>"
        )
        place = span.end
    pieces.append(escape(text[place : max(place, MAX_LINE)]))
    pieces.append(" …" if len(text) > max(place, MAX_LINE) else "")
    p = float(result.line_probability[line])
    head = f"line {line + 1:,}, this reading {percent(p)}"
    return f'<div class="line"><small>{head}</small><p dir="auto">{"".join(pieces)}</p></div>'


def _rules(result: Extraction) -> str:
    """List the rules with their estimated rates and the lines in which they seem wrong."""
    rows = []
    for rule, rate in zip(result.schema.rules, result.rates, strict=True):
        seems = "never fires" if math.isnan(rate.rate) else percent(rate.rate)
        fields = rule.statement or "all fields"
        lines = ", ".join(f"{line + 1:,}" for line in rate.doubtful)
        rows.append([escape(rate.rule), seems, count(rate.cases), lines, escape(fields)])
    words = (
        "<p>How often each rule seems right, by the model of all rules and lines together. "
        "A rule below 50% may need a correction.</p>"
    )
    # a narrow screen shows the first columns without scrolling
    header = ["rule", "seems right", "cases", "lines to look at", "field"]
    return words + table(header, rows, [1, 2], "records")
