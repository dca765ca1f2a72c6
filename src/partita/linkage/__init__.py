"""Resolution: from records to entities with probabilities."""

from partita.linkage.entity.model import entity_model
from partita.linkage.inference.search import correlation_clustering
from partita.linkage.pairwise.fit import fit_pairs
from partita.linkage.pairwise.model import PairModel, PairScores
from partita.linkage.resolve import resolve
from partita.linkage.result import Resolution
from partita.linkage.settings import ColumnSettings, Settings

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
