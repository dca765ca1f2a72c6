"""Extraction: the fields of each line, with the probability of each value."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from partita.data import Records, extend_input, write
from partita.kernel import Floats, Ints
from partita.states.checks import whole
from partita.text.extraction.columns import Column, find_runs, rate_lines
from partita.text.extraction.labels import tag_line
from partita.text.extraction.rates import RuleRate
from partita.text.extraction.rules import Rules
from partita.text.extraction.schema import Schema
from partita.text.extraction.segment_model import Segment, SegmentPosterior
from partita.text.extraction.tokens import Tokens

__all__ = ["Extraction", "Span", "result_names"]

EDGES = " \t,;:"
"""Characters that a value loses at its ends."""
SEPARATOR = "; "
"""Separates the values of a field with several segments in one line."""
LONG_WORD_END = re.compile(r"(\w{4}|\d)[\s\"”’)]*\.$")
"""A full stop after a number, or after a word that is no initial and no abbreviation."""
BRACKETS = (("(", ")"), ("[", "]"))
"""Signs that a value loses at an end if the other one is not in the value."""
PAIRS = ('""', "“”", "()", "[]")
"""Signs that a value loses if they enclose it."""
DOUBTFUL_LINE = 0.5
"""Probability of a whole reading below which a line counts as doubtful."""


class Span(NamedTuple):
    """One segment of a line: its field, its characters, and its probability."""

    field: str
    begin: int
    end: int
    p: float


def result_names(schema: Schema, n_best: int = 0, columns: Sequence[Column] = ()) -> list[str]:
    """Return the names of the new columns."""
    chosen = [column.name for column in columns] or schema.fields
    fields = [name for field in chosen for name in (field, f"p_{field}")]
    return [*fields, "p_line", "spans", *(["n_best"] if n_best else [])]


@dataclass(frozen=True, eq=False)
class Extraction:
    """Fields extracted from lines of text.

    `p_FIELD` is the probability that the tokens of the value are a segment of the field, and of
    several segments the smallest one. Where a line lacks the field, it is 1 less the largest
    probability of the field at a token. `p_line` is the probability of the whole reading.

    With `columns`, a value is a run of tokens of the column, and `p_FIELD` the probability that
    exactly these adjacent tokens belong to it. `p_line` is then the probability that all tokens
    have the columns of the reading. Suggestions and the n best readings keep the fields.
    """

    records: Records
    column: str
    rules: Rules
    posterior: SegmentPosterior
    rates: tuple[RuleRate, ...]
    """The estimated rate of each rule, in the order of the schema."""
    n_best: int
    labelled: int
    """The number of labelled lines."""
    notes: tuple[str, ...]
    seconds: Mapping[str, float]
    columns: tuple[Column, ...] = ()
    """Chosen columns of the output; empty for one column of each field."""

    @property
    def schema(self) -> Schema:
        """The schema of the fields."""
        return self.rules.schema

    @property
    def tokens(self) -> Tokens:
        """The tokens of all lines."""
        return self.rules.tokens

    @cached_property
    def spans(self) -> list[list[Span]]:
        """The segments of each line that belong to a field, in order."""
        spans: list[list[Span]] = [[] for _ in self.tokens.lines]
        for line in range(len(spans)):
            spans[line] = self._join(self.posterior.segments(line))
        return spans

    @cached_property
    def column_spans(self) -> list[list[Span]]:
        """The values of each line in the columns of the output, in order."""
        if not self.columns:
            return self.spans
        begin, end = self.tokens.begin, self.tokens.end
        return [
            [
                Span(run.column, int(begin[run.start]), int(end[run.stop - 1]), run.probability)
                for run in runs
            ]
            for runs in find_runs(self.posterior, self.columns)
        ]

    @cached_property
    def line_probability(self) -> Floats:
        """The probability of the reading of each line, in the columns of the output."""
        if not self.columns:
            return self.posterior.line_probability
        return rate_lines(self.posterior, self.columns)

    @cached_property
    def masks(self) -> dict[str, NDArray[np.bool_]]:
        """The labels of each column of the output, by the name of the column."""
        schema = self.schema
        if self.columns:
            return dict(self.columns)
        return {name: np.array(schema.labels) == name for name in schema.fields}

    def _join(self, segments: Sequence[Segment]) -> list[Span]:
        """Join adjacent segments of one field, whose length the model limits."""
        spans: list[Span] = []
        stop = -1
        for segment in segments:
            begin = int(self.tokens.begin[segment.start])
            end, p = int(self.tokens.end[segment.stop - 1]), segment.probability
            if spans and spans[-1].field == segment.field and stop == segment.start:
                spans[-1] = spans[-1]._replace(end=end, p=min(p, spans[-1].p))
            else:
                spans.append(Span(segment.field, begin, end, p))
            stop = segment.stop
        return spans

    def value(self, line: int, column: str) -> tuple[str | None, float]:
        """Return the text of a column in a line, None where it is missing, and its probability."""
        own = [span for span in self.column_spans[line] if span.field == column]
        if not own:
            tokens = slice(self.tokens.start[line], self.tokens.start[line + 1])
            own_p = self.posterior.marginals[tokens][:, self.masks[column]].sum(1)
            return None, max(0.0, 1.0 - float(own_p.max(initial=0.0)))
        text = self.tokens.lines[line]
        values = [trim_value(text[span.begin : span.end]) for span in own]
        return SEPARATOR.join(values), min(span.p for span in own)

    @cached_property
    def uncertainty(self) -> Floats:
        """The expected number of wrongly labelled tokens of each line."""
        doubt = 1.0 - self.posterior.marginals.max(1, initial=0.0)
        return np.bincount(self.tokens.line_of(), doubt, len(self.tokens.lines)).astype(float)

    def results(self) -> dict[str, Any]:
        """Return the new columns, one value for each line."""
        columns: dict[str, Any] = {}
        for name in self.masks:
            values = [self.value(line, name) for line in range(len(self.tokens.lines))]
            columns[name] = pa.array([text for text, _ in values], pa.string())
            columns[f"p_{name}"] = np.round([p for _, p in values], 4)
        columns["p_line"] = np.round(self.line_probability, 4)
        spans = [_format_spans(spans) for spans in self.column_spans]
        columns["spans"] = pa.array(spans, pa.string())
        if self.n_best:
            readings = (self.readings(line) for line in range(len(self.tokens.lines)))
            texts = [json.dumps(reading, ensure_ascii=False) for reading in readings]
            columns["n_best"] = pa.array(texts, pa.string())
        return columns

    def readings(self, line: int) -> list[dict[str, Any]]:
        """Return the n best readings of a line: the fields of each and its probability."""
        ranked = self.posterior.n_best(line, self.n_best)
        return [{"p": p, **self.fields(line, segments)} for p, segments in ranked]

    def fields(self, line: int, segments: Sequence[Segment]) -> dict[str, str]:
        """Return the text of each field in a segmentation of a line."""
        fields: dict[str, str] = {}
        for span in self._join(segments):
            text = trim_value(self.tokens.lines[line][span.begin : span.end])
            own = fields.get(span.field)
            fields[span.field] = f"{own}{SEPARATOR}{text}" if own else text
        return fields

    def table(self) -> Any:
        """Return the input with the new columns, in its type; a file gives an Arrow table."""
        return extend_input(self.records, self.results())

    def write(self, path: str | Path) -> Path:
        """Write the input with the new columns."""
        return write(self.records, self.results(), path)

    def report(self, path: str | Path) -> Path:
        """Write the report: one HTML file for the browser."""
        from partita.report.extraction import write_extraction_report

        return write_extraction_report(self, path)

    def suggest(self, n: int) -> list[str]:
        """Return the n lines most worth labelling, each tagged with its best reading.

        They have the most tokens that are expected to be wrong. Of lines that differ in digits,
        case or blanks only, there is one. Correct the tags and give the lines as labels.
        """
        whole(n, "n")
        distinct: dict[str, int] = {}
        for line in self.rank_doubtful().tolist():
            form = re.sub(r"\d", "0", " ".join(self.tokens.lines[line].casefold().split()))
            distinct.setdefault(form, line)
        return [self.tagged(line) for line in itertools.islice(distinct.values(), n)]

    def rank_doubtful(self) -> Ints:
        """Return the lines with tokens, the most uncertain first."""
        order = np.argsort(-self.uncertainty, kind="stable")
        return order[np.diff(self.tokens.start)[order] > 0]

    def tagged(self, line: int) -> str:
        """Return a line with a tag around each field."""
        spans = [(span.begin, span.end, span.field) for span in self.spans[line]]
        return tag_line(self.tokens.lines[line], spans)

    def summary(self) -> dict[str, Any]:
        """Return the result in numbers, as JSON can hold them."""
        lines = len(self.tokens.lines)
        filled = dict.fromkeys(self.masks, 0)
        for spans in self.column_spans:
            for name in {span.field for span in spans}:
                filled[name] += 1
        return {
            "lines": lines,
            "tokens": self.tokens.n,
            "column": self.column,
            "labelled": self.labelled,
            "doubtful": int((self.line_probability < DOUBTFUL_LINE).sum()),
            "expected_errors": float(self.uncertainty.sum() / max(1, self.tokens.n)),
            "fields": {name: count / max(1, lines) for name, count in filled.items()},
            "rules": [rate._asdict() for rate in self.rates],
            "warnings": list(self.notes),
            "seconds": dict(self.seconds),
        }

    def __repr__(self) -> str:
        fields = ", ".join(self.masks)
        return f"Extraction({len(self.tokens.lines):,} lines; {fields})"


def trim_value(text: str) -> str:
    """Return a value without separators and enclosing signs; a full stop stays after a short word.

    A bracket at one end whose other half is not in the value is no part of it either.

    >>> trim_value("On trees., "), trim_value("Lee, A.,"), trim_value("(1999).")
    ('On trees', 'Lee, A.', '1999')
    >>> trim_value("42k)"), trim_value("(42k"), trim_value("45(1)")
    ('42k', '42k', '45(1)')
    """
    value = text.strip(EDGES)
    if LONG_WORD_END.search(value):
        value = value[:-1].rstrip()
    if value[:1] + value[-1:] in PAIRS and not set(value[0] + value[-1]) & set(value[1:-1]):
        value = value[1:-1].strip(EDGES)
    for opening, closing in BRACKETS:
        if value.startswith(opening) and closing not in value:
            value = value[1:].strip(EDGES)
        if value.endswith(closing) and opening not in value:
            value = value[:-1].strip(EDGES)
    return value or text.strip()


def _format_spans(spans: Sequence[Span]) -> str:
    """Format spans as JSON."""
    rows = [{**span._asdict(), "p": round(span.p, 4)} for span in spans]
    return json.dumps(rows, ensure_ascii=False)
