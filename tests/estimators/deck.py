"""A template whose k-th factor scores values[k] and counts how often it is examined."""

from typing import NamedTuple

import numpy as np

from partita.factors import Model, Template
from partita.kernel import EXAMINED, entry, kernel, push, record
from partita.states import Labels, Relabel
from partita.walks import build_engine
from partita.walks.chain import new_context

STATE = Labels.of([0], 2)
MOVE = Relabel(0, 0, 1)


class Watched(NamedTuple):
    value: np.ndarray
    times: np.ndarray
    """How often each factor was examined."""


@kernel
def count(table, state, move):
    return table.value.size


@kernel
def emit(table, state, move, k, delta):
    table.times[k] += 1
    return push(delta, 0, table.value[k])


def watched(values, bound=None):
    values = np.asarray(values, float)
    table = Watched(values, np.zeros(values.size, np.int64))
    limit = None if bound is None else (lambda w: bound)
    return Template("watched", Labels, ("sum",), np.ones(1), count, emit, table, bound=limit)


class Bench:
    """An estimator over one counted template, called directly."""

    def __init__(self, estimator, values=(0.0,), bound=None):
        self.estimator = estimator
        engine, _ = build_engine(Model(watched(values, bound)), estimator)
        estimate = engine.estimate

        @entry
        def called(rng, context, state, move, listening):
            for delta in context.deltas:
                record(delta, listening)
            return estimate(rng, context, state, move)

        self._called = called
        self.give(values, bound)

    def give(self, values, bound=None):
        self.model = Model(watched(values, bound))
        self.context = new_context(self.model, self.estimator, STATE, self.model.weights)
        return self

    def estimate(self, seed=0, listening=0):
        """Return the estimate, and how often each factor was examined."""
        table, status = self.context.tables[0], self.context.status
        table.times[:] = 0
        status[EXAMINED] = 0
        delta = self.context.deltas[0]
        delta.change[:] = 0.0
        rng = np.random.default_rng(seed)
        score = self._called(rng, self.context, STATE, MOVE, listening)
        return score, table.times.copy()

    @property
    def examined(self):
        return int(self.context.status[EXAMINED])

    @property
    def change(self):
        return float(self.context.deltas[0].change[0])

    def tidy(self):
        """Return whether the deck is in order and the scale is 1 again."""
        cards = self.context.deck[0]
        return cards.tolist() == list(range(cards.size)) and self.context.deltas[0].scale[0] == 1.0
