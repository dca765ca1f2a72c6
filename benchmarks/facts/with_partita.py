"""Ours: the embedding of `partita.facts` alone, or with rules."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.facts.answers import SIDES, Answers, Graph
from benchmarks.peers.with_partita import load

__all__ = ["load", "run"]


def run(request: dict[str, Any]) -> Answers:
    """Fit the training facts and score the queries."""
    from partita.knowledge.embeddings import EmbeddingSettings, fit_embedding
    from partita.knowledge.facts import FactSettings, complete
    from partita.knowledge.rules import load_rules
    from partita.knowledge.triples import Triples

    graph = Graph.read(request["path"])
    names = tuple(map(str, range(graph.entities)))
    triples = Triples(names, tuple(request["relations"]), graph.train, graph.train[:0])
    settings, seed = EmbeddingSettings(**request["settings"]), request["seed"]
    if request["rules"] is not None:
        rules = load_rules(request["rules"])
        model = complete(triples, rules, FactSettings(settings, seed=seed))
        scores = [model.answer(graph.queries, side) for side in SIDES]
    else:
        embedding = fit_embedding(triples, settings, seed=seed)
        scores = [embedding.answer(graph.queries, side) for side in SIDES]
    return Answers(np.array(scores, np.float32), {})
