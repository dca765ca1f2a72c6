"""A small model that most tests of walks share, so that it is compiled once."""

import numpy as np

from partita import sample
from partita.factors import Model, affinity, ewens
from partita.states import Partition

N = 5
PAIRS = [[i, j] for i in range(N) for j in range(i)]
VALUES = np.random.default_rng(12).normal(size=len(PAIRS))


def clusters(alpha=1.0, scale=1.0):
    return Model(affinity(PAIRS, scale * VALUES, N), ewens(alpha))


def run(model=None, start=None, **settings):
    given = {"draws": 30, "tune": 5, "chains": 2, "random_seed": 7, "progressbar": False}
    model = model if model is not None else clusters()
    return sample(model, Partition.singletons(N) if start is None else start, **given | settings)


def same(a, b):
    """Whether two runs have the same draws, traces, counters and end states, bit for bit."""
    for x, y in zip(a.run.chains, b.run.chains, strict=True):
        assert np.array_equal(x.draws, y.draws)
        assert x.traces == y.traces
        assert x.parameters.keys() == y.parameters.keys()
        for name, values in x.parameters.items():
            np.testing.assert_array_equal(values, y.parameters[name])
        assert (x.steps, x.examined, x.best_score) == (y.steps, y.examined, y.best_score)
        assert np.array_equal(x.best, y.best)
        assert np.array_equal(x.tally, y.tally)
        assert np.array_equal(x.weights, y.weights)
        assert np.array_equal(x.state.entity, y.state.entity)
    return True
