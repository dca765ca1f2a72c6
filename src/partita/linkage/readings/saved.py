"""Scorers of a reading as JSON, so that a saved model scores pairs as the first run did."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from partita.linkage.pairwise.crossfit import CrossFit
from partita.linkage.pairwise.level_rates import LevelWeights
from partita.linkage.pairwise.scored_pairs import PairScorer
from partita.linkage.readings.features import FeatureTables
from partita.linkage.readings.prior import load_prior
from partita.linkage.readings.scorers import PooledScorer, PriorWeights, ShiftedScorer

__all__ = ["load_scorer", "save_scorer"]


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
            "m": [one.tolist() for one in crossed.m],
            "u": [one.tolist() for one in crossed.u],
            "used": crossed.used.tolist(),
            "zero": crossed.zero,
        },
    }


def load_scorer(
    stored: Mapping[str, Any], tables: FeatureTables | None, prior: str | None
) -> PairScorer:
    """The scorer of saved weights; `tables` are those of the records that it scores."""
    if stored["type"] == "shifted" or tables is None:
        return ShiftedScorer(float(stored["zero"]))
    weights = LevelWeights([np.array(one) for one in stored["weights"]], float(stored["prior"]))
    trees = getattr(load_prior(prior), stored["task"])
    crossed, saved = None, stored["crossed"]
    if saved is not None:
        m, u = ([np.array(one) for one in saved[name]] for name in ("m", "u"))
        crossed = CrossFit(m, u, np.array(saved["used"], bool), float(saved["zero"]), [])
    share, zero = float(stored["label_share"]), float(stored["zero"])
    return PooledScorer(PriorWeights(tables, trees, weights, share, zero), crossed)
