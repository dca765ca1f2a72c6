"""Resolution: from records to entities with probabilities."""

from typing import TYPE_CHECKING

from partita.lazy import load_lazily

if TYPE_CHECKING:
    from partita.linkage.entity.model import entity_model
    from partita.linkage.inference.search import correlation_clustering
    from partita.linkage.pairwise.fit import fit_pairs
    from partita.linkage.pairwise.model import PairModel, PairScores
    from partita.linkage.result import Resolution
    from partita.linkage.settings import ColumnSettings, Settings

__getattr__, __dir__ = load_lazily(
    __name__,
    {
        "ColumnSettings": "partita.linkage.settings:ColumnSettings",
        "PairModel": "partita.linkage.pairwise.model:PairModel",
        "PairScores": "partita.linkage.pairwise.model:PairScores",
        "Resolution": "partita.linkage.result:Resolution",
        "Settings": "partita.linkage.settings:Settings",
        "correlation_clustering": "partita.linkage.inference.search:correlation_clustering",
        "entity_model": "partita.linkage.entity.model:entity_model",
        "fit_pairs": "partita.linkage.pairwise.fit:fit_pairs",
    },
)

__all__ = [
    "ColumnSettings",
    "PairModel",
    "PairScores",
    "Resolution",
    "Settings",
    "correlation_clustering",
    "entity_model",
    "fit_pairs",
]
