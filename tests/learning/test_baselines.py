"""Baselines by hand, and the limits in which they agree with what they approximate."""

import numpy as np
import pytest

from partita.errors import InputError
from partita.estimators import exact
from partita.factors import Model, affinity, unary
from partita.kernel import NoTable, kernel
from partita.learning import (
    Instance,
    build_training_spec,
    contrastive_divergence,
    hamming,
    pair_accuracy,
    persistent_cd,
    samplerank_svm,
    svm_1,
    train,
)
from partita.proposals import flip, gibbs_label, move_to_entity, simple
from partita.states import Labels, Partition, Regroup
from partita.walks import total_statistics
from tests.walks.chains import chain_of

TRUTH = [0, 0, 1, 1]
PAIRS, VALUES = [[0, 1], [2, 3], [0, 2]], [[1.0, 0.0], [2.0, 1.0], [0.0, 3.0]]


def student(learner, targets, weights=0.0):
    """A chain from the truth with fixed moves: mention 2 and then 3 to the entity of 0."""
    first, second = targets

    @kernel
    def draw(rng, proposal_table, state):
        i = first if state.entity[first] != state.entity[0] else second
        return Regroup(i, state.entity[i], state.entity[0], 1), 100.0

    model = Model(affinity(PAIRS, VALUES, 4, features=("a", "b"), weights=weights))
    proposal = simple("fixed", Partition, draw, NoTable())
    training_spec = build_training_spec(learner, pair_accuracy(TRUTH))
    return chain_of(model, Partition.of(TRUTH), proposal, training_spec=training_spec)


def test_samplerank_svm_sums_the_way_from_the_truth():
    # 2 leaves 3 for 0: delta = -(2, 1) + (0, 3) = (-2, 2); pairs: -1 right, -2 wrong: gain -3
    chain = student(samplerank_svm(0.1), (2, 3))
    chain.run(1)
    assert chain.weights == pytest.approx([0.2, -0.2])
    # 3 follows: delta = (2, 1), gain -2 + 1 = -1; so far (0, 3) from the truth and 4 lost;
    # w . (truth - y) = 0.6 < 4: step 0.1 * (0, -3)
    chain.run(1)
    assert chain.weights == pytest.approx([0.2, -0.5])
    assert chain.learner_state.memory.far == pytest.approx([0.0, 3.0])
    assert chain.learner_state.memory.lost[0] == -4.0


def test_the_0_1_loss_asks_for_a_margin_of_1():
    # w . (truth - y) = 2 * 0.5 + 2 * 0.3 = 1.6: enough for 0-1, not for a loss of 3
    weights = [0.5, -0.3]
    content = student(samplerank_svm(0.1, loss="0-1"), (2, 3), weights)
    content.run(1)
    assert content.weights.tolist() == weights
    asking = student(samplerank_svm(0.1), (2, 3), weights)
    asking.run(1)
    assert asking.weights == pytest.approx([0.7, -0.5])


def test_svm_1_and_cd_1_stay_at_the_truth():
    for learner in (svm_1(0.1), contrastive_divergence(0.1)):
        chain = student(learner, (2, 3))
        chain.run(1)
        assert chain.weights == pytest.approx([0.2, -0.2])
        assert chain.state.entity.tolist() == Partition.of(TRUTH).entity.tolist()
        chain.run(5)
        assert chain.state.entity.tolist() == Partition.of(TRUTH).entity.tolist()


def test_svm_1_stops_at_the_margin_and_cd_1_does_not():
    weights = [2.0, -2.0]
    still, restless = (
        student(svm_1(0.1), (2, 3), weights),
        student(contrastive_divergence(0.1), (2, 3), weights),
    )
    still.run(3)
    restless.run(3)
    assert still.weights.tolist() == weights
    assert restless.weights == pytest.approx([2.6, -2.6])


def test_persistent_cd_pays_for_every_state():
    chain = student(persistent_cd(0.1), (2, 3))
    chain.run(1)
    assert chain.weights.tolist() == [0.0, 0.0]
    chain.run(1)
    # the state after the first move, (-2, 2) from the truth
    assert chain.weights == pytest.approx([0.2, -0.2])


def test_the_way_is_the_difference_of_statistics():
    rng = np.random.default_rng(0)
    model = Model(affinity(PAIRS, VALUES, 4, features=("a", "b")))
    training_spec = build_training_spec(samplerank_svm(0.01), pair_accuracy(TRUTH))
    chain = chain_of(model, Partition.of(TRUTH), move_to_entity(), training_spec=training_spec)
    chain.run(int(rng.integers(50, 90)))
    far = total_statistics(model, exact(), chain.compiled, chain.state)
    far -= total_statistics(model, exact(), chain.compiled, Partition.of(TRUTH))
    np.testing.assert_allclose(chain.learner_state.memory.far, far, atol=1e-12)


@pytest.mark.compiled
def test_persistent_cd_recovers_known_weights():
    """Labels drawn from known weights give them back, whether chains flip or draw by Gibbs."""
    rng = np.random.default_rng(5)
    seen = rng.normal(size=(4000, 2))
    known = np.array([0.8, -0.5])
    truth = (rng.random(4000) < 1 / (1 + np.exp(-seen @ known))).astype(int)
    for proposal in (flip(), gibbs_label()):
        one = Instance(Model(unary(seen, 2)), Labels.of(truth, 2), hamming(truth), proposal)
        found = train(
            one,
            persistent_cd(5e-6),
            epochs=80,
            restart="never",
            settle=0.5,
            random_seed=1,
        )
        off, on = found.weights.reshape(2, 2)
        assert on - off == pytest.approx(known, abs=0.12)


def test_losses_that_are_none():
    with pytest.raises(InputError, match="loss is 'hinge'"):
        samplerank_svm(loss="hinge")
