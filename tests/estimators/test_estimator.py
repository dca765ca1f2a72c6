import numpy as np
import pytest

from partita.estimators import build_estimate, confidence, exact, minibatch, scheduled, uniform
from partita.factors import Model, affinity, entity_cost, ewens
from partita.kernel import entry
from partita.states import Partition, Regroup
from partita.walks.chain import new_context

PAIRS = [[0, 1], [1, 2], [0, 2]]


def test_the_fold_adds_all_templates():
    model = Model(affinity(PAIRS, [1.0, 10.0, 100.0], 3), entity_cost(0.25), ewens(1.0))
    estimate = build_estimate(exact(), model)

    @entry
    def priced(rng, context, state, move):
        return estimate(rng, context, state, move)

    state = Partition.of([0, 0, 1])
    context = new_context(model, exact(), state, model.weights)
    # 2 joins 0 and 1: both its pairs, one entity fewer, log 2! - log 1! of the other
    found = priced(np.random.default_rng(0), context, state, Regroup(2, 1, 0, 1))
    assert found == pytest.approx(110.0 + 0.25 + np.log(2))


@pytest.mark.parametrize(
    ("estimator", "name", "is_exact", "learns", "unit"),
    [
        (exact(), "exact", True, True, False),
        (uniform(0.25), "uniform(0.25)", False, True, False),
        (uniform(1.0), "uniform(1)", True, True, False),
        (confidence(0.5), "confidence(0.5)", False, True, False),
        (scheduled(0.2, 1.0), "scheduled(0.2..1)", True, True, False),
        (scheduled(0.2, 0.5), "scheduled(0.2..0.5)", False, True, False),
        (minibatch(), "minibatch(0)", True, False, True),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_every_estimator_declares_its_properties(estimator, name, is_exact, learns, unit):
    found = (estimator.name, estimator.exact, estimator.learns, estimator.unit_temperature)
    assert found == (name, is_exact, learns, unit)


def test_declared_errors():
    assert exact().error(50, 3.0) == 0.0
    assert minibatch().error(50, 3.0) == 0.0
    assert uniform(1.0).error(50, 3.0) == 0.0
    # |F| s sqrt((F - m) / (F - 1) / m): 10 factors, 5 examined, spread 0.01
    assert uniform(0.5).error(10, 0.01) == pytest.approx(10 * 0.01 * np.sqrt(5 / 9 / 5))
    assert uniform(0.1).error(1000, 5.0) == 1.0
    assert uniform(0.5).error(1, 5.0) == 0.0
    assert scheduled(0.1, 1.0).error(10, 1.0) == 0.0
    assert confidence(0.1).error(10, 0.0) == pytest.approx(10 * 0.1 / 3.92)
