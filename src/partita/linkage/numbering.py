"""The three numberings of records, as types that cannot be mixed.

    row       a record of the input
    distinct  a record after identical rows were collapsed
    active    a distinct record that is part of the inference problem

`Numbering[RowIds, DistinctIds]` translates rows to distinct records, and
`Numbering[DistinctIds, ActiveIds]` distinct records to active ones. mypy rejects ids of one
numbering where another is expected.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, NewType, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from partita.kernel import Ints

__all__ = ["ActiveIds", "DistinctIds", "Numbering", "RowIds", "ids_by_first_place"]

RowIds = NewType("RowIds", Ints)
"""Row numbers of the input, in an array of any shape."""
DistinctIds = NewType("DistinctIds", Ints)
"""Numbers of distinct records, in an array of any shape."""
ActiveIds = NewType("ActiveIds", Ints)
"""Numbers of active records, in an array of any shape."""

Wide = TypeVar("Wide", bound=Ints)
Narrow = TypeVar("Narrow", bound=Ints)
Next = TypeVar("Next", bound=Ints)
Element = TypeVar("Element", bound=np.generic)


@dataclass(frozen=True, eq=False)
class Numbering(Generic[Wide, Narrow]):
    """Translation between ids of a wide numbering and of a narrow one made from it."""

    narrow: Narrow
    """The narrow id of each wide record, or -1 for a record without one."""
    wide: Wide
    """The first wide record of each narrow one, in the order in which ids were given."""

    @classmethod
    def by_key(cls, keys: Ints, order: Ints) -> Numbering[Wide, Narrow]:
        """Collapse records with equal keys; ids follow the first record of each key in `order`."""
        first, group = ids_by_first_place(keys[order])
        narrow = np.empty_like(group)
        narrow[order] = group
        return cls(cast(Narrow, narrow), cast(Wide, order[first]))

    @classmethod
    def of_subset(cls, mask: NDArray[np.bool_]) -> Numbering[Wide, Narrow]:
        """Number the kept records in order; the others have no narrow id."""
        wide = np.flatnonzero(mask).astype(np.int64)
        narrow = np.full(mask.size, -1, np.int64)
        narrow[wide] = np.arange(wide.size)
        return cls(cast(Narrow, narrow), cast(Wide, wide))

    def __len__(self) -> int:
        """The number of narrow ids."""
        return int(self.wide.size)

    def to(self, ids: Wide) -> Narrow:
        """Narrow ids of wide ones; -1 where there is none."""
        return cast(Narrow, self.narrow[ids])

    def back(self, ids: Narrow) -> Wide:
        """Wide ids of narrow ones: the first record of each."""
        return cast(Wide, self.wide[ids])

    def expand(self, values: NDArray[Element]) -> NDArray[Element]:
        """Values of all wide records from those of narrow ones; every wide record has one."""
        return cast(Any, values[self.narrow])

    def select(self, values: NDArray[Element]) -> NDArray[Element]:
        """Values of the narrow records from those of all wide ones."""
        return cast(Any, values[self.wide])

    def then(self, following: Numbering[Narrow, Next]) -> Numbering[Wide, Next]:
        """Both translations in one step; every wide record has a narrow id."""
        return Numbering(following.to(self.narrow), self.back(following.wide))


def ids_by_first_place(keys: Ints) -> tuple[Ints, Ints]:
    """The first place of each distinct key, ascending, and the rank of that place for each key."""
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    return first[order].astype(np.int64), rank[group.reshape(-1)].astype(np.int64)
