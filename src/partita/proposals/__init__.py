"""Proposals: ways to draw a move, each with its exact log proposal ratio."""

from partita.proposals.canopies import Canopies, canopies_of, one_canopy
from partita.proposals.choose import gibbs_label, gibbs_mention, gibbs_neighbour, multi_try
from partita.proposals.moves import flip, join_neighbour, move_to_entity, pair_move
from partita.proposals.proposal import Engine, Proposal, mixture, simple
from partita.proposals.split_merge import split_merge, split_merge_neighbour

__all__ = [
    "Canopies",
    "Engine",
    "Proposal",
    "canopies_of",
    "flip",
    "gibbs_label",
    "gibbs_mention",
    "gibbs_neighbour",
    "join_neighbour",
    "mixture",
    "move_to_entity",
    "multi_try",
    "one_canopy",
    "pair_move",
    "simple",
    "split_merge",
    "split_merge_neighbour",
]
