import numpy as np
import pytest

from partita import factors
from partita.factors import Model, affinity, agreement, entity_cost, ewens, similarity, unary
from partita.states import Partition

PAIRS = [[0, 1], [1, 2]]


def test_features_are_named_by_template():
    model = Model(affinity(PAIRS, [[1.0, 2.0]] * 2, 3, features=("a", "b")), entity_cost(2.0))
    assert model.features == ["affinity.a", "affinity.b", "entity.count"]
    assert model.named() == {"affinity.a": 1.0, "affinity.b": 1.0, "entity.count": -2.0}
    assert model.widths == [2, 1]
    assert repr(model) == "Model of Partition: affinity (2), entity (1)"


def test_templates_of_one_name_are_numbered():
    model = Model(entity_cost(1.0), entity_cost(2.0), entity_cost(3.0), entity_cost(1, name="x"))
    assert model.names == ["entity", "entity2", "entity3", "x"]
    assert model.weight("entity3.count") == -3.0


def test_weights_by_name_and_by_vector():
    model = Model(ewens(1.0), weights={"ewens.entities": -0.5})
    assert model.weights.tolist() == [-0.5, 1.0]
    assert model.set_weights({"ewens.log_factorials": 2}) is model
    assert model.weights.tolist() == [-0.5, 2.0]
    given = np.array([3.0, 4.0])
    model.set_weights(given)
    given[0] = 9.0
    assert model.weights.tolist() == [3.0, 4.0]


def test_a_refused_weight_changes_nothing():
    model = Model(ewens(1.0))
    with pytest.raises(ValueError, match="no feature"):
        model.set_weights({"ewens.entities": 7.0, "nothing": 1.0})
    assert model.weights.tolist() == [0.0, 1.0]


def test_templates_keep_their_own_weights():
    template = ewens(1.0)
    Model(template).set_weights([5.0, 5.0])
    assert template.weights.tolist() == [0.0, 1.0]


def test_chains_have_caches_of_their_own():
    model = Model(affinity(PAIRS, [1.0, 1.0], 3), agreement({"a": [0, 1, 1]}))
    state = Partition.singletons(3)
    first, second = model.tables(state), model.tables(state)
    assert first[0].value is second[0].value
    assert not np.shares_memory(first[1].bags.mass, second[1].bags.mass)


def test_bounds_follow_the_weights():
    model = Model(affinity(PAIRS, [1.0, -3.0], 3), similarity(lambda d, i, j: 1.0, 0.0, 3))
    assert model.bounds().tolist() == [3.0, np.inf]
    assert model.set_weights([0.5, 1.0]).bounds().tolist() == [1.5, np.inf]
    assert Model(unary(np.ones((2, 1)), 2, weights=[[1.0], [4.0]])).bounds().tolist() == [3.0]


def test_a_fitting_start_passes():
    assert Model(affinity(PAIRS, [1.0, 1.0], 3)).check(Partition.singletons(3)) is None


@pytest.mark.parametrize(("old", "new"), factors.RENAMED.items())
def test_old_public_names_warn_and_load_their_successor(old, new):
    with pytest.warns(DeprecationWarning, match=f"is now {new}"):
        assert getattr(factors, old) is getattr(factors, new)
