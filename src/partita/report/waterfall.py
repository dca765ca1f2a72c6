"""Match weights of pairs as data, for the waterfalls of the page."""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.linkage.output.explain import explain
from partita.linkage.pairwise.model import LN2
from partita.report.shown import Shown

__all__ = ["as_data"]

EXPLAIN_BUDGET = 200_000
"""Active records that may be scored: an explanation by the entity model scores all of them once."""


def as_data(shown: Shown) -> dict[str, Any]:
    """The listed records and the match weights of the pairs among them, in bits."""
    resolution = shown.resolution
    model, scores = resolution.pair_model, resolution.scored.scores
    place = {int(r): k for k, r in enumerate(shown.records)}
    ends, p = resolution.scored.pairs, resolution.record_pairs.p_same
    probability = scores.probability
    priced = EXPLAIN_BUDGET // max(len(resolution.marginals.active), 1)
    pairs = [
        {
            "a": place[int(ends[k, 0])],
            "b": place[int(ends[k, 1])],
            "p": round(float(p[k]), 4),
            "model": round(float(probability[k]), 4),
            "levels": scores.levels[k].tolist(),
            "weights": _bits(scores.columns[k]),
            "term_frequency": _bits(scores.term_frequency[k]),
            "dependence": round(float(scores.dependence[k]) / LN2, 2),
            "reading": round(float(scores.reading[k]) / LN2, 2),
        }
        | (_entity(shown, k) if number < min(priced, shown.pairs.size) else {})
        for number, k in enumerate(shown.explained.tolist())
    ]
    return {
        "names": shown.names,
        "records": shown.as_data(),
        "columns": model.names,
        "levels": model.level_names,
        "prior": round(scores.prior / LN2, 2),
        "pairs": pairs,
    }


def _entity(shown: Shown, pair: int) -> dict[str, Any]:
    """The gain of each factor of the entity model, and the constraints on a pair."""
    resolution = shown.resolution
    rows = [int(resolution.record_pairs.left[pair]), int(resolution.record_pairs.right[pair])]
    explanation = explain(resolution, *(resolution.names[row].as_py() for row in rows))
    if not explanation.entity_rows:
        return {"notes": [*explanation.constraints, explanation.entity_question]}
    return {
        "notes": explanation.constraints,
        "entity": [[row.label, round(row.bits, 2)] for row in explanation.entity_rows],
        "question": explanation.entity_question,
    }


def _bits(nats: Any) -> list[float]:
    return [round(value, 2) for value in (np.asarray(nats) / LN2).tolist()]
