"""Columns of the output: fields, or nodes of their tree with all fields below them.

A column of a node has a value for each run of tokens whose labels are the node or below it. So the
adjacent children of one parent are one value: `street` of "N Main St" is all three tokens.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partita.errors import InputError
from partita.kernel import Floats, Ints
from partita.states.checks import shown, whole
from partita.text.extraction.rule import unknown_name
from partita.text.extraction.schema import Schema
from partita.text.extraction.segment_model import SegmentPosterior

__all__ = ["Column", "Run", "choose_columns", "find_runs", "rate_lines"]


class Column(NamedTuple):
    """A column of the output."""

    name: str
    mask: NDArray[np.bool_]
    """The labels whose tokens belong to the column."""


class Run(NamedTuple):
    """Adjacent tokens of one column: `start` up to `stop`, numbered over all lines."""

    start: int
    stop: int
    column: str
    probability: float
    """Posterior probability that these tokens belong to the column and their neighbours do not."""


def choose_columns(
    schema: Schema, fields: str | Sequence[str] | None, level: int | None
) -> tuple[Column, ...]:
    """Return the columns for a list of names, or for a level of the tree; none for neither."""
    if fields is None and level is None:
        return ()
    if fields is not None and level is not None:
        raise InputError("fields and level both choose the columns; give one of them")
    if fields is None:
        nodes = [schema.node_at(label, whole(level, "level", 1)) for label in schema.labels]
        names = dict.fromkeys(name for name in nodes if name != schema.other)
        return tuple(Column(name, np.array([name == node for node in nodes])) for name in names)
    listed = dict.fromkeys([fields] if isinstance(fields, str) else fields)
    if not listed:
        raise InputError(f"fields is {shown(fields)}; name at least one field")
    known = [name for name in schema.nodes if name != schema.other]
    for name in listed:
        if name not in known:
            raise unknown_name("field", str(name), known)
    return tuple(Column(name, schema.mask([name])) for name in listed)


def find_runs(posterior: SegmentPosterior, columns: Sequence[Column]) -> list[list[Run]]:
    """Return the runs of the best segmentation of each line, with their probabilities, in order."""
    start = posterior.rules.tokens.start
    queries = [
        (line, at, stop, column)
        for line in range(start.size - 1)
        for column in columns
        for at, stop in _split_runs(column.mask[posterior.label[start[line] : start[line + 1]]])
    ]

    def allow(query: int) -> NDArray[np.bool_]:
        line, at, stop, column = queries[query]
        allowed = np.ones((start[line + 1] - start[line], column.mask.size), bool)
        allowed[at:stop] = column.mask
        allowed[max(0, at - 1) : at] = allowed[stop : stop + 1] = ~column.mask
        return allowed

    lines = np.array([query[0] for query in queries], np.int64)
    runs: list[list[Run]] = [[] for _ in range(start.size - 1)]
    for query, p in zip(queries, posterior.rate_allowed(lines, allow), strict=True):
        line, at, stop, column = query
        runs[line].append(
            Run(int(start[line] + at), int(start[line] + stop), column.name, float(p))
        )
    return [sorted(own, key=lambda run: (run.start, -run.stop)) for own in runs]


def rate_lines(posterior: SegmentPosterior, columns: Sequence[Column]) -> Floats:
    """Return the probability that every token of a line has the columns of the best segmentation.

    It is the sum over all segmentations that differ within the columns only.
    """
    start = posterior.rules.tokens.start
    masks = np.array([column.mask for column in columns])
    # labels of the same columns are one class
    classes = np.unique(masks.T, axis=0, return_inverse=True)[1].reshape(-1)
    is_same = classes[:, None] == classes
    lines: Ints = np.arange(start.size - 1)
    return posterior.rate_allowed(
        lines, lambda line: is_same[posterior.label[start[line] : start[line + 1]]]
    )


def _split_runs(chosen: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """Yield start and end of each run of chosen tokens."""
    edges = np.flatnonzero(np.diff(chosen, prepend=False, append=False))
    yield from zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)
