"""Partition: mentions grouped into entities, any number of both.

The members of an entity are stored in one block of a pool: access to the k-th is O(1), to all of
them O(size), and one is added or removed in amortised O(1). Entity ids are recycled: `ids` lists
the live ones first, so a live entity is drawn uniformly, and the next free id is `ids[live]`.

One type of move covers moving a mention, merging and splitting: a block of mentions moves from
`source` to `target`. The move names a single mention; the state's scratch lists a larger block,
first the members that leave, then the members of the source that stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partita.errors import InputError
from partita.kernel import Ints, Pool, enlarge, entry, kernel, new_pool, order_for, release, take
from partita.states.checks import named, whole
from partita.states.space import Space, register_space

__all__ = [
    "Partition",
    "Regroup",
    "canonical",
    "in_block",
    "leaver",
    "member",
    "stayer",
]

MENTIONS = "the number of mentions"
CELLS_PER_STEP = 16
"""Cells per mention that one step may allocate: a split proposal rebuilds an entity twice."""

MAX_LABEL_RATIO = 8
"""Largest ratio of labels to mentions for a lookup table; above it, labels are sorted."""


class Partition(NamedTuple):
    """The grouping of mentions into entities; build it with `of`, `singletons` or `one_entity`."""

    entity: Ints
    slot: Ints
    """Position of the mention among the members of its entity."""
    size: Ints
    start: Ints
    order: Ints
    members: Ints
    pool: Pool
    ids: Ints
    rank: Ints
    """Position of each entity in `ids`."""
    live: Ints
    block: Ints
    place: Ints
    """Position of a mention in `block`, if it is there (see `in_block`)."""
    trail: Ints
    """Old slots of the last applied block, and the old rank of its source, for `undo`."""

    @property
    def pooled(self) -> tuple[str, ...]:
        """The arrays that are allocated from the pool."""
        return ("members",)

    @classmethod
    def of(cls, labels: ArrayLike) -> Partition:
        """Build a partition from one label per mention (numbers or strings)."""
        return build(labels)

    @classmethod
    def singletons(cls, n: int) -> Partition:
        """Build a partition with each of n mentions alone."""
        return build(np.arange(whole(n, MENTIONS)))

    @classmethod
    def one_entity(cls, n: int) -> Partition:
        """Build a partition with all n mentions in one entity."""
        return build(np.zeros(whole(n, MENTIONS), np.int64))


class Regroup(NamedTuple):
    """`many` mentions move from `source` to `target`; if only one, it is `mention`."""

    mention: int
    source: int
    target: int
    many: int


@kernel
def member(state: Partition, entity: int, k: int) -> int:
    """Return the k-th member of an entity."""
    # unsigned, or each access would first test for a negative index
    return state.members[np.uint64(state.start[entity] + k)]


@kernel
def in_block(state: Partition, move: Regroup, mention: int) -> bool:
    """Return whether a mention is in the moved block."""
    if move.many == 1:
        return mention == move.mention
    p = state.place[mention]
    return p < move.many and state.block[p] == mention


@kernel
def leaver(state: Partition, move: Regroup, k: int) -> int:
    """Return the k-th mention of the moved block."""
    if move.many == 1:
        return move.mention
    return state.block[k]


@kernel
def stayer(state: Partition, move: Regroup, k: int) -> int:
    """Return the k-th mention that stays in the source."""
    if move.many == 1:
        if k >= state.slot[move.mention]:
            k += 1
        return state.members[np.uint64(state.start[move.source] + k)]
    return state.block[move.many + k]


@kernel(inline=False)
def resize(state: Partition, entity: int, order: int) -> None:
    """Move the members of an entity to a block of another order."""
    old, size = state.start[entity], state.size[entity]
    new = take(state.pool, state.members, order)
    for k in range(size):
        state.members[new + k] = state.members[old + k]
    release(state.pool, state.members, old, state.order[entity])
    state.start[entity] = new
    state.order[entity] = order


@kernel
def swap_ids(state: Partition, a: int, b: int) -> None:
    """Swap two positions of `ids`."""
    x, y = state.ids[a], state.ids[b]
    state.ids[a] = y
    state.ids[b] = x
    state.rank[y] = a
    state.rank[x] = b


@kernel
def append(state: Partition, entity: int, mention: int) -> None:
    """Append a mention to an entity's members; the entity has a block."""
    size = state.size[entity]
    if size == 1 << state.order[entity]:
        resize(state, entity, state.order[entity] + 1)
    state.members[state.start[entity] + size] = mention
    state.slot[mention] = size
    state.entity[mention] = entity
    state.size[entity] = size + 1


@kernel
def remove(state: Partition, entity: int, mention: int) -> None:
    """Remove a mention; the last member fills its slot; a block four times too large shrinks."""
    last = state.size[entity] - 1
    filler = state.members[state.start[entity] + last]
    state.members[state.start[entity] + state.slot[mention]] = filler
    state.slot[filler] = state.slot[mention]
    state.size[entity] = last
    if last > 0 and 4 * last <= 1 << state.order[entity]:
        resize(state, entity, state.order[entity] - 1)


@kernel
def open_entity(state: Partition, entity: int, count: int) -> None:
    """Activate a free entity id with a block for `count` mentions."""
    swap_ids(state, state.rank[entity], state.live[0])
    state.live[0] += 1
    order = order_for(count)
    state.order[entity] = order
    state.start[entity] = take(state.pool, state.members, order)


@kernel
def close_entity(state: Partition, entity: int) -> None:
    """Free the id of an empty entity; it is the next to be used again."""
    release(state.pool, state.members, state.start[entity], state.order[entity])
    state.order[entity] = -1
    state.live[0] -= 1
    swap_ids(state, state.rank[entity], state.live[0])


@kernel
def apply(state: Partition, move: Regroup) -> None:
    """Apply the move and record in `trail` how to undo it."""
    source, target, many = move.source, move.target, move.many
    if state.size[target] == 0:
        open_entity(state, target, many)
    for k in range(many):
        mention = leaver(state, move, k)
        state.trail[k] = state.slot[mention]
        remove(state, source, mention)
        append(state, target, mention)
    state.trail[many] = state.rank[source]
    if state.size[source] == 0:
        close_entity(state, source)


@kernel(inline=False)
def undo(state: Partition, move: Regroup) -> None:
    """Undo the last applied move, restoring the order of members and of ids."""
    source, target, many = move.source, move.target, move.many
    if state.size[source] == 0:
        open_entity(state, source, many)
        swap_ids(state, state.live[0] - 1, state.trail[many])
    for k in range(many - 1, -1, -1):
        mention = leaver(state, move, k)
        remove(state, target, mention)
        append(state, source, mention)
        # the member that filled the old slot returns to the end
        last, old = state.size[source] - 1, state.trail[k]
        other = state.members[state.start[source] + old]
        state.members[state.start[source] + last] = other
        state.slot[other] = last
        state.members[state.start[source] + old] = mention
        state.slot[mention] = old
    if state.size[target] == 0:
        close_entity(state, target)


@kernel
def idle(move: Regroup) -> bool:
    """Return whether source and target are the same."""
    return move.source == move.target


@kernel
def reverse(move: Regroup) -> Regroup:
    """Return the reverse move."""
    return Regroup(move.mention, move.target, move.source, move.many)


@kernel
def room(state: Partition) -> bool:
    """Return whether the pool can hold the cells of one step."""
    return state.pool.top[0] + CELLS_PER_STEP * state.entity.size <= state.members.size


@kernel
def toward(state: Partition, goal: Partition, k: int) -> Regroup:
    """Return the move of mention k to the entity of its first member in the goal."""
    first = goal.members[goal.start[goal.entity[k]]]
    return Regroup(k, state.entity[k], state.entity[first], 1)


@entry
def number_labels(labels: Ints, number: Ints) -> None:
    """Number labels in order of first appearance; `number` is -1 for labels not seen yet."""
    many = 0
    for k in range(labels.size):
        label = labels[k]
        if number[label] < 0:
            number[label] = many
            many += 1
        labels[k] = number[label]


def canonical(labels: ArrayLike) -> Ints:
    """Number the entities 0, 1, ... in order of first appearance."""
    values = np.asarray(labels).reshape(-1)
    if values.dtype.kind in "iu" and values.size:
        top = int(values.max())
        if values.min() >= 0 and top <= MAX_LABEL_RATIO * values.size:
            numbers = values.astype(np.int64)
            number_labels(numbers, np.full(top + 1, -1, np.int64))
            return numbers
    _, first, inverse = np.unique(values, return_index=True, return_inverse=True)
    number = np.empty(first.size, np.int64)
    number[np.argsort(first)] = np.arange(first.size)
    return number[inverse.reshape(-1)]


@entry
def fill(state: Partition, labels: Ints, sizes: Ints) -> None:
    """Fill the arrays of an empty partition from canonical labels."""
    for e in range(sizes.size):
        open_entity(state, e, sizes[e])
    for i in range(labels.size):
        append(state, labels[i], i)


def build(labels: ArrayLike) -> Partition:
    """Build the arrays of a partition."""
    names = canonical(named(labels, "labels"))
    n = names.size
    state = Partition(
        entity=np.zeros(n, np.int64),
        slot=np.zeros(n, np.int64),
        size=np.zeros(n, np.int64),
        start=np.zeros(n, np.int64),
        order=np.full(n, -1, np.int64),
        members=np.empty((CELLS_PER_STEP + 4) * n + CELLS_PER_STEP, np.int64),
        pool=new_pool(),
        ids=np.arange(n),
        rank=np.arange(n),
        live=np.zeros(1, np.int64),
        block=np.zeros(n, np.int64),
        place=np.zeros(n, np.int64),
        trail=np.zeros(n + 1, np.int64),
    )
    fill(state, names, np.bincount(names))
    return state


def check(state: Partition) -> None:
    """Check every invariant of the arrays (slow; for tests and restored checkpoints)."""
    n, live = state.entity.size, int(state.live[0])
    if not np.array_equal(state.ids[state.rank], np.arange(n)):
        raise InputError("ids and rank of the partition are not inverse")
    if not np.array_equal(np.bincount(state.entity, minlength=n), state.size):
        raise InputError("sizes of the partition do not match its entities")
    if (state.size[state.ids[:live]] == 0).any() or (state.size[state.ids[live:]] != 0).any():
        raise InputError("live entities of the partition do not match its sizes")
    places = state.start[state.entity] + state.slot
    if not np.array_equal(state.members[places], np.arange(n)):
        raise InputError("members of the partition do not match its entities")


def copy(state: Partition) -> Partition:
    """Copy a partition and its arrays."""
    pool = Pool(state.pool.free.copy(), state.pool.top.copy())
    top = int(state.pool.top[0])
    members = np.empty_like(state.members)
    members[:top] = state.members[:top]
    own = {name: getattr(state, name).copy() for name in state._fields if name != "pool"}
    return Partition(**{**own, "pool": pool, "members": members})


def grow(state: Partition) -> Partition:
    """Return the same partition with a pool twice as long."""
    return state._replace(members=enlarge(state.members, 2 * state.members.size))


def facts(state: Partition) -> dict[str, float]:
    """Return scalars to trace: the number of entities, and the largest."""
    return {"entities": float(state.live[0]), "largest": float(state.size.max())}


def growth_strings(n: int) -> Iterator[list[int]]:
    """Enumerate all set partitions of n items as restricted growth strings."""

    def extend(prefix: list[int], top: int) -> Iterable[list[int]]:
        if len(prefix) == n:
            yield prefix
            return
        for value in range(top + 1):
            yield from extend([*prefix, value], max(top, value + 1))

    yield from extend([], 0)


def enumerate_partitions(state: Partition) -> Iterator[Partition]:
    """Enumerate all partitions of as many mentions, for tests."""
    for labels in growth_strings(state.entity.size):
        yield build(labels)


def observe(state: Partition) -> NDArray[np.int32]:
    """Return canonical entity numbers as a draw records them."""
    return canonical(state.entity).astype(np.int32)


register_space(
    Partition,
    Space(
        name="partition",
        apply=apply,
        undo=undo,
        idle=idle,
        reverse=reverse,
        room=room,
        toward=toward,
        path=lambda goal: int(goal.entity.size),
        origin=lambda goal: Partition.singletons(goal.entity.size),
        copy=copy,
        grow=grow,
        check=check,
        observe=observe,
        restore=lambda _, labels: build(labels),
        facts=facts,
        enumerate=enumerate_partitions,
        sites=lambda state: int(state.entity.size),
        grouping=lambda _, labels: labels,
    ),
)
