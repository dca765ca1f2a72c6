"""A reference that answers queries: records with probabilities, within milliseconds.

`Reconciler.of` prepares the reference once. It learns the pairwise model by `link`, from rows of
the user or from copies of the reference with generated errors, and builds an index of all records.
A query is then compared with its nearest records only, by the same model, and its link and NIL
have the probabilities of `candidates.py`.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from partita.blocking.query_index import QueryIndex
from partita.comparison.comparisons import Comparisons
from partita.data import Column, Records
from partita.data.arrow import from_strings
from partita.data.table import list_some, to_text
from partita.errors import InputError
from partita.kernel import Floats, Ints
from partita.knowledge.candidates import Candidates, link_probabilities, list_candidates
from partita.knowledge.linking import link
from partita.knowledge.reference import read_forms
from partita.knowledge.result import Links
from partita.knowledge.value_counts import TableCounts, count_table
from partita.linkage.pairwise.model import LN2, PairModel, PairScores
from partita.linkage.pairwise.part import localise_model
from partita.linkage.prepare import Prepared, prepare
from partita.linkage.settings import Settings
from partita.synthetic.spoil import spoil_rows

__all__ = ["Match", "Query", "Reconciler"]

NAME_COLUMNS = ("name", "title", "label")
"""Columns that hold the name of a record by default, in this order, in any case."""
MAX_LEARNED = 2_000
"""Rows that the model is learned from where the user gives none. Origin: rates of levels have a
standard error below .012."""
MAX_LEARNED_AGAINST = 20_000
"""Records of the reference that the model is learned against. Origin: u is that of random pairs,
whose number does not grow with the reference."""
SHARE_UNKNOWN = 0.5
"""Share of queries with a record in the reference, where generated rows cannot show it."""


class Query(NamedTuple):
    """Values of one row by column, and types that a record may have."""

    values: Mapping[str, str]
    types: frozenset[str] = frozenset()
    limit: int | None = None


class Match(NamedTuple):
    """A record of the reference that may be the entity of a query."""

    record: int
    p: float
    """The probability that the record is the entity of the query."""
    bits: Mapping[str, float]
    """The match weight of each column in bits, and their sum as `match_weight`."""


class _Learned(NamedTuple):
    """The model of pairs, and the prior of a link."""

    model: PairModel
    settings: Settings
    share: float
    offset: float

    @classmethod
    def of(cls, links: Links, share: float | None) -> _Learned:
        """The model of links, with the share of rows that have a link."""
        own = links.candidates
        settings = replace(links.settings, mode="link")
        return cls(links.scored.model, settings, share or own.share, own.offset)


@dataclass(frozen=True, eq=False)
class Reconciler:
    """A reference that was prepared to answer queries."""

    reference: Records
    name: str
    """The column that holds the name of a record."""
    type_column: str | None
    """The column that holds the type of a record."""
    prepared: Prepared
    """The records and their aliases."""
    owner: Ints
    """The record of each form."""
    learned: _Learned
    index: QueryIndex
    counts: TableCounts
    names: tuple[str, ...]
    """Names of the records, in their order."""
    types: tuple[str, ...]
    """Types of the records, in their order; empty without a column of types."""
    places: Mapping[str, int]
    """The number of each record, by its id."""

    @classmethod
    def of(
        cls,
        reference: Any,
        *,
        to_id: str | None = None,
        name: str | None = None,
        type_column: str | None = None,
        aliases: Any = None,
        rows: Any = None,
        seed: int = 0,
        memory: int | str | None = None,
    ) -> Reconciler:
        """Read and prepare a reference, and learn how its records and queries differ.

        Parameters
        ----------
        reference, to_id, aliases
            As `to`, `to_id` and `aliases` of `link`.
        name
            The column that holds names; by default `name`, `title` or `label`, else the first one.
        type_column
            The column that holds the type of a record; by default all records have one type.
        rows
            Rows like those of the queries, from which the model is learned; by default copies of
            the reference with generated errors.
        """
        records, forms, owner = read_forms(reference, to_id=to_id, aliases=aliases, memory=memory)
        own_name = _choose_name(forms, name)
        if type_column is not None and type_column not in forms.column_names:
            raise InputError(
                f"there is no column {type_column!r}; there are {list_some(forms.column_names)}"
            )
        ordered = [own_name, *(column for column in forms.column_names if column != own_name)]
        learned = _learn(forms.select(ordered), rows, seed)
        prepared = _prepare(forms, learned)
        columns = {column.name: column for column in prepared.columns}
        ids = [str(value) for value in records.ids.to_pylist()]
        types = [] if type_column is None else forms.column(type_column)[: records.n].to_pylist()
        return cls(
            reference=records,
            name=own_name,
            type_column=type_column,
            prepared=prepared,
            owner=owner,
            learned=learned,
            index=QueryIndex(columns, learned.settings.neighbours, seed),
            counts=count_table(prepared),
            names=tuple(value or "" for value in forms.column(own_name)[: records.n].to_pylist()),
            types=tuple(value or "" for value in types),
            places={id: place for place, id in enumerate(ids)},
        )

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that queries can have."""
        return tuple(column.name for column in self.prepared.columns)

    def id(self, record: int) -> str:
        """The id of a record."""
        return str(self.reference.ids[record].as_py())

    def find(self, queries: Sequence[Query]) -> list[list[Match]]:
        """The records that may be the entity of each query, the likeliest first."""
        if not queries:
            return []
        prepared_queries = _prepare(self._tabulate(queries), self.learned)
        place, form = self.index.find({column.name: column for column in prepared_queries.columns})
        mask = self._have_type(queries, place, self.owner[form])
        place, form = place[mask], form[mask]
        if not place.size:
            return [[] for _ in queries]
        scores = self._score(prepared_queries, place, form)
        return self._rank(queries, place, self.owner[form], scores)

    def _tabulate(self, queries: Sequence[Query]) -> pa.Table:
        """The values of queries as a table of the compared columns."""
        for query in queries:
            for column in query.values:
                if column not in self.columns:
                    raise InputError(
                        f"there is no property {column!r}; there are {list_some(self.columns)}"
                    )
        return pa.table(
            {
                column: pa.array([query.values.get(column) or None for query in queries], "string")
                for column in self.columns
            }
        )

    def _have_type(self, queries: Sequence[Query], place: Ints, record: Ints) -> Any:
        """Whether the record of each pair has a type that its query allows."""
        if not any(query.types for query in queries):
            return np.ones(place.size, bool)
        return np.array(
            [
                not (types := queries[row].types) or self.type_of(number) in types
                for row, number in zip(place.tolist(), record.tolist(), strict=True)
            ],
            bool,
        )

    def type_of(self, record: int) -> str:
        """The type of a record."""
        return self.types[record] if self.types else "record"

    def _score(self, prepared_queries: Prepared, place: Ints, form: Ints) -> PairScores:
        """Compare queries with forms, by the counts of the whole reference."""
        used, position = np.unique(form, return_inverse=True)
        both = zip(prepared_queries.compared, self.prepared.compared, strict=True)
        compared = [_stack_columns(query, known, used) for query, known in both]
        readers = [documents.make_reader() for documents in self.counts.documents]
        comparisons = Comparisons(
            compared, prepared_queries.column_types, prepared_queries.comparisons, readers
        )
        model = localise_model(
            self.learned.model,
            prepared_queries.comparisons,
            self.counts.count_values(compared),
            self.counts.filled,
            self.counts.squares,
        )
        return model.score(
            comparisons, np.stack([place, prepared_queries.n + position.reshape(-1)], 1)
        )

    def _rank(
        self, queries: Sequence[Query], place: Ints, record: Ints, scores: PairScores
    ) -> list[list[Match]]:
        """The records of each query by probability."""
        log_odds: Floats = scores.total - self.learned.offset
        matrix = list_candidates(place, record, log_odds, (len(queries), self.reference.n))
        chosen = Candidates(matrix, self.learned.share, self.learned.offset)
        p = link_probabilities(chosen)
        best = {}
        for k in np.argsort(log_odds, kind="stable").tolist():
            best[int(place[k]), int(record[k])] = k
        weights = (scores.columns + scores.term_frequency) / LN2
        matches = []
        for row, query in enumerate(queries):
            own = slice(p.indptr[row], p.indptr[row + 1])
            order = np.argsort(-p.data[own], kind="stable")[: query.limit]
            ranked = []
            for at in order.tolist():
                number = int(p.indices[own][at])
                k = best[row, number]
                bits = dict(zip(self.learned.model.names, weights[k].tolist(), strict=True))
                bits["match_weight"] = float(log_odds[k]) / LN2
                ranked.append(Match(number, float(p.data[own][at]), bits))
            matches.append(ranked)
        return matches


def _choose_name(forms: pa.Table, name: str | None) -> str:
    """The column of names."""
    if name is not None:
        if name not in forms.column_names:
            raise InputError(
                f"there is no column {name!r}; there are {list_some(forms.column_names)}"
            )
        return name
    lower = {column.lower(): column for column in reversed(forms.column_names)}
    return next(
        (lower[column] for column in NAME_COLUMNS if column in lower), forms.column_names[0]
    )


def _learn(forms: pa.Table, rows: Any, seed: int) -> _Learned:
    """Learn the pairwise model from rows of the user, or from copies with generated errors."""
    random = np.random.default_rng(seed)
    sample = random.permutation(forms.num_rows)[:MAX_LEARNED_AGAINST]
    against = forms.take(pa.array(np.sort(sample)))
    share = None
    if rows is None:
        copied = against.slice(0, MAX_LEARNED).to_pylist()
        rows, share = spoil_rows(copied, seed), SHARE_UNKNOWN
    ids = from_strings([str(number) for number in range(against.num_rows)])
    against = against.add_column(0, "unique_id", ids)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        links = link(rows, to=against, to_id="unique_id", reading="em", seed=seed)
    return _Learned.of(links, share)


def _prepare(table: pa.Table, learned: _Learned) -> Prepared:
    """Clean the columns that the model uses; names stay in their order."""
    used = [name for name, column in learned.settings.columns.items() if column.role != "ignore"]
    ids = from_strings([str(row) for row in range(table.num_rows)])
    texts = pa.table({name: to_text(table.column(name)) for name in used})
    return prepare(
        Records(texts, tuple(used), ids),
        learned.settings,
        has_names_in_order=True,
        keeps_rows_in_order=True,
    )


def _stack_columns(query: Column, reference: Column, rows: Ints) -> Column:
    """A column of queries, then of some records, with one code for equal values."""
    codes = reference.codes[rows]
    known = reference.values.take(pa.array(codes, mask=codes < 0)).to_pylist()
    own = query.values.to_pylist()
    place = {value: number for number, value in enumerate(own)}
    more = [-1 if value is None else place.setdefault(value, len(place)) for value in known]
    stacked = np.concatenate([query.codes, np.array(more, np.int32)]).astype(np.int32)
    counts = np.bincount(stacked[stacked >= 0], minlength=len(place)).astype(np.int64)
    return Column(query.name, stacked, from_strings(list(place)), counts)
