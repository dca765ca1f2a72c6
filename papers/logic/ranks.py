"""Filtered ranks of heads and tails, the evaluation of completed graphs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from partita.kernel import Floats, Ints
from partita.knowledge.completion import Facts
from partita.knowledge.embeddings import Embedding
from partita.knowledge.triples import Triples
from partita.metrics import Ranking, rank_answers

__all__ = ["KnownAnswers", "collect_answers", "rank_facts", "rank_side"]

QUERIES = 100
"""Queries that are ranked at once, to bound memory."""
KnownAnswers = dict[tuple[str, int, int], list[int]]
"""The answers of known facts by side, fixed entity and relation."""


def collect_answers(known: Sequence[Triples]) -> KnownAnswers:
    """Collect all tails of each head and relation, and all heads of each tail and relation."""
    answers: KnownAnswers = defaultdict(list)
    for part in known:
        for head, relation, tail in part.facts.tolist():
            answers["tail", head, relation].append(tail)
            answers["head", tail, relation].append(head)
    return answers


def rank_side(scores: Floats, facts: Ints, side: str, answers: KnownAnswers) -> list[float]:
    """Rank the tail (or head) of each fact by its row of scores, without other known answers."""
    fixed, free = (0, 2) if side == "tail" else (2, 0)
    return [
        rank_answers(row, fact[free], answers[side, fact[fixed], fact[1]])
        for row, fact in zip(scores, facts.tolist(), strict=True)
    ]


def rank_facts(model: Facts | Embedding, known: Sequence[Triples], facts: Ints) -> dict[str, float]:
    """Return filtered ranks of heads and tails, over both directions."""
    answers = collect_answers(known)
    ranks: list[float] = []
    for at in range(0, len(facts), QUERIES):
        part = facts[at : at + QUERIES]
        for side in ("tail", "head"):
            ranks += rank_side(model.answer(part, side), part, side, answers)
    return vars(Ranking.of(ranks))
