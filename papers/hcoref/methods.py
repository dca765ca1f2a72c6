"""The methods that are compared; a method is one entry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from papers.hcoref.lazy import lazy_pairwise, paper_moves
from papers.hcoref.learned import Learned
from papers.hcoref.trees import tree_scheme
from partita.scale import Scheme, Vocabulary, aggregated_pairwise, dirichlet_entities

__all__ = ["LAZY", "METHODS", "Method"]

LAZY = "lazy pairwise"


@dataclass(frozen=True)
class Method:
    """How mentions are scored and moved, in which order, and up to how many it can be run."""

    name: str
    scheme: Callable[[Vocabulary, Learned], Scheme]
    order: str = "canopies"
    """Canopy by canopy, each until it settles; or all mentions in "random" order, as the paper."""
    most: int = 10_000_000
    temperature: float = 0.3
    rounds: int = 2
    """A canopy of n mentions has at most this many times 1 + log2 n rounds of n steps."""


def _pairwise(words: Vocabulary, known: Learned, **more: object) -> Scheme:
    return aggregated_pairwise(words, known.weights, cost=known.cost, **more)  # type: ignore[arg-type]


METHODS = (
    Method(
        LAZY,
        lambda words, known: lazy_pairwise(words, known.weights, known.cost),
        order="random",
        most=200_000,
    ),
    Method(
        "aggregated pairwise, moves of the paper",
        lambda words, known: _pairwise(words, known, proposal=paper_moves),
        order="random",
        most=200_000,
    ),
    Method("aggregated pairwise", _pairwise),
    Method(
        "Dirichlet-multinomial",
        lambda words, known: dirichlet_entities(words, known.concentration, cost=known.entity),
    ),
    Method(
        "trees, deltas of the paper",
        lambda words, known: tree_scheme(words, delta="paper"),
        most=200_000,
        temperature=1.0,
        rounds=12,
    ),
    Method(
        "trees, true deltas",
        lambda words, known: tree_scheme(words, delta="true"),
        most=200_000,
        temperature=1.0,
        rounds=12,
    ),
)
