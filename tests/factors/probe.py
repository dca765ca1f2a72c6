"""Scores moves with the exact estimator, and compares them with a naive twin."""

import numpy as np

from partita.estimators import exact
from partita.factors import Model
from partita.kernel import CODE, OK, clear, entry, record
from partita.states import SPACES, Labels, Partition, Relabel
from partita.walks import build_engine
from partita.walks.chain import new_context, roomier
from tests.states.moves import random_move

NO_ROOM_HERE = -1


class Probe:
    """One template compiled as `price` (the change of a move) and `carry` (apply it)."""

    def __init__(self, *templates):
        self.model = Model(*templates)
        self.space = SPACES[self.model.state]
        engine, table_room = build_engine(self.model, exact())
        exact_score, apply, commit = engine.exact, engine.apply, engine.commit

        @entry
        def advance(rng, state, context, move):
            for delta in context.deltas:
                clear(delta)
                record(delta, 1)
            score = exact_score(rng, context, state, move)
            apply(state, move)
            commit(context.tables, state, move)
            return score, table_room(context)

        self._advance = advance

    def start(self, state):
        self.state = self.space.copy(state)
        self.context = new_context(self.model, exact(), self.state, self.model.weights)
        return self

    def advance(self, move):
        """Score a move, apply it, and return its score and statistics."""
        rng = np.random.default_rng(0)
        score, room = self._advance(rng, self.state, self.context, move)
        assert self.context.status[CODE] == OK
        if not room:
            where = int(self.context.status[2])
            self.state, self.context = roomier(self.model, self.state, self.context, where)
        return score, np.concatenate([delta.change for delta in self.context.deltas])

    def labels(self):
        state = self.state
        return (state.label if isinstance(state, Labels) else state.entity).copy()


def any_move(rng, state):
    if isinstance(state, Partition):
        return random_move(rng, state)
    v = int(rng.integers(state.label.size))
    old = int(state.label[v])
    others = [x for x in range(int(state.domain[v])) if x != old]
    return Relabel(v, old, int(rng.choice(others)))


def follows(probe, twin, start, seed, moves=30, tolerance=1e-9):
    """Walk at random and compare every move's score and statistics with the twin's difference."""
    rng = np.random.default_rng(seed)
    probe.start(start)
    weights = probe.model.weights
    before = twin(probe.labels())
    blocks = 0
    for _ in range(moves):
        move = any_move(rng, probe.state)
        if move is None:
            return blocks
        blocks += getattr(move, "many", 1) > 1
        score, change = probe.advance(move)
        after = twin(probe.labels())
        np.testing.assert_allclose(change, after - before, atol=tolerance)
        np.testing.assert_allclose(score, weights @ (after - before), atol=tolerance)
        probe.space.check(probe.state)
        before = after
    return blocks


def pairs_of(entity):
    """Return all pairs i < j in one entity."""
    n = len(entity)
    return [(i, j) for i in range(n) for j in range(i + 1, n) if entity[i] == entity[j]]


def groups_of(entity):
    """Return the members of each entity."""
    return [np.flatnonzero(entity == e) for e in np.unique(entity)]


def random_pairs(rng, n, share=0.5):
    listed = [(i, j) for i in range(n) for j in range(i + 1, n) if rng.random() < share]
    # both orders are allowed, and any sequence
    return np.array([p[:: rng.choice([1, -1])] for p in rng.permutation(listed)])
