import inspect
import sys

import numpy as np
import pytest

from partita import sample
from partita.errors import InputError, ModelError
from partita.estimators import minibatch
from partita.factors import Model, affinity, unary
from partita.posterior import Posterior
from partita.states import Labels, Partition
from partita.walks import Settings
from tests.walks.small import PAIRS, VALUES, N, clusters, run


def test_defaults_by_kind_of_state():
    assert run(draws=2).run.proposal == "move_to_entity"
    labels = run(Model(unary(np.eye(2), 2)), Labels.of([0, 1], 2), draws=2)
    assert labels.run.proposal == "flip"
    assert labels.run.estimator == "exact"
    assert isinstance(labels, Posterior)


def test_one_mention_and_one_variable():
    alone = run(Model(affinity([], [], 1)), Partition.singletons(1), draws=5)
    assert alone.draws.tolist() == [[[0]] * 5] * 2
    assert alone.entities() == {"mean": 1.0, "low": 1.0, "high": 1.0}
    assert alone.point().entity.tolist() == [0]
    fixed = run(Model(unary([[1.0]], 2)), Labels.of([0], 1), draws=5)
    assert fixed.marginals().tolist() == [[1.0]]


def test_settings_of_the_shell_have_the_same_defaults():
    names = inspect.signature(sample).parameters
    renamed = {"random_seed": "seed"}
    for name, parameter in names.items():
        field = renamed.get(name, name)
        if hasattr(Settings, field) and parameter.default is not inspect.Parameter.empty:
            assert getattr(Settings, field) == parameter.default, name


def test_a_fixed_temperature_flattens_the_posterior():
    # at a high temperature all 52 partitions are alike
    hot = run(temperature=1e6, draws=3000)
    seen = {tuple(row) for row in hot.draws.reshape(-1, N).tolist()}
    assert len(seen) == 52
    cold = run(temperature=0.02, draws=200, tune=200)
    assert (cold.draws[:, -1] == cold.map().entity).all()


def test_a_changing_temperature_is_for_searches():
    with pytest.raises(InputError, match=r"a changing temperature .* mode='map'"):
        run(temperature=[1.0, 0.5])
    found = run(mode="map", temperature=lambda progress: 1.0 - 0.9 * progress, draws=30)
    assert found.mode == "map"


def test_the_minibatch_test_holds_at_temperature_one():
    weak = Model(affinity(PAIRS, 0.1 * VALUES, N))
    assert run(weak, estimator=minibatch(), draws=5).run.exact
    with pytest.raises(InputError, match=r"minibatch\(0\) is exact at temperature 1 only"):
        run(weak, estimator=minibatch(), temperature=2.0)


def test_a_state_without_a_default_needs_a_proposal(monkeypatch):
    # the package's attribute of this name is the function
    monkeypatch.setattr(sys.modules["partita.posterior.sample"], "DEFAULTS", {})
    with pytest.raises(ModelError, match="no default proposal for Partition"):
        sample(clusters(), Partition.singletons(N))
