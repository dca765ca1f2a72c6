"""Ratings of rules against the observed facts: how often a true body has a true head."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from partita.kernel import Ints
from partita.knowledge.groundings import Groundings
from partita.knowledge.rules import Rule
from partita.knowledge.triples import Triples

__all__ = ["Rating", "is_closed", "rate_rules"]


@dataclass(frozen=True)
class Rating:
    """One rule against the observed facts; all counts are of distinct heads."""

    rule: str
    heads: int
    """Heads of bodies that are observed."""
    support: int
    """Heads that are observed (for a rule that forbids its head: that are not)."""
    confidence: float | None
    """support / heads: unobserved heads count as false."""
    pca_confidence: float | None
    """The same among heads whose subject has a known fact of the relation (Galarraga et al. 2013),
    or whose object has one, where the relation has more objects than subjects."""
    coverage: float | None
    """support / facts of the head's relation."""
    conflicts: int
    """Groundings that the observed facts violate."""
    sampled: float
    """The share of the groundings that was examined."""

    def as_dict(self) -> dict[str, Any]:
        """Return the columns by name."""
        return asdict(self)


def is_closed(triples: Triples, keys: Ints) -> Any:
    """Return whether the subject of each fact has an observed fact of the relation.

    Where the relation has more objects than subjects, the object counts. Such a fact is false if it
    is not observed, under the assumption of partial completeness.
    """
    facts = triples.facts_of(keys)
    n = len(triples.entities)
    closed = np.zeros(len(facts), bool)
    for relation in np.unique(facts[:, 1]):
        own = triples.facts[triples.facts[:, 1] == relation]
        by_head, by_tail = np.unique(own[:, 0]), np.unique(own[:, 2])
        side, known = (0, by_head) if by_head.size >= by_tail.size else (2, by_tail)
        has = np.zeros(n, bool)
        has[known] = True
        rows = facts[:, 1] == relation
        closed[rows] = has[facts[rows, side]]
    return closed


def rate_rules(
    triples: Triples, rules: Sequence[Rule], groundings: Sequence[Groundings]
) -> list[Rating]:
    """Rate every rule by those of its groundings whose bodies are observed."""
    observed, false = triples.keys(triples.facts), triples.keys(triples.false)
    counts = np.bincount(triples.facts[:, 1], minlength=len(triples.relations))
    ratings = []
    for rule, grounding in zip(rules, groundings, strict=True):
        full = np.isin(grounding.body, observed).all(1)
        heads = np.unique(grounding.head[full])
        holds, fails = np.isin(heads, observed), np.isin(heads, false)
        right = ~holds if rule.negated else holds
        closed = is_closed(triples, heads) | holds | fails
        violated = holds if rule.negated else fails
        own = int(counts[triples.relations.index(rule.head.relation)])
        ratings.append(
            Rating(
                str(rule),
                len(heads),
                int(right.sum()),
                _divide(right.sum(), len(heads)),
                _divide((right & closed).sum(), closed.sum()),
                None if rule.negated else _divide(right.sum(), own),
                int(violated.sum()),
                grounding.sampled,
            )
        )
    return ratings


def _divide(part: int, whole: int) -> float | None:
    return float(part / whole) if whole else None
