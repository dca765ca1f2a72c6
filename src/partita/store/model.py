"""The model of a store: all that scores a pair of a new record as the first run scores its pairs.

The columns and their comparisons are fixed. Counts of values, the rate of exact agreement, the
share of matches and the level rates of matches are those of the store at the time, so that the
scores follow a growing store without training. The rates of random pairs at other levels and the
reading are those of the run that learned the model, which an `add` repeats while the store is
small.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from partita.data import Column
from partita.errors import InputError
from partita.kernel import Floats, Ints
from partita.linkage.config import config_text, load_settings
from partita.linkage.pairwise.em import LEAST_LAM, MOST_LAM
from partita.linkage.pairwise.level_rates import add_matches, estimate_rates, shrink_rates
from partita.linkage.pairwise.model import PairModel
from partita.linkage.pairwise.part import LocalModel, localise_model
from partita.linkage.pairwise.random_pairs import MAX_EXACT, replace_exact
from partita.linkage.pairwise.term_frequency import LEAST_AGREEMENT
from partita.linkage.prepare import Prepared
from partita.linkage.readings.saved import SavedReading
from partita.linkage.settings import Settings
from partita.linkage.supervision.trained_model import TrainedModel, learned_model, name_weights
from partita.store.features import hash_column

if TYPE_CHECKING:
    from partita.linkage.result import Resolution

__all__ = ["StoreModel", "Swap"]

COMPARED_SEED = 1_000
"""Seed of the keys of a compared column whose values differ from those for blocking."""


class Swap(NamedTuple):
    """Two name columns, and the share of records that have their values swapped."""

    left: str
    right: str
    share: float


@dataclass(frozen=True, eq=False)
class StoreModel:
    """A learned model, with the settings that it was learned with."""

    settings: Settings
    learned: TrainedModel
    """Match weights and reading, as a model file holds them."""
    chosen_model: str
    """"entities" or "pairs"."""
    why_model: str
    ngram_length: int
    """Characters of the n-grams of the index; 0 if n-grams are not searched."""
    swaps: tuple[Swap, ...] = ()
    rates: Mapping[str, tuple[float, float]] | None = None
    """Of each source, the rate of further records and the share of alike pairs that are confirmed;
    None where there is one source."""

    @classmethod
    def of(cls, result: Resolution) -> StoreModel:
        """The model of a result."""
        if result.settings.extract is not None:
            raise InputError(
                "a store does not hold extracted records; write them by `partita extract`, and "
                "resolve the output with --store"
            )
        for name, column in result.settings.columns.items():
            functions = column.comparison and list(column.comparison.python_functions())
            if functions:
                raise InputError(
                    f"column {name!r} is compared by a Python function, which a store cannot "
                    "hold; use a comparison of partita.comparison"
                )
        return cls(
            settings=result.settings,
            learned=learned_model(result),
            chosen_model=result.chosen_model,
            why_model=result.why_model,
            ngram_length=0 if result.blocking.sampled is not None else result.blocking.ngram_length,
            rates=None if result.scored.rates is None else result.scored.rates.by_name(),
            swaps=tuple(
                Swap(swap.left, swap.right, float(swap.p_swapped.mean()))
                for swap in result.prepared.swapped
            ),
        )

    @property
    def reading(self) -> SavedReading | None:
        """The reading that scores the pairs; None for weights that were learned from labels."""
        return self.learned.reading

    @property
    def used(self) -> list[str]:
        """The columns in use."""
        return [name for name, column in self.settings.columns.items() if column.role != "ignore"]

    def as_dict(self) -> dict[str, Any]:
        """The model as JSON can hold it."""
        return {
            **{field.name: getattr(self, field.name) for field in fields(self)},
            "settings": config_text(self.settings),
            "learned": self.learned.as_dict(),
            "swaps": [list(swap) for swap in self.swaps],
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> StoreModel:
        """The inverse of `as_dict`."""
        read = {
            "settings": load_settings(tomllib.loads(content["settings"])),
            "learned": TrainedModel.from_dict(content["learned"]),
            "swaps": tuple(Swap(*swap) for swap in content["swaps"]),
        }
        return cls(**{**content, **read})


class Statistics(NamedTuple):
    """Counts of a store at one time, for the values of some records."""

    n: int
    """Distinct records."""
    counts: list[Ints]
    """Distinct records that have each value, by compared column."""
    filled: Ints
    """Distinct records with a value, by compared column."""
    squares: Floats
    """The sum of the squared counts of all values, by compared column."""
    sizes: Ints
    """The number of entities of each size, from 0 on."""
    rates: dict[str, Any] | None
    """The share of matches, and expected matches at each level; None if there are no counts."""

    def share_equal(self) -> list[float]:
        """The share of pairs of distinct records that agree exactly, by compared column."""
        filled = self.filled.astype(np.float64)
        equal = (self.squares - filled) / np.maximum(filled * (filled - 1), 1.0)
        return [max(share, LEAST_AGREEMENT) for share in equal.tolist()]


def apply_rates(
    model: PairModel, rates: dict[str, Any] | None, common: Sequence[float]
) -> PairModel:
    """The pair model with the rates of the store; a column without counts keeps its own rates.

    `common` is the share of record pairs of the store that agree exactly, by column.
    """
    if rates is None:
        return model
    lam = min(max(model.lam * rates["share"], LEAST_LAM), MOST_LAM)
    columns = []
    weights = model.column_weights or [1.0] * len(model.names)
    for name, titles, m, u, before, now, weight in zip(
        model.names,
        model.level_names,
        model.m,
        model.u,
        model.common,
        common,
        weights,
        strict=True,
    ):
        counts = [rates["levels"].get(title) for title in name_weights(name, titles)]
        if None in counts:
            columns.append((m, u, before))
            continue
        random = add_matches(u, m, model.lam)
        # equal values that are written differently are not in the counts of values
        other = max(float(random[0]) - before, 0.0)
        random = replace_exact(random, min(now + other, MAX_EXACT))
        own, others = estimate_rates(np.array(counts, np.float64), random, lam)
        columns.append((shrink_rates(own, others, weight), others, now))
    ms, us, shares = (list(part) for part in zip(*columns, strict=True))
    return replace(model, lam=lam, m=ms, u=us, common=shares)


def localise(model: StoreModel, prepared: Prepared, statistics: Statistics) -> LocalModel:
    """The pair model for some records, by the counts of the whole store."""
    return localise_model(
        apply_rates(model.learned.pair_model, statistics.rates, statistics.share_equal()),
        prepared.comparisons,
        statistics.counts,
        statistics.filled,
        statistics.squares,
    )


def compared_keys(prepared: Prepared) -> list[Ints]:
    """The keys of the values of each compared column."""
    keys = []
    for q, column in enumerate(prepared.compared):
        place = next((c for c, other in enumerate(prepared.columns) if other is column), None)
        keys.append(hash_column(column, COMPARED_SEED + q if place is None else place))
    return keys


def separate_columns(prepared: Prepared) -> list[tuple[int, Column]]:
    """Compared columns whose values differ from those for blocking, with their places."""
    blocking = {id(column) for column in prepared.columns}
    return [(q, column) for q, column in enumerate(prepared.compared) if id(column) not in blocking]
