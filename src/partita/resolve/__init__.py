"""Resolving records: the parts that turn scored pairs into entities."""

from partita.resolve.cluster import correlation_clustering
from partita.resolve.entities import entity_model
from partita.resolve.pairs import PairModel, PairScores, fit_pairs

__all__ = ["PairModel", "PairScores", "correlation_clustering", "entity_model", "fit_pairs"]
