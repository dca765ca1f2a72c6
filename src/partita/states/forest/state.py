"""Forest: entities as trees of any depth and width over mentions (HCOREF 3.1).

Nodes 0..n-1 are the mentions, which are leaves; the others are inner nodes with at least two
children each, so that there are finitely many forests. An inner node that would be left with one
child dissolves: the child takes its place. Trees stay within canopies: each has a range of ids for
inner nodes, recycled, the live ones first, so that a live node of a canopy is drawn in O(1).

One kind of move covers every change of the trees: a block of siblings leaves one place for another.
A place is a parent and the way in which the block hangs there:

    ROOT   nowhere: the block is one node, the root of its tree
    JOIN   below a parent that exists before and after the move
    PAIR   beside one other node (`at`), below a parent that exists for the two of them
    FRESH  alone below a parent that exists for the block, itself below `at` (-1: a root)

Merge left is ROOT or any other place to JOIN, merge up to PAIR, split right to ROOT; collapse is
FRESH to JOIN. A block of several always has FRESH on one side and JOIN on the other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from partita.errors import InputError
from partita.kernel import Ints, Pool, entry, new_pool
from partita.states.checks import integers, named, whole
from partita.states.forest.nodes import append, next_node, open_node
from partita.states.partition import canonical

__all__ = ["FRESH", "JOIN", "MAX_CHILDREN", "PAIR", "ROOT", "Forest", "Regraft", "find_roots"]

CELLS_PER_STEP = 16
"""Cells per mention that one step may allocate."""

MAX_BITS = 62
"""Bits of the number that packs the attribute values of one node: below the 63 of int64."""

ROOT, JOIN, PAIR, FRESH = 0, 1, 2, 3
MAX_CHILDREN = 60
"""Limit on children of a node from which a block may be drawn: one bit each in a move."""


class Forest(NamedTuple):
    """Trees over mentions; build it with `singletons` or `of`."""

    parent: Ints
    """Parent of each node; -1 for a root."""
    slot: Ints
    """Position of a node among the children of its parent."""
    size: Ints
    """Number of children."""
    start: Ints
    order: Ints
    children: Ints
    pool: Pool
    count: Ints  # type: ignore[assignment]
    """Mentions below each node; 1 for a mention, 0 for an unused id."""
    region: Ints
    """Canopy of each node."""
    first: Ints
    """Start of the ids of each canopy in `ids`."""
    live: Ints
    """Inner nodes of each canopy."""
    ids: Ints
    rank: Ints
    """Position of each inner node (less n) in `ids`."""
    value: Ints
    """Attribute values by node, -1 for none: observed at mentions, latent at inner nodes."""
    radix: Ints
    """Number of values of each attribute, including none."""
    trail: Ints
    """Old slot and old rank of the last move, for `undo`."""
    least: Ints
    """Scratch: the smallest mention below each node."""

    @property
    def pooled(self) -> tuple[str, ...]:
        """The arrays that are allocated from the pool."""
        return ("children",)

    @property
    def mentions(self) -> int:
        """The number of mentions."""
        return int(self.ids.size)

    @property
    def entities(self) -> Ints:
        """Return the entity number of each mention, in order of first appearance."""
        return entities_of(self)

    @classmethod
    def singletons(
        cls,
        n: int,
        *,
        canopies: ArrayLike | None = None,
        attributes: ArrayLike | None = None,
        domain: ArrayLike | None = None,
    ) -> Forest:
        """Build a forest with each of n mentions alone; see `of` for the parameters."""
        return build(n, None, canopies, attributes, domain)

    @classmethod
    def of(
        cls,
        labels: ArrayLike,
        *,
        canopies: ArrayLike | None = None,
        attributes: ArrayLike | None = None,
        domain: ArrayLike | None = None,
    ) -> Forest:
        """Flat trees from one label per mention: equal labels, same entity.

        Parameters
        ----------
        labels
            Numbers or strings.
        canopies
            One label per mention: trees never cross from one to another. By default there is one.
        attributes
            Whole numbers, mentions by attributes, -1 for a missing value: what nodes have values
            of.
        domain
            How many values each attribute has; by default as many as are seen.
        """
        return build(np.asarray(labels).size, labels, canopies, attributes, domain)


class Regraft(NamedTuple):
    """`many` siblings move from `source` to `target`, or an `attribute` of `node` changes.

    `gone` and `fresh` are the values of a vanishing and a new parent, as one number (`packed`), or
    the old and new value of one attribute. `mask` selects the children of a JOIN source that move.
    """

    node: int
    many: int
    source: int
    source_way: int
    source_at: int
    target: int
    target_way: int
    target_at: int
    gone: int
    fresh: int
    mask: int
    attribute: int


def entities_of(state: Forest) -> Ints:
    """Return the entity number of each mention, in order of first appearance."""
    return canonical(find_roots(state.parent))


def find_roots(parent: Ints) -> Ints:
    """Return the root of each mention, from the parents of all nodes."""
    node = np.arange(parent.size // 2)
    above = parent[node]
    while (above >= 0).any():
        node = np.where(above >= 0, above, node)
        above = parent[node]
    return node


def build(
    n: int,
    labels: ArrayLike | None,
    canopies: ArrayLike | None,
    attributes: ArrayLike | None,
    domain: ArrayLike | None,
) -> Forest:
    """Build the arrays of a forest of flat trees."""
    n = whole(n, "the number of mentions")
    value, radix = _values(n, attributes, domain)
    canopy_label = np.zeros(n, np.int64) if canopies is None else named(canopies, "canopy labels")
    if canopy_label.size != n:
        raise InputError(
            f"there are {canopy_label.size} canopy labels for {n} mentions; give one each"
        )
    region = np.unique(canopy_label, return_inverse=True)[1].reshape(-1).astype(np.int64)
    state = _empty(n, region, value, radix)
    if labels is not None:
        groups = canonical(named(labels, "labels"))
        _check_canopies(groups, region)
        _create_roots(state, groups)
    return state


def _empty(n: int, region: Ints, value: Ints, radix: Ints) -> Forest:
    sizes = np.bincount(region)
    both = 2 * n
    return Forest(
        parent=np.full(both, -1, np.int64),
        slot=np.zeros(both, np.int64),
        size=np.zeros(both, np.int64),
        start=np.zeros(both, np.int64),
        order=np.full(both, -1, np.int64),
        children=np.empty((CELLS_PER_STEP + 8) * n + CELLS_PER_STEP, np.int64),
        pool=new_pool(),
        count=np.repeat(np.array([1, 0]), n),
        region=np.concatenate([region, np.repeat(np.arange(sizes.size), sizes)]),
        first=np.concatenate([[0], np.cumsum(sizes)]),
        live=np.zeros(sizes.size, np.int64),
        ids=np.arange(n, both),
        rank=np.arange(n),
        value=value,
        radix=radix,
        trail=np.zeros(2, np.int64),
        least=np.zeros(both, np.int64),
    )


def _values(n: int, attributes: ArrayLike | None, domain: ArrayLike | None) -> tuple[Ints, Ints]:
    """Return values of all nodes, unknown for inner nodes, and the number of values."""
    shown = np.zeros((n, 0), np.int64)
    if attributes is not None:
        shown = integers(attributes, "attributes")
        shown = shown.reshape(-1, 1) if shown.ndim == 1 else shown
    if shown.ndim != 2 or shown.shape[0] != n:
        raise InputError(f"attributes have shape {shown.shape}; give one row for each of {n}")
    seen = shown.max(0, initial=-1) + 1
    sizes = seen if domain is None else np.atleast_1d(integers(domain, "the domain"))
    if sizes.shape != seen.shape or (sizes < seen).any() or (shown < -1).any():
        raise InputError(
            f"the domain is {sizes.tolist()} but attributes run from {shown.min(initial=0)} to "
            f"{(seen - 1).tolist()}; give sizes above every value, and -1 for a missing one"
        )
    radix = sizes.astype(np.int64) + 1
    if np.log2(radix).sum() > MAX_BITS:
        raise InputError(
            f"attributes of {sizes.tolist()} values make more than 2^{MAX_BITS} kinds of nodes; "
            "leave one out, or number its values within canopies"
        )
    return np.ascontiguousarray(np.vstack([shown, np.full_like(shown, -1)])), radix


def _check_canopies(groups: Ints, region: Ints) -> None:
    if groups.size != region.size:
        raise InputError(f"there are {groups.size} labels and {region.size} canopy labels")
    home = np.zeros(groups.size, np.int64)
    home[groups] = region
    crossing = np.flatnonzero(home[groups] != region)
    if crossing.size:
        raise InputError(
            f"mention {crossing[0]} starts in an entity that crosses canopies; "
            "start from singletons, or cut entities at canopies"
        )


@entry
def _attach(state: Forest, members: Ints) -> int:
    root = next_node(state, members[0])
    open_node(state, root, members.size)
    for i in members:
        append(state, root, i)
    state.count[root] = members.size
    return root


def _create_roots(state: Forest, groups: Ints) -> None:
    """Create one root above the mentions of each group, with the values of most of them."""
    order = np.argsort(groups, kind="stable")
    for members in np.split(order, np.cumsum(np.bincount(groups))[:-1]):
        if members.size > 1:
            root = _attach(state, members)
            for a in range(state.radix.size):
                values, times = np.unique(state.value[members, a], return_counts=True)
                state.value[root, a] = values[np.argmax(times)]
