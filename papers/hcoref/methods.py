"""The methods that are compared; a method is one entry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from papers.hcoref.lazy import lazy_pairwise, paper_moves
from papers.hcoref.learned import SEARCH, TREES, Learned
from papers.hcoref.trees import BY_HAND, pair_trees, tree_method
from partita.scale import Method, Settings, Vocabulary, aggregated_pairwise, dirichlet_entities

__all__ = ["AS_PAPER", "LAZY", "METHODS", "Variant"]

LAZY, AS_PAPER = "lazy pairwise", "trees as in the paper"
SMALL, MEDIUM = 200_000, 1_500_000


@dataclass(frozen=True)
class Variant:
    """How mentions are scored and moved, in which order, and up to how many it is run."""

    name: str
    method: Callable[[Vocabulary, Learned], Method]
    order: str = "canopies"
    """Canopy by canopy, each until it settles; or all mentions in "random" order, as the paper."""
    most: int = 10_000_000
    settings: Settings = SEARCH
    temperature: float = 0.3
    """Of a random order."""
    trees: str = ""
    """The delta of trees whose weights it needs from development data."""


def _pairwise(words: Vocabulary, known: Learned, **more: object) -> Method:
    return aggregated_pairwise(words, known.weights, cost=known.cost, **more)  # type: ignore[arg-type]


METHODS = (
    Variant(
        LAZY,
        lambda words, known: lazy_pairwise(words, known.weights, known.cost),
        order="random",
        most=SMALL,
    ),
    Variant(
        "aggregated pairwise, moves of the paper",
        lambda words, known: _pairwise(words, known, proposal=paper_moves),
        order="random",
        most=SMALL,
    ),
    Variant("aggregated pairwise", _pairwise),
    Variant(
        "Dirichlet-multinomial",
        lambda words, known: dirichlet_entities(words, known.concentration, cost=known.entity),
    ),
    Variant(
        AS_PAPER,
        lambda words, known: tree_method(words, BY_HAND, delta="paper"),
        most=SMALL,
        settings=TREES,
    ),
    Variant(
        "trees, delta of the paper",
        lambda words, known: tree_method(words, known.trees["paper"], delta="paper"),
        most=MEDIUM,
        settings=TREES,
        trees="paper",
    ),
    Variant(
        "trees, true deltas",
        lambda words, known: tree_method(words, known.trees["true"], delta="true"),
        most=SMALL,
        settings=TREES,
        trees="true",
    ),
    Variant(
        "trees over pairs, true deltas",
        lambda words, known: pair_trees(words, known.weights, known.cost),
    ),
)
