"""Extraction before resolution: fields of a text column, and several readings of each record.

A line of text has more than one reading. The fields of the best one become columns. Readings drawn
from the posterior are compared as well: the score of two records is the log of the mean Bayes
factor over their readings a and b, of which each has the share p of its record's draws:

    S = log sum_ab p(a) p(b) exp(S_ab)

Draws estimate the posterior mean of the Bayes factor; the best reading counts as one more draw, so
that its share is too high by at most one part in 21. The n best readings share the likeliest
boundaries and differ in the least certain ones only, so that their shares are no such estimate.

Resolution and extraction alternate once: records are clustered by their first readings, and each
line is read again with the fields of the other lines of its cluster as evidence (`agreement`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from partita.comparison.comparisons import Comparisons
from partita.data import Records
from partita.data.lines import choose_text_column
from partita.data.table import to_text
from partita.errors import InputError
from partita.kernel import Floats, Ints
from partita.linkage.pairwise.model import PairModel, PairScores
from partita.linkage.pairwise.pruning import SLICE
from partita.linkage.pairwise.scored_pairs import PairScorer, ScoredPairs
from partita.linkage.pairwise.term_frequency import TermFrequency
from partita.linkage.prepare import Prepared, prepare
from partita.linkage.settings import ColumnSettings, Settings

if TYPE_CHECKING:
    from partita.text.extraction.result import Extraction

__all__ = ["Cluster", "MixedScorer", "Readings", "extract_fields", "mix_readings"]

N_DRAWS = 20
"""Drawn readings of a record. A pair of records compares all pairs of their distinct readings, so
the cost of a pair rises with the square."""


@dataclass(frozen=True, eq=False)
class Readings:
    """Distinct readings of all records as records: of each record the best one, then the others."""

    records: Records
    owner: Ints
    """The record of each reading."""
    log_p: Floats
    """The log share of each reading among those of its record."""

    @property
    def start(self) -> Ints:
        """The first reading of each record, and the number of readings."""
        count = int(self.owner[-1]) + 1 if self.owner.size else 0
        return np.searchsorted(self.owner, np.arange(count + 1))


Cluster = Callable[[Records, Settings, Readings], Ints]
"""Returns the cluster of each record by its extracted fields."""


def extract_fields(
    records: Records, settings: Settings, cluster: Cluster | None = None
) -> tuple[Records, Settings, Readings | None]:
    """Extract the fields of the text column into columns; the text itself only serves blocking.

    With `cluster`, the records are clustered by the fields once, and the lines are read again: a
    word has the field of the same word in other lines of its cluster as further evidence.
    """
    if settings.extract is None:
        return records, settings, None
    # imported here: a resolution without extraction starts faster
    from partita.text.extraction.agreement import share_labels
    from partita.text.extraction.extract import extract

    column = choose_text_column(records, settings.extract_column)
    # the model of the text is fitted to lines in an order that depends on content only
    lines = to_text(records.original(records.order).column(column))
    extraction = extract(pa.table({column: lines}), settings.extract, column=column)
    taken = [name for name in extraction.schema.fields if name in records.table.column_names]
    if taken:
        raise InputError(
            f"the input has a column {taken[0]!r}, which the schema extracts as well; rename one"
        )
    role = {column: ColumnSettings(role="block"), **settings.columns}
    settings = settings.replaced(columns=role)
    extracted, readings = _read_fields(records, extraction, settings.seed)
    if cluster is not None:
        entity = cluster(extracted, settings, readings)[records.order]
        shared = replace(extraction, posterior=share_labels(extraction.posterior, entity))
        extracted, readings = _read_fields(records, shared, settings.seed)
    return extracted, settings, readings


def _read_fields(records: Records, extraction: Extraction, seed: int) -> tuple[Records, Readings]:
    """Return the records with the fields of the best readings, and all readings of each record."""
    fields = extraction.schema.fields
    order = np.argsort(records.order)
    values, owner, log_p = _list_readings(extraction, fields, order, seed)
    first = np.flatnonzero(np.diff(owner, prepend=-1))
    ids = records.ids.take(pa.array(owner))
    repeated = replace(records, table=records.original(owner), ids=ids, sources=None)
    readings = Readings(_add_columns(repeated, fields, values), owner, log_p)
    return _add_columns(records, fields, [values[k] for k in first]), readings


def _list_readings(
    extraction: Extraction, fields: Sequence[str], lines: Ints, seed: int
) -> tuple[list[tuple[str | None, ...]], Ints, Floats]:
    """List the values of the best reading of each row's line, then those of its draws.

    Readings with equal values are one. The best reading counts as one more draw.
    """
    values: list[tuple[str | None, ...]] = []
    owner: list[int] = []
    log_p: list[float] = []
    posterior = extraction.posterior
    draws = posterior.sample(N_DRAWS, np.random.default_rng(seed))
    for row, line in enumerate(lines.tolist()):
        cuts = (posterior.segments(line), *draws[line])
        readings = (extraction.fields(line, cut) for cut in cuts)
        count = Counter(tuple(reading.get(name) for name in fields) for reading in readings)
        values += count
        owner += [row] * len(count)
        log_p += [math.log(many / (N_DRAWS + 1)) for many in count.values()]
    return values, np.array(owner, np.int64), np.array(log_p)


def _add_columns(
    records: Records, fields: Sequence[str], values: Sequence[tuple[str | None, ...]]
) -> Records:
    """Return the records with one more column for each field."""
    table = records.table
    for k, name in enumerate(fields):
        table = table.append_column(name, pa.array([row[k] for row in values], pa.string()))
    # the output is made from the table, which has the fields, and not from the input
    names = (*records.names, *fields)
    return replace(records, table=table, names=names, input=None, _cache={})


@dataclass(frozen=True, eq=False)
class MixedScorer:
    """The mean Bayes factor of two records over their readings, beside another scorer."""

    inner: PairScorer | None
    model: PairModel
    comparisons: Comparisons
    """The comparisons of distinct readings."""
    term_frequencies: Sequence[TermFrequency]
    start: Ints
    """The first reading of each distinct record, in `reading`, and their number."""
    reading: Ints
    """Distinct readings of each distinct record, the best first."""
    log_p: Floats

    def score(self, pairs: Ints, scores: PairScores) -> PairScores:
        """The scores of pairs, given those of the best readings by the pairwise model."""
        base = scores if self.inner is None else self.inner.score(pairs, scores)
        change = np.zeros(len(pairs))
        left, right = (np.diff(self.start)[pairs[:, side]] for side in (0, 1))
        several = np.flatnonzero(left * right > 1)
        step = max(1, SLICE // (N_DRAWS + 1) ** 2)
        for at in range(0, several.size, step):
            some = several[at : at + step]
            change[some] = self._mix(pairs[some], left[some], right[some])
        return base.read_as(base.total + change)

    def _mix(self, pairs: Ints, left: Ints, right: Ints) -> Floats:
        """Return the log of the mean Bayes factor, less that of the two best readings."""
        many = left * right
        begin = np.cumsum(many) - many
        place = np.arange(many.sum()) - np.repeat(begin, many)
        side = np.repeat(right, many)
        a = np.repeat(self.start[pairs[:, 0]], many) + place // side
        b = np.repeat(self.start[pairs[:, 1]], many) + place % side
        compared = np.stack([self.reading[a], self.reading[b]], 1)
        total = self.model.score(
            self.comparisons, compared, term_frequencies=self.term_frequencies
        ).total
        mixed = np.logaddexp.reduceat(total + self.log_p[a] + self.log_p[b], begin)
        return np.asarray(mixed - total[begin])


def mix_readings(
    scored: ScoredPairs,
    readings: Readings | None,
    prepared: Prepared,
    candidates: NDArray[np.signedinteger],
    settings: Settings,
) -> ScoredPairs:
    """Score the candidates by all readings of their records, where records have several."""
    if readings is None or readings.owner.size == prepared.numbering.narrow.size:
        return scored
    expanded = prepare(readings.records, settings.replaced(mode="dedupe"))
    comparisons = Comparisons(expanded.compared, prepared.column_types, prepared.comparisons)
    rows, start = prepared.numbering.wide, readings.start
    many = np.diff(start)[rows]
    first = np.cumsum(many) - many
    place = np.repeat(start[rows] - first, many) + np.arange(many.sum())
    scorer = MixedScorer(
        scored.scorer,
        scored.model,
        comparisons,
        scored.model.term_frequencies(comparisons),
        np.append(first, many.sum()),
        np.asarray(expanded.numbering.narrow)[place],
        readings.log_p[place],
    )
    return scored.read_by(scorer, candidates)
