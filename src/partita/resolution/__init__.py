"""Resolution: from records to entities with probabilities."""

from partita.resolution.cluster import correlation_clustering
from partita.resolution.entities import entity_model
from partita.resolution.pairs import PairModel, PairScores, fit_pairs
from partita.resolution.pipeline import resolve
from partita.resolution.result import Resolution
from partita.resolution.settings import ColumnSettings, Settings

__all__ = [
    "ColumnSettings",
    "PairModel",
    "PairScores",
    "Resolution",
    "Settings",
    "correlation_clustering",
    "entity_model",
    "fit_pairs",
    "resolve",
]
