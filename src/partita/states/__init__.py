"""States: the hidden variables, their moves, and the Space of each."""

from partita.states.forest.space import Forest, Regraft
from partita.states.labels import Labels, Relabel
from partita.states.partition import Partition, Regroup
from partita.states.segments import Recut, Segments
from partita.states.space import SPACES, Space, register_space, space_of

__all__ = [
    "SPACES",
    "Forest",
    "Labels",
    "Partition",
    "Recut",
    "Regraft",
    "Regroup",
    "Relabel",
    "Segments",
    "Space",
    "register_space",
    "space_of",
]
