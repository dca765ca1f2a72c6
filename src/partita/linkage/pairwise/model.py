"""The pairwise model: match weights of Fellegi and Sunter, learned without labels.

    S = log(lam / (1 - lam)) + sum_q [ log(m_q(l) / u_q(l)) + tf_q ] + dependence + household

m is the share of matches at a level, u that of non-matches, tf the term-frequency adjustment, lam
the share of matches among all pairs. u comes from random pairs and stays fixed: candidates are
selected for agreement, so that a u estimated from them would be too high.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partita.comparison import Comparison, automatic_comparison
from partita.comparison.comparison import comparison_from
from partita.comparison.comparisons import Comparisons, checked_pairs
from partita.errors import InputError
from partita.kernel import Floats, Ints, logistic
from partita.lazy import alias_attributes
from partita.linkage.pairwise.dependence import Edge, dependence_adjustment
from partita.linkage.pairwise.household import HouseholdClass, household_terms
from partita.linkage.pairwise.term_frequency import (
    TermFrequency,
    count_term_frequency,
    no_adjustment,
    term_frequency_terms,
)

__all__ = [
    "PairModel",
    "PairScores",
    "check_levels",
    "list_term_frequencies",
    "score_term_frequency",
]

VERSION = 3
"""Version of the saved pair model; version 2 has no comparisons, only the types of columns."""
OLD_KEYS = {"kinds": "column_types", "related": "household"}
"""Keys of model files that version 0.1 wrote, and their new names."""
LN2 = float(np.log(2.0))
Levels = NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class PairScores:
    """Scores of pairs in nats, with all that they are the sum of."""

    total: Floats
    """S: log-odds that two records are one entity."""
    prior: float
    """log-odds of a pair drawn from all pairs."""
    levels: Levels
    columns: Floats
    """log(m / u) of each pair (row) and column; 0 where a value is missing."""
    term_frequency: Floats
    """The term-frequency adjustment of each pair and column."""
    dependence: Floats
    """The adjustment for dependent columns that agree together, and for households."""
    reading: Floats
    """The adjustment by other readings of the file; 0 where the weights of EM are used."""

    def rows(self, some: Ints) -> PairScores:
        """The scores of some pairs."""
        return PairScores(
            self.total[some],
            self.prior,
            self.levels[some],
            self.columns[some],
            self.term_frequency[some],
            self.dependence[some],
            self.reading[some],
        )

    def read_as(self, total: Floats) -> PairScores:
        """The scores with other totals; the difference is the adjustment by readings."""
        return replace(self, total=total, reading=self.reading + total - self.total)

    @property
    def match_weight(self) -> Floats:
        """S in bits."""
        return self.total / LN2

    @property
    def probability(self) -> Floats:
        """The probability of a match, by the model."""
        return logistic(self.total)


@dataclass(frozen=True, eq=False)
class PairModel:
    """Level rates of each column and the prior, which score pairs."""

    names: list[str]
    column_types: list[str]
    comparisons: list[Comparison]
    level_names: list[list[str]]
    m: list[Floats]
    u: list[Floats]
    common: list[float]
    """The share of record pairs that agree exactly, of each column."""
    lam: float
    edges: list[Edge]
    household: HouseholdClass | None
    """The third latent class: pairs of one household that are no matches, where they are many."""
    converged: bool
    steps: int
    warnings: list[str]
    column_weights: list[float] = field(default_factory=list)
    """By how much the evidence of each column is tempered, in (0, 1]; empty where by nothing. m is
    that of a tempered column."""

    if not TYPE_CHECKING:
        __getattr__ = alias_attributes({"kinds": "column_types"})

    @property
    def prior(self) -> float:
        """The log-odds of a pair before comparison."""
        return float(np.log(self.lam / (1 - self.lam)))

    def weights(self) -> list[Floats]:
        """log(m / u) of each column and level."""
        return [np.log(m / u) for m, u in zip(self.m, self.u, strict=True)]

    def as_dict(self) -> dict[str, Any]:
        """The model as lists and numbers that JSON and TOML can hold."""
        content: dict[str, Any] = {"version": VERSION}
        for part in fields(self):
            content[part.name] = getattr(self, part.name)
        return content | {
            "comparisons": [comparison.as_dict() for comparison in self.comparisons],
            "m": [rates.tolist() for rates in self.m],
            "u": [rates.tolist() for rates in self.u],
            "edges": [edge._asdict() for edge in self.edges],
            "household": self.household
            and {"r": [rates.tolist() for rates in self.household.r], "odds": self.household.odds},
        }

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> PairModel:
        """The model that `as_dict` wrote down."""
        if saved.get("version") not in (2, VERSION):
            raise InputError(
                f"the saved pair model has version {saved.get('version')!r}; "
                f"this Partita reads version {VERSION}: fit it again"
            )
        content = {OLD_KEYS.get(key, key): saved[key] for key in saved if key != "version"}
        edges = [
            Edge(**edge | {side: tuple(edge[side]) for side in ("left_lifts", "right_lifts")})
            for edge in content["edges"]
        ]
        comparisons = (
            [comparison_from(comparison) for comparison in content["comparisons"]]
            if "comparisons" in content
            else [automatic_comparison(column_type) for column_type in content["column_types"]]
        )
        arrays = {
            key: [np.array(rates, np.float64) for rates in content[key]] for key in ("m", "u")
        }
        stored = content.get("household")
        household = stored and HouseholdClass(
            [np.array(rates) for rates in stored["r"]], stored["odds"]
        )
        parts = {"comparisons": comparisons, "edges": edges, "household": household}
        return cls(**content | arrays | parts)

    def _compares_by(self, comparisons: Sequence[Comparison]) -> bool:
        """Whether comparisons are those of the model; Python functions count by name."""
        return [comparison.as_dict() for comparison in comparisons] == [
            comparison.as_dict() for comparison in self.comparisons
        ]

    def term_frequencies(self, comparisons: Comparisons) -> list[TermFrequency]:
        """The term-frequency adjustment of each value, by column."""
        return list_term_frequencies(comparisons, self.common, self.column_weights)

    def score(
        self,
        comparisons: Comparisons,
        pairs: ArrayLike,
        *,
        levels: Levels | None = None,
        term_frequencies: Sequence[TermFrequency] | None = None,
    ) -> PairScores:
        """Score pairs, with the part of every column; `levels` spares comparing again."""
        if comparisons.names != self.names or not self._compares_by(comparisons.comparisons):
            raise InputError(
                f"the columns {comparisons.names} are not those of the model, {self.names}; "
                "compare the same columns by the same comparisons"
            )
        checked = checked_pairs(pairs, comparisons.n)
        grid = (
            comparisons.levels(checked)
            if levels is None
            else check_levels(levels, checked, comparisons)
        )
        columns = np.zeros(grid.shape, order="F")
        for q, weight in enumerate(self.weights()):
            columns[:, q] = np.append(weight, 0.0)[grid[:, q]]
        term_frequency = score_term_frequency(
            comparisons, term_frequencies or self.term_frequencies(comparisons), checked, grid
        )
        together = dependence_adjustment(self.edges, grid, columns)
        if self.household is not None:
            together = together + household_terms(
                self.household, self.u, grid, term_frequency.sum(1)
            )
        total = self.prior + columns.sum(1) + term_frequency.sum(1) + together
        none = np.zeros(len(total))
        return PairScores(total, self.prior, grid, columns, term_frequency, together, none)


def check_levels(levels: Levels, pairs: Ints, comparisons: Comparisons) -> Levels:
    """Levels that fit the pairs, or an InputError."""
    if levels.shape != (len(pairs), len(comparisons.names)):
        raise InputError(
            f"levels have shape {levels.shape} for {len(pairs)} pairs and {len(comparisons.names)} "
            "columns; give the levels of these pairs"
        )
    return levels


def list_term_frequencies(
    comparisons: Comparisons, common: Sequence[float], column_weights: Sequence[float] = ()
) -> list[TermFrequency]:
    """The term-frequency adjustments of each value, by column; `column_weights` temper them."""
    strength = column_weights or [1.0] * len(comparisons.columns)
    return [
        count_term_frequency(column.codes, column.many, share).tempered(weight)
        if column.comparison.term_frequency_adjustments
        else no_adjustment(column.many)
        for column, share, weight in zip(comparisons.columns, common, strength, strict=True)
    ]


def score_term_frequency(
    comparisons: Comparisons, term_frequencies: Sequence[TermFrequency], pairs: Ints, levels: Levels
) -> Floats:
    """The term-frequency adjustment of each pair and column."""
    weights = np.zeros(levels.shape, order="F")
    for q, column in enumerate(comparisons.columns):
        last = len(comparisons.level_names[q]) - 1
        weights[:, q] = term_frequency_terms(
            column.codes, term_frequencies[q], pairs, levels[:, q], last
        )
    return weights
