import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.errors import InputError
from partita.kernel import dump, load
from partita.states import SPACES, Partition, Regroup
from partita.states.partition import CELLS_PER_STEP, canonical, growth_strings
from tests.states.moves import (
    apply,
    block_move,
    fresh,
    leavers,
    members,
    moved,
    picture,
    random_move,
    told,
    undo,
)

SPACE = SPACES[Partition]


def same_groups(a, b):
    return canonical(a).tolist() == canonical(b).tolist()


def test_numbers_are_the_same_however_large_the_labels_are():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 40, 200)
    expected = canonical([f"{label}" for label in labels]).tolist()
    assert canonical(labels).tolist() == expected
    assert canonical(labels.astype(np.uint8)).tolist() == expected
    assert canonical(labels * 10**12).tolist() == expected
    assert canonical(labels - 20).tolist() == expected
    assert canonical(labels.reshape(2, -1)).tolist() == expected


# ---- building


def test_of_takes_numbers_and_strings():
    for labels in (["b", "a", "b"], [7, -3, 7], [2.5, 1.0, 2.5], (True, False, True)):
        state = Partition.of(labels)
        assert state.entity.tolist() == [0, 1, 0]
        assert state.size.tolist() == [2, 1, 0]
        SPACE.check(state)


def test_singletons_and_one_entity():
    alone, together = Partition.singletons(4), Partition.one_entity(4)
    assert alone.size.tolist() == [1, 1, 1, 1]
    assert together.size.tolist() == [4, 0, 0, 0]
    assert members(together, 0).tolist() == [0, 1, 2, 3]
    assert SPACE.facts(together) == {"entities": 1.0, "largest": 4.0}
    assert SPACE.sites(alone) == SPACE.path(alone) == 4


def test_canonical_numbers_by_first_appearance():
    assert canonical([9, 9, 4, 7, 4]).tolist() == [0, 0, 1, 2, 1]
    assert canonical(["z", "a"]).tolist() == [0, 1]


def test_enumeration_counts_bell_numbers():
    for n, bell in ((1, 1), (2, 2), (3, 5), (4, 15), (5, 52)):
        found = [tuple(s.entity) for s in SPACE.enumerate(Partition.singletons(n))]
        assert len(found) == len(set(found)) == bell
    assert all(canonical(g).tolist() == g for g in growth_strings(4))


# ---- moves


@given(st.integers(1, 12), st.integers(0, 10**6))
def test_random_moves_keep_every_invariant(n, seed):
    rng = np.random.default_rng(seed)
    state = Partition.of(rng.integers(0, n, n))
    for _ in range(25):
        move = random_move(rng, state)
        if move is None:
            assert n == 1
            break
        expected = moved(state.entity, move, leavers(state, move))
        apply(state, move)
        SPACE.check(state)
        assert state.entity.tolist() == expected.tolist()
        live = int(state.live[0])
        assert sorted(state.ids.tolist()) == list(range(n))
        assert set(state.ids[:live]) == set(state.entity)
        for entity in state.ids[:live]:
            found = members(state, entity)
            assert sorted(found) == np.flatnonzero(state.entity == entity).tolist()
            assert found.size <= 1 << state.order[entity]


@given(st.integers(2, 12), st.integers(0, 10**6))
def test_undo_restores_members_ids_and_slots(n, seed):
    rng = np.random.default_rng(seed)
    state = Partition.of(rng.integers(0, max(1, n // 2), n))
    for _ in range(15):
        move = random_move(rng, state)
        before = picture(state)
        apply(state, move)
        assert picture(state) != before
        undo(state, move)
        assert picture(state) == before
        SPACE.check(state)
        apply(state, move)


@given(st.integers(2, 10), st.integers(0, 10**6))
def test_the_reverse_move_leads_back_to_the_same_groups(n, seed):
    rng = np.random.default_rng(seed)
    state = Partition.of(rng.integers(0, n, n))
    move = random_move(rng, state)
    before = state.entity.copy()
    apply(state, move)
    apply(state, Regroup(move.mention, move.target, move.source, move.many))
    assert state.entity.tolist() == before.tolist()
    SPACE.check(state)


@given(st.integers(2, 10), st.integers(0, 10**6))
def test_a_move_names_those_that_leave_and_those_that_stay(n, seed):
    rng = np.random.default_rng(seed)
    state = Partition.of(rng.integers(0, max(1, n // 3), n))
    move = random_move(rng, state)
    block = leavers(state, move)
    leaving, staying = np.full(n, -1), np.full(n, -1)
    inside = np.zeros(n, bool)
    told(state, move, leaving, staying, inside)
    assert leaving[: move.many].tolist() == block
    rest = set(np.flatnonzero(state.entity == move.source)) - set(block)
    assert set(staying[: len(rest)]) == rest
    assert set(np.flatnonzero(inside)) == set(block)


def test_ids_are_recycled_last_in_first_out():
    state = Partition.of([0, 1, 2, 2])
    assert fresh(state) == 3
    apply(state, block_move(state, [1], 0))
    assert int(state.live[0]) == 2
    assert fresh(state) == 1
    apply(state, block_move(state, [2], 1))
    assert state.entity.tolist() == [0, 0, 1, 2]
    assert fresh(state) == 3


def test_merge_and_split_of_blocks():
    state = Partition.of([0, 0, 1, 1, 1])
    apply(state, block_move(state, [2, 3, 4], 0))
    assert (state.entity == 0).all()
    assert int(state.live[0]) == 1
    new = fresh(state)
    apply(state, block_move(state, [4, 1], new))
    assert state.entity.tolist() == [0, new, 0, 0, new]
    SPACE.check(state)


def test_a_walk_never_outgrows_what_room_promises():
    rng = np.random.default_rng(3)
    state = Partition.singletons(9)
    highest = 0
    for _ in range(3000):
        before = int(state.pool.top[0])
        apply(state, random_move(rng, state))
        highest = max(highest, int(state.pool.top[0]) - before)
    SPACE.check(state)
    # blocks are reused: a long walk cuts no more than a few blocks of each size
    assert int(state.pool.top[0]) <= 10 * 9
    assert highest <= CELLS_PER_STEP * 9


# ---- copies, growth, dumps


def test_copies_share_nothing():
    state = Partition.of([0, 0, 1])
    twin = SPACE.copy(state)
    apply(twin, block_move(twin, [0], 1))
    assert state.entity.tolist() == [0, 0, 1]
    SPACE.check(state)
    SPACE.check(twin)
    arrays, others = dump(state), dump(twin)
    assert not any(np.shares_memory(arrays[k], others[k]) for k in arrays)


def test_growth_keeps_the_partition():
    rng = np.random.default_rng(0)
    state = Partition.singletons(6)
    size = state.members.size
    for _ in range(6):
        apply(state, random_move(rng, state))
        before = picture(state)
        state = SPACE.grow(state)
        assert picture(state) == before
    assert state.members.size == size * 2**6


def test_dump_and_load_go_on_alike():
    rng = np.random.default_rng(1)
    state = Partition.of(rng.integers(0, 4, 10))
    for _ in range(10):
        apply(state, random_move(rng, state))
    saved = {name: array.copy() for name, array in dump(state).items()}
    assert saved["members"].size == state.pool.top[0]
    twin = load(Partition.singletons(10), saved)
    assert picture(twin) == picture(state)
    SPACE.check(twin)
    for seed in range(10):
        for one in (state, twin):
            apply(one, random_move(np.random.default_rng(seed), one))
        assert picture(twin) == picture(state)


def test_observe_and_restore():
    state = Partition.of([3, 1, 3, 2])
    apply(state, block_move(state, [0], 1))
    seen = SPACE.observe(state)
    assert seen.dtype == np.int32
    assert seen.tolist() == [0, 0, 1, 2]
    assert same_groups(SPACE.restore(state, seen).entity, state.entity)


# ---- what `check` sees


def broken(field, at, value):
    state = Partition.of([0, 0, 1, 2])
    getattr(state, field)[at] = value
    return state


@pytest.mark.parametrize(
    ("field", "at", "value", "words"),
    [
        ("rank", 0, 1, "ids and rank"),
        ("size", 0, 3, "sizes"),
        ("entity", 0, 1, "sizes"),
        ("live", 0, 2, "live"),
        ("slot", 0, 1, "members"),
        ("members", 0, 1, "members"),
    ],
)
def test_check_finds_damage(field, at, value, words):
    SPACE.check(Partition.of([0, 0, 1, 2]))
    with pytest.raises(InputError, match=words):
        SPACE.check(broken(field, at, value))
