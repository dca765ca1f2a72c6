"""Links: the record of the reference of each row with its probability, and runners-up."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from partita.blocking.candidates import Candidates as BlockedPairs
from partita.data import Records, extend_input, write
from partita.data.arrow import from_numpy
from partita.data.write import convert_table, write_table
from partita.errors import InputError, PartitaWarning
from partita.kernel import Floats, Ints, logistic
from partita.knowledge.candidates import Candidates
from partita.knowledge.joint import JointLinks, summarise_rows
from partita.knowledge.reference import LinkInput
from partita.knowledge.word_model import WordModel
from partita.linkage.notes import Note, Severity
from partita.linkage.numbering import DistinctIds
from partita.linkage.output.explain import Explanation, Part, explain_pair, was_compared
from partita.linkage.pairwise.model import LN2
from partita.linkage.pairwise.scored_pairs import ScoredPairs
from partita.linkage.prepare import Prepared
from partita.linkage.readings.choice import Reading
from partita.linkage.settings import Settings

__all__ = ["RESULTS", "Links", "RankedLinks"]

RESULTS = ("link", "p_link", "p_nil", "link_2", "p_link_2", "link_3", "p_link_3")
"""The columns that are added to the rows."""
RANKS = 3
"""Records of the reference that the output names: the link and the runners-up."""
DIGITS = 4
"""Decimals of probabilities."""
MIN_CANDIDATE = 0.001
"""Probability of a candidate that `candidates` lists, at least."""


class RankedLinks(NamedTuple):
    """The likeliest records of each distinct row, by rank; -1 where there is none."""

    records: Ints
    probabilities: Floats
    nil: Floats


@dataclass(frozen=True, eq=False, repr=False)
class Links:
    """The links of rows to a reference, with probabilities."""

    source: LinkInput
    settings: Settings
    prepared: Prepared
    blocking: BlockedPairs
    scored: ScoredPairs
    """Pairs of distinct rows and records, compared and scored."""
    reading: Reading
    """The reading that scores the pairs, and the agreement of readings."""
    candidates: Candidates
    joint: JointLinks
    """Probabilities of links of distinct rows, with the draws of the uncertain ones."""
    warnings: list[str]
    seconds: dict[str, float]
    """CPU seconds by stage."""
    words: WordModel | None = None
    """The model of words; None where another reading scores the pairs."""

    @property
    def records(self) -> Records:
        """The rows, then the reference, as records of their common columns."""
        return self.source.records

    @property
    def distinct_ids(self) -> DistinctIds:
        """The distinct record of each row and record of the reference."""
        return self.prepared.numbering.narrow

    @cached_property
    def ranked(self) -> RankedLinks:
        """The likeliest records of each distinct row."""
        matrix = self.joint.probabilities
        n = matrix.shape[0]
        row = np.repeat(np.arange(n), np.diff(matrix.indptr))
        order = np.lexsort((matrix.indices, -matrix.data, row))
        rank = np.arange(row.size) - matrix.indptr[:-1][row]
        mask = rank < RANKS
        records, p = np.full((n, RANKS), -1, np.int64), np.zeros((n, RANKS))
        records[row[mask], rank[mask]] = matrix.indices[order][mask]
        p[row[mask], rank[mask]] = matrix.data[order][mask]
        return RankedLinks(records, p, summarise_rows(matrix)[1])

    def results(self) -> dict[str, Any]:
        """The new columns; a row that NIL explains best has no link, only runners-up."""
        ranked, rows = self.ranked, self.distinct_ids[: self.source.rows.n]
        is_nil = ranked.nil >= ranked.probabilities[:, 0]
        records = np.where(is_nil[:, None], np.roll(ranked.records, 1, 1), ranked.records)
        p = np.where(is_nil[:, None], np.roll(ranked.probabilities, 1, 1), ranked.probabilities)
        records[is_nil, 0] = -1
        columns: dict[str, Any] = {}
        for rank in range(RANKS):
            place, value = records[rows, rank], np.round(p[rows, rank], DIGITS)
            ids = self.source.reference.ids.take(pa.array(place, mask=place < 0))
            name = "link" if rank == 0 else f"link_{rank + 1}"
            columns[name] = ids
            columns[f"p_{name}"] = pa.array(value, mask=place < 0)
            if rank == 0:
                columns["p_nil"] = np.round(ranked.nil[rows], DIGITS)
        return columns

    def table(self) -> Any:
        """The rows with the new columns, in the type of the input; a file gives an Arrow table."""
        return extend_input(self.source.rows, self.results())

    def write(self, path: str | Path) -> Path:
        """Write the rows with the new columns."""
        return write(self.source.rows, self.results(), path)

    def _candidate_table(self) -> pa.Table:
        """The candidates of each row: both ids and the probability of the link."""
        matrix, narrow = self.joint.probabilities, self.distinct_ids[: self.source.rows.n]
        matrix = matrix[narrow].tocoo()
        mask = matrix.data >= MIN_CANDIDATE
        row, record, p = matrix.row[mask], matrix.col[mask], matrix.data[mask]
        order = np.lexsort((-p, row))
        rows, reference = self.source.rows, self.source.reference
        columns = {
            rows.id_name or "unique_id": rows.ids.take(from_numpy(row[order])),
            "link": reference.ids.take(from_numpy(record[order])),
            "p_link": np.round(p[order], DIGITS),
        }
        return pa.table(columns)

    def all_candidates(self) -> Any:
        """Every row with each record that may be its link, in the type of the input."""
        return convert_table(self._candidate_table(), self.source.rows.input_type)

    def write_candidates(self, path: str | Path) -> Path:
        """Write every row with each record that may be its link."""
        return write_table(self._candidate_table(), path)

    def p_link(self, row: Any, record: Any) -> float:
        """P(link) of a row and a record of the reference, by id."""
        place = int(self.distinct_ids[self._find(self.source.rows, row, "row")])
        column = self._find(self.source.reference, record, "record of the reference")
        return float(self.joint.probabilities[place, column])

    def _find(self, records: Records, id: Any, noun: str) -> int:
        """The number of a record by its id."""
        texts = [str(value) for value in records.ids.to_pylist()]
        if str(id) not in texts:
            raise InputError(f"there is no {noun} {id!r}; give ids of the input")
        return texts.index(str(id))

    def explain(self, row: Any, record: Any = None) -> Explanation:
        """Explain why a row is linked to a record, by ids; by default its likeliest record."""
        place = self._find(self.source.rows, row, "row")
        distinct = int(self.distinct_ids[place])
        number = int(self.ranked.records[distinct, 0])
        if record is not None:
            number = self._find(self.source.reference, record, "record of the reference")
        if number < 0:
            raise InputError(f"row {row!r} has no candidate; name a record of the reference")
        other = self._find_form(distinct, number)
        if self.words is None:
            weight, probability, parts = explain_pair(self, place, other)
            compared = was_compared(self, distinct, int(self.distinct_ids[other]))
        else:
            weight, probability, parts = self._explain_words(distinct, other)
            compared = number in self.candidates.scores[[distinct]].indices
        p = float(self.joint.probabilities[distinct, number])
        nil = float(self.ranked.nil[distinct])
        is_link = number == self.ranked.records[distinct, 0] and p > nil
        question, entity_rows = self._explain_entity(distinct, number)
        return Explanation(
            left=self.source.rows.ids[place].as_py(),
            right=self.source.reference.ids[number].as_py(),
            together=bool(is_link),
            p_same=p,
            match_weight=weight,
            match_probability=probability,
            rows=parts,
            entity_rows=entity_rows,
            entity_question=question,
            constraints=[f"P(no link) = {nil:.3f}", *self._describe_form(other)],
            identical=False,
            compared=compared,
        )

    def _find_form(self, distinct: int, number: int) -> int:
        """The form of a record, itself or an alias, that is most like a row: its score counts."""
        forms = np.flatnonzero(self.source.owner == number)
        if forms.size == 1:
            return int(forms[0])
        others = self.distinct_ids[forms]
        pairs = np.stack([np.full_like(others, distinct), others], 1)
        scores = self.scored.score(pairs).total if self.words is None else self.words.score(pairs)
        return int(forms[np.argmax(scores)])

    def _describe_form(self, other: int) -> list[str]:
        """A note on the alias that is compared in place of its record."""
        number = other - self.source.rows.n - self.source.reference.n + 1
        return [f"the values of the record are those of alias {number}"] if number > 0 else []

    def _explain_words(self, distinct: int, other: int) -> tuple[float, float, list[Part]]:
        """The log-odds of a row and a record against no link in bits, and its parts by word."""
        assert self.words is not None
        record = int(self.distinct_ids[other])
        mentions, rest, popular = self.words.explain(distinct, record)
        parts = [Part("prior", self.candidates.base / LN2)]
        parts.append(Part("popularity", (popular + np.log(self.source.reference.n)) / LN2))
        for word, written, score in mentions:
            how = "not mentioned" if written is None else "same" if written == word else "spelling"
            parts.append(Part(word, score / LN2, written, word, how))
        parts.append(Part("other words", rest / LN2))
        log_odds = float(sum(part.bits for part in parts)) * LN2
        return log_odds / LN2, float(logistic(np.array([log_odds]))[0]), parts

    def _explain_entity(self, distinct: int, number: int) -> tuple[str, list[Part]]:
        """The score of the link for the rows of an entity, against no link."""
        members, wide = self._members(distinct), self.prepared.numbering.wide
        rows = [Part("prior", self.candidates.base / LN2)]
        for member in members:
            # P(link | entity) is that of the mean of the rows
            score = float(self.candidates.scores[member, number]) / len(members)
            label = str(self.source.rows.ids[int(wide[member])].as_py())
            rows.append(Part(f"row {label}", score / LN2))
        count = f"{len(members)} row" if len(members) == 1 else f"{len(members)} rows"
        return f"the link of {count} to this record, against no link", rows

    def _members(self, distinct: int) -> list[int]:
        """The distinct rows that are one entity with a row in most draws."""
        place = np.flatnonzero(self.joint.active == distinct)
        if self.joint.posterior is None or not place.size:
            return [distinct]
        draws = self.joint.posterior.draws
        flat = draws.reshape(-1, draws.shape[2])
        together = (flat == flat[:, place]).mean(0) > 0.5
        return [int(row) for row in self.joint.active[together]]

    def summary(self) -> dict[str, Any]:
        """The result in numbers, as JSON can hold them."""
        columns, ranked = self.results(), self.ranked
        rows = self.distinct_ids[: self.source.rows.n]
        best = np.maximum(ranked.probabilities[:, 0], ranked.nil)[rows]
        linked = len(columns["link"]) - columns["link"].null_count
        return {
            "rows": self.source.rows.n,
            "reference": self.source.reference.n,
            "aliases": int(self.source.records.n - self.source.rows.n - self.source.reference.n),
            "linked": linked,
            "linked_expected": float((1 - ranked.nil)[rows].sum()),
            "records_linked": len(columns["link"].drop_null().unique()),
            "uncertain": int((best < 0.95).sum()),
            "columns_compared": list(self.scored.model.names),
            "pairs_compared": len(self.blocking.pairs),
            "rows_sampled": int(self.joint.active.size),
            "reading": self.reading.name,
            "why_reading": self.reading.why,
            "agreement": self.reading.agreement,
            "warnings": list(self.warnings),
            "seconds": self.seconds,
            "seed": self.settings.seed,
        }

    def warn(self) -> Links:
        """Issue a PartitaWarning for each warning that affects the result; return the result."""
        for text in self.warnings:
            if Note.of(text).severity is not Severity.VERBOSE:
                warnings.warn(text, PartitaWarning, stacklevel=3)
        return self

    def __repr__(self) -> str:
        summary = self.summary()
        return (
            f"Links({summary['linked']:,} of {summary['rows']:,} rows linked to "
            f"{summary['records_linked']:,} of {summary['reference']:,} records, "
            f"{summary['uncertain']:,} uncertain)"
        )
