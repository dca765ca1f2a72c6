"""Search over millions of mentions: canopy by canopy, on all cores or on a Ray cluster."""

from partita.lazy import alias_renamed
from partita.scale.chunks import Chunk, local, plan, scratch
from partita.scale.encoding import mentions_of
from partita.scale.mentions import Mentions, Vocabulary, gather, vocabulary
from partita.scale.methods import (
    Method,
    aggregated_pairwise,
    dirichlet_entities,
    hill_climbing,
)
from partita.scale.search import ChunkResult, SearchResult, Settings, search

__all__ = [
    "Chunk",
    "ChunkResult",
    "Mentions",
    "Method",
    "SearchResult",
    "Settings",
    "Vocabulary",
    "aggregated_pairwise",
    "dirichlet_entities",
    "gather",
    "hill_climbing",
    "local",
    "mentions_of",
    "plan",
    "scratch",
    "search",
    "vocabulary",
]

__getattr__ = alias_renamed(
    __name__,
    {
        "Scheme": "Method",
        "climbing": "hill_climbing",
        "Done": "ChunkResult",
        "Found": "SearchResult",
    },
)
