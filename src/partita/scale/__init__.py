"""Millions of mentions: canopies worked on chunk by chunk, on all cores or many machines."""

from partita.scale.chunks import Chunk, local, plan, scratch
from partita.scale.encoding import mentions_of
from partita.scale.mentions import Mentions, Vocabulary, gather, vocabulary
from partita.scale.methods import (
    Scheme,
    aggregated_pairwise,
    climbing,
    dirichlet_entities,
)
from partita.scale.search import Done, Found, Settings, search

__all__ = [
    "Chunk",
    "Done",
    "Found",
    "Mentions",
    "Scheme",
    "Settings",
    "Vocabulary",
    "aggregated_pairwise",
    "climbing",
    "dirichlet_entities",
    "gather",
    "local",
    "mentions_of",
    "plan",
    "scratch",
    "search",
    "vocabulary",
]
