"""Proposals: ways to draw a move, each with its exact log proposal ratio."""

from partita.lazy import alias_renamed
from partita.proposals.blocks import move_block
from partita.proposals.canopies import Canopies, canopies_of, one_canopy
from partita.proposals.choose import gibbs_label, gibbs_mention, gibbs_neighbour, multi_try
from partita.proposals.metropolised_gibbs import metropolised_gibbs_label
from partita.proposals.mixing import birth_death, random_mixing
from partita.proposals.moves import (
    Neighbours,
    flip,
    join_neighbour,
    move_to_entity,
    neighbour_lists,
    pair_move,
)
from partita.proposals.proposal import Engine, Proposal, mixture, simple
from partita.proposals.sdds.moves import (
    dumb_split_smart_merge,
    sdds,
    smart_smart,
    smart_split_dumb_merge,
)
from partita.proposals.sdds.restricted import restricted_gibbs
from partita.proposals.segments import gibbs_recut, recut
from partita.proposals.split_merge import split_merge, split_merge_neighbour
from partita.proposals.trees.moves import (
    collapse,
    merge_collapse,
    merge_entity,
    move_subtree,
    sample_attribute,
    tree_moves,
)
from partita.proposals.trees.search import hierarchical

__all__ = [
    "Canopies",
    "Engine",
    "Neighbours",
    "Proposal",
    "birth_death",
    "canopies_of",
    "collapse",
    "dumb_split_smart_merge",
    "flip",
    "gibbs_label",
    "gibbs_mention",
    "gibbs_neighbour",
    "gibbs_recut",
    "hierarchical",
    "join_neighbour",
    "merge_collapse",
    "merge_entity",
    "metropolised_gibbs_label",
    "mixture",
    "move_block",
    "move_subtree",
    "move_to_entity",
    "multi_try",
    "neighbour_lists",
    "one_canopy",
    "pair_move",
    "random_mixing",
    "recut",
    "restricted_gibbs",
    "sample_attribute",
    "sdds",
    "simple",
    "smart_smart",
    "smart_split_dumb_merge",
    "split_merge",
    "split_merge_neighbour",
    "tree_moves",
]

__getattr__ = alias_renamed(
    __name__,
    {"rival_label": "metropolised_gibbs_label"},  # prose: ok
)
