"""Readings as JSON, so that a saved model scores pairs as the run that learned it did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from partita.linkage.pairwise.crossfit import CrossFit
from partita.linkage.pairwise.level_rates import LevelWeights
from partita.linkage.pairwise.random_pairs import RandomPairs
from partita.linkage.pairwise.scored_pairs import PairScorer, ScoredPairs
from partita.linkage.prepare import Prepared
from partita.linkage.readings.choice import Reading
from partita.linkage.readings.features import FeatureTables
from partita.linkage.readings.prior import load_prior
from partita.linkage.readings.scorers import PooledScorer, PriorWeights, ShiftedScorer
from partita.linkage.settings import Settings

__all__ = ["SavedReading", "load_scorer", "save_scorer"]

GIVEN = "a model that was learned without labels is given"
"""The reason for the reading of a model that was learned from other records. Stores hold it, so the
text is fixed."""
BY_COLUMN = ("weights", "reached", "entropy", "fill")
"""Parts of a pooled scorer that have one entry for each column."""


class SavedReading(NamedTuple):
    """The reading of a learned model, with the parts of its scorer as JSON can hold them."""

    name: str
    why: str
    agreement: dict[str, float]
    scorer: dict[str, Any] | None
    mode: str
    """The mode that the model was learned in."""

    @classmethod
    def of(cls, reading: Reading, mode: str) -> SavedReading:
        """The reading of a result."""
        scorer = save_scorer(reading.scorer, mode != "dedupe")
        return cls(reading.name, reading.why, reading.agreement, scorer, mode)

    @property
    def is_pooled(self) -> bool:
        """Whether the prior scores the pairs, which needs the words of records."""
        return self.scorer is not None and self.scorer["type"] == "pooled"

    @property
    def is_new(self) -> bool:
        """Whether other weights than those of EM score the pairs."""
        return Reading(self.name, self.why, self.agreement).is_new

    @property
    def is_given(self) -> bool:
        """Whether the user gave the model, instead of having it learned from the records."""
        return self.why == GIVEN

    def reordered(self, order: Sequence[int]) -> SavedReading:
        """The reading of the same columns in another order."""
        if self.scorer is None or not self.is_pooled:
            return self
        scorer = {**self.scorer, **{key: _pick(self.scorer[key], order) for key in BY_COLUMN}}
        if scorer["crossed"] is not None:
            parts = {key: _pick(scorer["crossed"][key], order) for key in ("m", "u", "used")}
            scorer["crossed"] = {**scorer["crossed"], **parts}
        return self._replace(scorer=scorer)

    def score(
        self, scored: ScoredPairs, prepared: Prepared, pairs: Any, settings: Settings
    ) -> tuple[ScoredPairs, Reading]:
        """Score the candidates of other records; features of the prior are those of their file."""
        if self.scorer is None:
            return scored, Reading(self.name, GIVEN, self.agreement)
        tables = None
        if self.is_pooled:
            random = RandomPairs.draw(scored.comparisons, scored.source, settings.seed)
            sizes = [len(names) for names in scored.comparisons.level_names]
            types = scored.comparisons.column_types
            weights = scored.model.column_weights
            tables = FeatureTables(prepared.compared, types, sizes, random.levels, weights=weights)
        scorer = load_scorer(self.scorer, tables, settings.prior)
        return scored.read_by(scorer, pairs), Reading(self.name, GIVEN, self.agreement, scorer)


def _pick(values: Sequence[Any], order: Sequence[int]) -> list[Any]:
    return [values[k] for k in order]


def save_scorer(scorer: PairScorer | None, is_link: bool) -> dict[str, Any] | None:
    """The weights of a scorer and the statistics of its columns, without those of values."""
    if isinstance(scorer, ShiftedScorer):
        return {"type": "shifted", "zero": scorer.zero}
    if not isinstance(scorer, PooledScorer):
        return None
    prior, crossed = scorer.prior, scorer.columns
    return {
        "type": "pooled",
        "task": "link" if is_link else "dedupe",
        "weights": [weights.tolist() for weights in prior.weights.weights],
        "prior": prior.weights.prior,
        "label_share": prior.label_share,
        "zero": prior.zero,
        "reached": [column.reached.tolist() for column in prior.tables.columns],
        "entropy": [column.entropy for column in prior.tables.columns],
        "fill": [column.fill for column in prior.tables.columns],
        "crossed": None
        if crossed is None
        else {
            "m": [rates.tolist() for rates in crossed.m],
            "u": [rates.tolist() for rates in crossed.u],
            "used": crossed.used.tolist(),
            "zero": crossed.zero,
        },
    }


def load_scorer(
    stored: Mapping[str, Any],
    tables: FeatureTables | None,
    prior: str | None,
) -> PairScorer:
    """The scorer of saved weights; `tables` are those of the scored records."""
    if stored["type"] == "shifted" or tables is None:
        return ShiftedScorer(float(stored["zero"]))
    weights = LevelWeights(
        [np.array(values) for values in stored["weights"]], float(stored["prior"])
    )
    trees = getattr(load_prior(prior), stored["task"])
    crossed, saved = None, stored["crossed"]
    if saved is not None:
        m, u = ([np.array(values) for values in saved[name]] for name in ("m", "u"))
        crossed = CrossFit(m, u, np.array(saved["used"], bool), float(saved["zero"]), [])
    share, zero = float(stored["label_share"]), float(stored["zero"])
    return PooledScorer(PriorWeights(tables, trees, weights, share, zero), crossed)
