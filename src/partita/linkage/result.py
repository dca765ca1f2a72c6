"""Resolution: entities with probabilities, and everything they were made from."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from partita.blocking.candidates import Candidates
from partita.data import ColumnProfile, Records, extend_input, write
from partita.data.arrow import from_numpy
from partita.data.write import convert_table, write_table
from partita.errors import InputError, PartitaWarning
from partita.factors import Model
from partita.kernel import Floats, Ints, distinct_of
from partita.lazy import alias_attributes
from partita.linkage.inference.chains import MAX_R_HAT, worst_r_hat
from partita.linkage.inference.marginals import Marginals
from partita.linkage.notes import Note, Severity
from partita.linkage.numbering import DistinctIds, RowIds
from partita.linkage.output.tables import (
    RESULTS,
    UNCERTAIN,
    describe,
    golden_table,
    pair_table,
    render_html,
    round_probabilities,
)
from partita.linkage.pairwise.fit import UNSEPARATED
from partita.linkage.pairwise.model import PairModel, PairScores
from partita.linkage.pairwise.scored_pairs import ScoredPairs
from partita.linkage.prepare import Prepared
from partita.linkage.readings.choice import Reading
from partita.linkage.readings.relatives import measure_divided
from partita.linkage.readings.trust import Trust, count_range, judge_result, overall_agreement
from partita.linkage.routing import DRAWS, why_draws
from partita.linkage.settings import Settings
from partita.linkage.supervision.constraints import Constraints
from partita.posterior import Posterior
from partita.states import Partition

if TYPE_CHECKING:
    from partita.linkage.output.explain import Explanation
    from partita.linkage.supervision.trained_model import TrainedModel

__all__ = ["RecordPairs", "Resolution"]

RENAMED = {
    "chances": "marginals",
    "distinct": "distinct_ids",
    "entities": "posterior",
    "evidence": "scored",
    "first": "first_rows",
}
"""Attributes of version 0.1 and their new names."""


@dataclass(frozen=True, eq=False)
class RecordPairs:
    """Compared pairs of records (rows of the input), with their scores and P(one entity)."""

    left: RowIds
    right: RowIds
    scores: PairScores
    p_same: Floats

    def __len__(self) -> int:
        """The number of pairs."""
        return int(self.left.size)


@dataclass(frozen=True, eq=False, repr=False)
class Resolution:
    """The entities of records with their probabilities."""

    records: Records
    settings: Settings
    profiles: list[ColumnProfile]
    why_mode: str
    """The reason for that mode."""
    labels: Ints
    """The cluster of each record, numbered by first record."""
    p_member: Floats
    """P(a record is with another member of its cluster), on average; of one alone, P(alone)."""
    p_cluster: Floats
    """P(exactly this cluster is an entity)."""
    prepared: Prepared
    blocking: Candidates
    scored: ScoredPairs
    """Pairs of distinct records, compared and scored."""
    reading: Reading
    """The reading that scores the pairs, and the agreement of readings."""
    chosen_model: str
    """The sampled model: "entities" or "pairs"."""
    why_model: str
    """The reason for that model."""
    model: Model | None
    """The sampled model of the active records; None if no record is active."""
    state: Partition | None
    """The partition of the active records."""
    marginals: Marginals
    """Posterior marginals of distinct records, with the draws of the active ones."""
    constraints: Constraints
    warnings: list[str]
    seconds: dict[str, float]
    """CPU seconds by stage."""

    @property
    def distinct_ids(self) -> DistinctIds:
        """The distinct record of each row."""
        return self.prepared.numbering.narrow

    @property
    def first_rows(self) -> RowIds:
        """The row that represents each distinct record."""
        return self.prepared.numbering.wide

    @property
    def mode(self) -> str:
        """The task: "dedupe", "link" or "both"."""
        return self.settings.mode

    @property
    def pair_model(self) -> PairModel:
        """The pairwise model with its match weights."""
        return self.scored.model

    @property
    def posterior(self) -> Posterior | None:
        """The posterior of the active records; None if no record is active."""
        return self.marginals.posterior

    @cached_property
    def names(self) -> pa.Array:
        """The name of each record: its id, or "source:id" where sources use the same ids."""
        return self.records.qualify_ids()

    @cached_property
    def cluster_ids(self) -> pa.Array:
        """The id of the reference record, else the name of the first record, of each cluster."""
        _, first = np.unique(self.labels, return_index=True)
        names, reference = self.names, self.settings.reference
        if reference is not None and self.records.sources is not None:
            is_reference = self.records.sources == self.records.source_names.index(reference)
            rows = np.flatnonzero(is_reference)
            first[self.labels[rows]] = rows
            names = pc.if_else(is_reference, self.records.ids.cast(names.type), names)
        return names.take(from_numpy(first[self.labels]))

    @cached_property
    def record_pairs(self) -> RecordPairs:
        """The compared pairs as arrays, one for each pair of distinct records, first row left."""
        rows = np.sort(self.prepared.numbering.back(self.scored.pairs), axis=1)
        return RecordPairs(
            RowIds(rows[:, 0]),
            RowIds(rows[:, 1]),
            self.scored.scores,
            self.marginals.p_same(self.scored.pairs),
        )

    @cached_property
    def rows(self) -> dict[str, int]:
        """The row of each id and name, as text; -1 for an id of several sources."""
        rows: dict[str, int] = {}
        for row, id in enumerate(self.records.ids.to_pylist()):
            rows[str(id)] = -1 if str(id) in rows else row
        return rows | {str(name): row for row, name in enumerate(self.names.to_pylist())}

    def row(self, id: Any) -> int:
        """The row of one id, or of "source:id" where sources use the same ids."""
        row = self.rows.get(str(id))
        if row is None:
            raise InputError(f"there is no record {id!r}; give ids of the input")
        if row < 0:
            source = self.records.source_names[0]
            raise InputError(f"several sources have a record {id!r}; name one: '{source}:{id}'")
        return row

    def p_same(self, left: Any, right: Any) -> float:
        """P(one entity) of two records, by id."""
        rows = RowIds(np.array([[self.row(left), self.row(right)]]))
        pair = self.prepared.numbering.to(rows)
        return 1.0 if pair[0, 0] == pair[0, 1] else float(self.marginals.p_same(pair)[0])

    @property
    def entity_count(self) -> tuple[float, float, float]:
        """Posterior mean and range of their number; of a trained model the 95% interval."""
        mean, low, high = self.marginals.entity_count()
        entities = distinct_of(self.labels).size
        if self.reading.name == "trained":
            return mean, min(low, entities), max(high, entities)
        agreement = overall_agreement(self.reading, self.n_compared)
        n = self.first_rows.size
        least, most = count_range(entities, n, (low, high), agreement, divided=self.divided)
        return mean, min(least, math.floor(mean)), max(most, math.ceil(mean))

    @property
    def n_compared(self) -> int:
        """The number of compared columns; groups of words of one column count once."""
        return sum(column.role == "compare" for column in self.settings.columns.values())

    @cached_property
    def trust(self) -> Trust:
        """How far the result can be trusted, and the remedies."""
        # a rate that the settings fix is not inferred
        rates = None if self.settings.one_to_one is False else self.scored.rates
        return judge_result(
            self.reading,
            self.n_compared,
            float(np.mean(np.bincount(self.labels)[self.labels] > 1)),
            None if self.converged else worst_r_hat(self.diagnostics),
            self.mode == "both",
            0.0 if rates is None else float(rates.further.max()),
            self.divided,
        )

    @cached_property
    def divided(self) -> float:
        """The share of large entities that two columns divide in the same way."""
        return measure_divided(self.labels[self.first_rows], self.prepared.compared)

    @cached_property
    def diagnostics(self) -> dict[str, dict[str, float]]:
        """Mean, deviation, R-hat and effective sample sizes of the traces."""
        return self.posterior.diagnostics() if self.posterior is not None else {}

    @property
    def n_draws(self) -> int:
        """Kept draws of each chain."""
        return self.posterior.n_draws if self.posterior is not None else 0

    @property
    def trace(self) -> dict[str, Floats]:
        """The traces of the chains, chains by draws."""
        return self.posterior.traces if self.posterior is not None else {}

    @property
    def converged(self) -> bool:
        """Whether the chains agree with each other in all traces."""
        return worst_r_hat(self.diagnostics) <= MAX_R_HAT

    @property
    def total_draws(self) -> int:
        """Kept draws of all chains."""
        return self.n_draws * len(self.posterior.run.chains) if self.posterior is not None else 0

    def results(self) -> dict[str, Any]:
        """The new columns, one value for each record; probabilities as the draws support them."""
        p_member, p_cluster = (
            round_probabilities(values, self.total_draws)
            for values in (self.p_member, self.p_cluster)
        )
        return dict(zip(RESULTS, (self.cluster_ids, p_member, p_cluster), strict=True))

    def table(self) -> Any:
        """The input with the new columns, in the type of the input; a file gives an Arrow table."""
        return extend_input(self.records, self.results())

    def pairs(self) -> Any:
        """The compared pairs in the type of the input: ids, match_weight, probabilities.

        `match_probability` belongs to the pair alone; `p_same` takes all other records into
        account and is P(one entity).
        """
        return convert_table(pair_table(self), self.records.input_type)

    def golden(self) -> Any:
        """One record per entity with its likeliest values, in the type of the input."""
        return convert_table(golden_table(self), self.records.input_type)

    def explain(self, left: Any, right: Any) -> Explanation:
        """Explain why two records, by id, are one entity or two."""
        from partita.linkage.output.explain import explain

        return explain(self, left, right)

    def report(self, path: str | Path, *, truth: Any = None) -> Path:
        """Write the report: one HTML file for the browser."""
        from partita.report import write_report

        return write_report(self, path, truth=truth)

    def plot_sizes(self) -> Any:
        """Chart of the number of records per entity (needs Altair)."""
        from partita.report.plots import plot_sizes

        return plot_sizes(self)

    def plot_certainty(self) -> Any:
        """Chart of p_cluster over all entities (needs Altair)."""
        from partita.report.plots import plot_certainty

        return plot_certainty(self)

    def plot_traces(self, trace: str = "entities") -> Any:
        """Chart of a trace of the chains, such as "entities" or "log_score" (needs Altair)."""
        from partita.report.plots import plot_traces

        return plot_traces(self, trace)

    def write(self, path: str | Path) -> Path:
        """Write the input with the new columns."""
        return write(self.records, self.results(), path)

    def write_pairs(self, path: str | Path) -> Path:
        """Write the compared pairs with their sources, weights and probabilities."""
        return write_table(pair_table(self), path)

    def write_golden(self, path: str | Path) -> Path:
        """Write one record per entity with its likeliest values."""
        return write_table(golden_table(self), path)

    def learned_model(self) -> TrainedModel:
        """The model of this result, for other records with the same columns."""
        from partita.linkage.supervision.trained_model import learned_model

        return learned_model(self)

    def save_model(self, path: str | Path) -> Path:
        """Write the model of this result as JSON; `resolve(..., model=path)` applies it."""
        return self.learned_model().save(path)

    def __repr__(self) -> str:
        return f"Resolution({describe(self)})"

    def _repr_html_(self) -> str:
        return render_html(self)

    if not TYPE_CHECKING:
        __getattr__ = alias_attributes(RENAMED)

    def warn(self) -> Resolution:
        """Issue a PartitaWarning for each warning that affects the result; return the result."""
        for text in self._cautions():
            if Note.of(text).severity is not Severity.VERBOSE:
                warnings.warn(text, PartitaWarning, stacklevel=3)
        return self

    def _cautions(self) -> list[str]:
        """The warnings, the one about trust first; it replaces others of the same cause."""
        if self.trust.level in ("few", "duplicates", "relatives", "disagree"):
            text = f"{self.trust.sentence}; {self.trust.advice}"
            others = [note for note in self.warnings if not note.startswith(UNSEPARATED)]
            return [Note(text, Severity.UNRELIABLE), *others]
        if self.converged:
            return self.warnings
        disagree = Note(
            f"the chains do not agree: the largest R-hat is {worst_r_hat(self.diagnostics):.2f}, "
            f"above {MAX_R_HAT}; probabilities are rough, so keep more than {self.n_draws} draws "
            "per chain",
            Severity.UNRELIABLE,
        )
        return [disagree, *self.warnings]

    def summary(self) -> dict[str, Any]:
        """The result in numbers, as JSON can hold them; undefined numbers are None."""
        mean, low, high = self.entity_count
        sizes = np.bincount(self.labels)
        uncertain = distinct_of(self.labels[self.p_cluster < UNCERTAIN[1]])
        p = self.record_pairs.p_same
        return {
            "records": self.records.n,
            "entities": int(sizes.size),
            "entities_expected": {"mean": mean, "low": low, "high": high},
            "duplicates": int(self.records.n - sizes.size),
            "identical": int(self.records.n - self.first_rows.size),
            "largest": int(sizes.max()),
            "uncertain_entities": int(uncertain.size),
            "uncertain_pairs": int(((p > UNCERTAIN[0]) & (p < UNCERTAIN[1])).sum()),
            "columns_compared": self.n_compared,
            "pairs_compared": len(self.blocking.pairs),
            "pairs_scored": len(self.record_pairs),
            "mode": self.mode,
            "why_mode": self.why_mode,
            "engine": DRAWS,
            "why_engine": why_draws(self.records),
            "reading": self.reading.name,
            "why_reading": self.reading.why,
            "agreement": self.reading.agreement,
            "trust": self.trust._asdict(),
            "model": self.chosen_model,
            "why_model": self.why_model,
            "converged": self.converged,
            "diagnostics": {
                name: {key: x if math.isfinite(x) else None for key, x in trace.items()}
                for name, trace in self.diagnostics.items()
            },
            "warnings": self._cautions(),
            "seconds": self.seconds,
            "chains": self.settings.chains,
            "seed": self.settings.seed,
        }
