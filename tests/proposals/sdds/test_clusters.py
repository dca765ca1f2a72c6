import numpy as np
import pytest

from partita.errors import ModelError
from partita.factors import Model, ewens
from partita.kernel import entry
from partita.proposals import sdds, smart_smart
from partita.proposals.sdds.clusters import normalise, pick, sort, workspace
from partita.states import Partition
from tests.walks.chains import chain_of


@entry
def sorted_first(table, count):
    sort(table, count)


@entry
def picked(rng, weight, count):
    total = normalise(weight, count)
    return total, pick(rng, weight, count)


@pytest.mark.parametrize(("n", "count"), [(40, 30), (2000, 25), (2000, 100), (10, 1)])
def test_sort_both_by_marking_and_by_shell(n, count):
    table = workspace(None, Partition.singletons(n))
    rng = np.random.default_rng(n)
    values = rng.permutation(n)[:count]
    table.sequence[:count] = values
    sorted_first(table, count)
    assert table.sequence[:count].tolist() == sorted(values.tolist())
    assert not table.mark.any()


def test_pick_in_proportion_to_the_weights():
    seen = np.zeros(4)
    rng = np.random.default_rng(1)
    for _ in range(4000):
        weight = np.array([-700.0, -701.0, -np.inf, -700.0])
        total, chosen = picked(rng, weight, 4)
        seen[chosen] += 1
    assert total == pytest.approx(-700 + np.log(2 + np.exp(-1)))
    expected = np.array([1.0, np.exp(-1), 0.0, 1.0]) / (2 + np.exp(-1))
    np.testing.assert_allclose(seen / seen.sum(), expected, atol=0.03)


@pytest.mark.parametrize("proposal", [sdds(), smart_smart()])
def test_a_model_without_clusters_is_refused(proposal):
    with pytest.raises(ModelError, match="no template of the model has their statistics"):
        chain_of(Model(ewens(1.0)), Partition.singletons(3), proposal)
