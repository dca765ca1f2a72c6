"""Labelled lines: text with tags, such as `<author>Lee, A.</author> <date>1999</date>`."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from partita.data.lines import read_text_records
from partita.errors import InputError
from partita.kernel import Ints
from partita.states.checks import shown
from partita.text.extraction.rule import unknown_name
from partita.text.extraction.schema import Schema
from partita.text.extraction.tokens import Tokens, tokenise

__all__ = [
    "LabelledLine",
    "LabelledLines",
    "Labels",
    "TaggedLine",
    "encode_labels",
    "parse_tags",
    "read_labels",
    "tag_line",
]

TAG = re.compile(r"<(/?)([^<>/]+)>")

Labels = str | Path | Sequence[str]


class TaggedLine(NamedTuple):
    """A line without its tags, and the characters and field of each tag."""

    text: str
    spans: tuple[tuple[int, int, str], ...]


class LabelledLine(NamedTuple):
    """A line and the label of each of its tokens."""

    text: str
    labels: tuple[str, ...]


class LabelledLines(NamedTuple):
    """Labelled lines as tokens, with the first token and the label of each token's segment."""

    tokens: Tokens
    first: Ints
    label: Ints


def parse_tags(line: str, known: Sequence[str]) -> TaggedLine:
    """Separate a tagged line into text and spans.

    >>> parse_tags("<author>Lee</author> 1999", ["author"])
    TaggedLine(text='Lee 1999', spans=((0, 3, 'author'),))
    """
    text, spans, place = "", [], 0
    begun: tuple[str, int] | None = None
    closed = {match[2].strip() for match in TAG.finditer(line) if match[1]}
    for match in TAG.finditer(line):
        name = match[2].strip()
        if name not in known:
            if name not in closed:
                continue  # a sign of the text, such as a < b >
            raise unknown_name("field", name, known)
        text += line[place : match.start()]
        place = match.end()
        if match[1]:
            if begun is None or begun[0] != name:
                raise InputError(f"</{name}> closes no <{name}> in {shown(line)}; add it")
            spans.append((begun[1], len(text), name))
            begun = None
        elif begun is not None:
            raise InputError(f"<{name}> begins inside <{begun[0]}>; close the first tag before it")
        else:
            begun = (name, len(text))
    if begun is not None:
        raise InputError(f"<{begun[0]}> is not closed; write </{begun[0]}> after its text")
    return TaggedLine(text + line[place:], tuple(spans))


def tag_line(text: str, spans: Iterable[tuple[int, int, str]]) -> str:
    """Return a line with a tag around each span, as `parse_tags` reads it."""
    tagged, place = "", 0
    for begin, end, name in sorted(spans):
        tagged += f"{text[place:begin]}<{name}>{text[begin:end]}</{name}>"
        place = end
    return tagged + text[place:]


def read_labels(source: Labels | None, schema: Schema) -> list[LabelledLine]:
    """Read the examples of a schema, and labelled lines from a file or a list.

    Lines without a tag are left out.
    """
    examples = _parse_lines(schema.examples, schema, "example")
    tagged = [] if source is None else _parse_lines(_list_lines(source), schema, "labelled line")
    if source is not None and not tagged:
        raise InputError(
            f"no line of the labels has a tag such as <{schema.fields[0]}>...</{schema.fields[0]}>"
        )
    encoded = encode_labels([*examples, *tagged], schema)
    names = [schema.labels[code] for code in encoded.label]
    return [
        LabelledLine(text, tuple(names[first:last]))
        for text, (first, last) in zip(
            encoded.tokens.lines, itertools.pairwise(encoded.tokens.start), strict=True
        )
    ]


def _list_lines(source: Labels) -> list[str]:
    if isinstance(source, str | Path):
        records, column = read_text_records(source)
        return [str(line or "") for line in records.table.column(column).to_pylist()]
    return [str(line) for line in source]


def _parse_lines(lines: Sequence[str], schema: Schema, noun: str) -> list[TaggedLine]:
    """Parse the lines that have tags."""
    tagged = []
    for number, line in enumerate(lines, 1):
        try:
            parsed = parse_tags(line, schema.labels)
        except InputError as error:
            raise InputError(f"{noun} {number}: {error}") from error
        if parsed.spans:
            tagged.append(parsed)
    return tagged


def encode_labels(tagged: Sequence[TaggedLine], schema: Schema) -> LabelledLines:
    """Tokenise labelled lines and number their labels; text outside tags is `other`."""
    tokens = tokenise([line.text for line in tagged], schema.split)
    other = len(schema.labels) - 1 if schema.other is not None else -1
    first = np.arange(tokens.n)
    label = np.full(tokens.n, other, np.int64)
    for number, line in enumerate(tagged):
        own = np.arange(tokens.start[number], tokens.start[number + 1])
        for begin, end, name in line.spans:
            inside = own[(tokens.begin[own] < end) & (tokens.end[own] > begin)]
            label[inside] = schema.labels.index(name)
            first[inside] = inside[0] if inside.size else 0
        if (label[own] < 0).any():
            token = int(own[label[own] < 0][0])
            raise InputError(
                f"{tokens.words[tokens.word[token]]!r} of labelled line {number + 1} is in no "
                "field, but the schema has other = false; tag it, or name other"
            )
    return LabelledLines(tokens, first, label)
