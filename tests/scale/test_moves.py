"""Moves of a search: within the window, to those who share a key, whole entities."""

import numpy as np
import pytest

import partita.scale.moves as moves
from partita import Partition
from partita.kernel import entry
from partita.proposals import Proposal
from partita.scale import local, plan, scratch
from partita.scale.moves import join_sharer, postings
from tests.scale.cases import authors

# kernels have no wrapper for Python
unite_sharers = entry(getattr(moves.unite_sharers, "py_func", moves.unite_sharers))


@pytest.fixture(scope="module")
def chunk():
    mentions, _ = authors(800)
    return local(mentions, plan(mentions, 200)[0], scratch(mentions))


def test_postings_list_who_has_a_key(chunk):
    shared = postings(chunk)
    for k in range(chunk.group.size):
        having = shared.having[shared.head[k] : shared.head[k + 1]]
        rows = np.repeat(np.arange(chunk.size), np.diff(chunk.start))
        assert having.tolist() == rows[chunk.key == k].tolist()


def test_unions_take_whole_entities_of_sharers(chunk):
    shared, rng = postings(chunk), np.random.default_rng(0)
    state = Partition.of(chunk.canopies.canopy * 10 + np.arange(chunk.size) % 3)
    kinds = set()
    for _ in range(200):
        move, log_q = unite_sharers(rng, shared, state)
        assert log_q == 0.0
        kinds.add(move.source == move.target)
        if move.source != move.target:
            assert move.many == state.size[move.source] <= state.size[move.target]
            members = state.block[: move.many]
            assert (state.entity[members] == move.source).all()
    assert kinds == {True, False}


def test_it_stays_in_its_canopies(chunk):
    proposal = join_sharer(postings(chunk))
    assert isinstance(proposal, Proposal)
    assert proposal.canopies is chunk.canopies
