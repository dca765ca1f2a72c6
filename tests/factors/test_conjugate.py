import numpy as np
import pytest

from partita.errors import InputError, ModelError
from partita.factors import Model, bernoulli, conjugate, entity_cost, ewens
from partita.factors.conjugate import build_clusters
from partita.kernel import entry
from partita.states import Partition
from tests.factors.probe import Probe
from tests.laws import naive

BITS = np.array([[0, 1], [0, 1], [1, 1], [1, 0]])
OTHER = np.array([[0], [1], [1], [1]])


def test_kernels_on_rows_sum_over_templates_with_their_weights():
    probe = Probe(
        conjugate(bernoulli(BITS)), entity_cost(0.1), conjugate(bernoulli(OTHER), weight=0.5)
    ).start(Partition.of([0, 0, 1, 1]))
    found = build_clusters(probe.model.templates)
    clear, add, gain = found.clear, found.add, found.gain
    total, kept, joint = found.total, found.kept, found.joint

    @entry
    def ask(context):
        clear(context, 7)
        add(context, 7, 2, 1.0)
        first = gain(context, 7, 3)
        add(context, 7, 3, 1.0)
        return first, total(context, 7), kept(context, 1), joint(context, 0, 1)

    def score(members):
        one, two = naive.columns(BITS, [2, 2], 1.0), naive.columns(OTHER, [2], 1.0)
        # from a state of singletons: the twins score whole partitions
        apart = np.array([9, 8, 7, 6])
        apart[members] = 0
        alone = [k for k in range(4) if k not in members]
        rest = sum(0.0 for _ in alone)
        whole = one(apart)[0] + 0.5 * two(apart)[0] + rest
        return whole - sum(score_one(k) for k in alone)

    def score_one(k):
        return -2 * np.log(2) - 0.5 * np.log(2)

    first, both, entity, everything = ask(probe.context)
    assert both == pytest.approx(score([2, 3]))
    assert entity == pytest.approx(score([2, 3]))
    assert first == pytest.approx(score([2, 3]) - score_one(2))
    assert everything == pytest.approx(score([0, 1, 2, 3]))


def test_a_model_without_clusters_has_none():
    assert build_clusters(Model(ewens(1.0)).templates) is None


def test_what_is_no_component():
    with pytest.raises(ModelError, match="is not a component; give one, such as bernoulli"):
        conjugate([[0, 1]])


def test_the_start_must_fit():
    with pytest.raises(InputError, match="built for 4 mentions but the start has 3"):
        Model(conjugate(bernoulli(BITS))).check(Partition.singletons(3))
