"""The methods that are compared; a method is one entry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from papers.hcoref.lazy import lazy_pairwise, paper_moves
from papers.hcoref.learned import SEARCH, TREES, Learned
from papers.hcoref.trees import BY_HAND, pair_trees, tree_scheme
from partita.scale import Scheme, Settings, Vocabulary, aggregated_pairwise, dirichlet_entities

__all__ = ["AS_PAPER", "LAZY", "METHODS", "Method"]

LAZY, AS_PAPER = "lazy pairwise", "trees as in the paper"
SMALL, MEDIUM = 200_000, 1_500_000


@dataclass(frozen=True)
class Method:
    """How mentions are scored and moved, in which order, and up to how many it is run."""

    name: str
    scheme: Callable[[Vocabulary, Learned], Scheme]
    order: str = "canopies"
    """Canopy by canopy, each until it settles; or all mentions in "random" order, as the paper."""
    most: int = 10_000_000
    settings: Settings = SEARCH
    temperature: float = 0.3
    """Of a random order."""
    trees: str = ""
    """The delta of trees whose weights it needs from development data."""


def _pairwise(words: Vocabulary, known: Learned, **more: object) -> Scheme:
    return aggregated_pairwise(words, known.weights, cost=known.cost, **more)  # type: ignore[arg-type]


METHODS = (
    Method(
        LAZY,
        lambda words, known: lazy_pairwise(words, known.weights, known.cost),
        order="random",
        most=SMALL,
    ),
    Method(
        "aggregated pairwise, moves of the paper",
        lambda words, known: _pairwise(words, known, proposal=paper_moves),
        order="random",
        most=SMALL,
    ),
    Method("aggregated pairwise", _pairwise),
    Method(
        "Dirichlet-multinomial",
        lambda words, known: dirichlet_entities(words, known.concentration, cost=known.entity),
    ),
    Method(
        AS_PAPER,
        lambda words, known: tree_scheme(words, BY_HAND, delta="paper"),
        most=SMALL,
        settings=TREES,
    ),
    Method(
        "trees, delta of the paper",
        lambda words, known: tree_scheme(words, known.trees["paper"], delta="paper"),
        most=MEDIUM,
        settings=TREES,
        trees="paper",
    ),
    Method(
        "trees, true deltas",
        lambda words, known: tree_scheme(words, known.trees["true"], delta="true"),
        most=SMALL,
        settings=TREES,
        trees="true",
    ),
    Method(
        "trees over pairs, true deltas",
        lambda words, known: pair_trees(words, known.weights, known.cost),
    ),
)
