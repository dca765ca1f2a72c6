import numpy as np
import pytest

from partita import sample
from partita.errors import ModelError
from partita.factors import Model, affinity, unary
from partita.kernel import deltas, entry, kernel, push, record
from partita.learning import build_training_spec, hamming, mira, pair_accuracy, perceptron
from partita.proposals import move_to_entity, simple
from partita.proposals.proposal import NoTable
from partita.states import Labels, Partition, Regroup
from tests.walks.chains import chain_of

# four mentions: 0 1 are one entity and 2 3 another; two features of each pair
TRUTH = [0, 0, 1, 1]
PAIRS = [[0, 1], [2, 3], [0, 2]]
VALUES = [[1.0, 0.0], [2.0, 1.0], [0.0, 3.0]]


def model(weights=0.0):
    return Model(affinity(PAIRS, VALUES, 4, features=("a", "b"), weights=weights))


def student(learner, move, weights=0.0, start=(0, 1, 2, 3)):
    """A chain whose only proposal is one fixed move, given by its mention and target."""
    mention, target = move

    @kernel
    def draw(rng, proposal_table, state):
        return Regroup(mention, state.entity[mention], state.entity[target], 1), 0.0

    proposal = simple("fixed", Partition, draw, NoTable())
    training_spec = build_training_spec(learner, pair_accuracy(TRUTH))
    return chain_of(
        model(weights), Partition.of(list(start)), proposal, training_spec=training_spec
    )


# ---- one step by hand


def test_perceptron_moves_along_the_change_that_the_truth_prefers():
    # joining 3 and 2: delta = (2, 1), score 0, gain +1 -> w = 0.5 (2, 1)
    chain = student(perceptron(0.5), (3, 2))
    chain.run(1)
    assert chain.weights.tolist() == [1.0, 0.5]
    # the model's own weights are left alone
    assert chain.model.weights.tolist() == [0.0, 0.0]


@pytest.mark.interpreted
def test_perceptron_moves_away_from_what_the_truth_refuses():
    # joining 2 and 0: delta = (0, 3), score 0, gain -1 -> w = -(0, 3)
    chain = student(perceptron(), (2, 0))
    chain.run(1)
    assert chain.weights.tolist() == [0.0, -3.0]


def test_perceptron_is_content_with_the_right_sign():
    # joining 3 and 2 scores 0.1 * 2 + 0.1 > 0, as the truth has it
    chain = student(perceptron(), (3, 2), weights=[0.1, 0.1])
    chain.run(1)
    assert chain.weights.tolist() == [0.1, 0.1]


@pytest.mark.interpreted
def test_perceptron_corrects_the_wrong_sign():
    # joining 1 and 0: delta = (1, 0), score -2, gain +1 -> w = (-2 + 1, 0)
    chain = student(perceptron(), (1, 0), weights=[-2.0, 0.0])
    chain.run(1)
    assert chain.weights.tolist() == [-1.0, 0.0]


@pytest.mark.interpreted
def test_algorithm_1_asks_for_the_objective_s_margin():
    # joining 3 and 2: delta = (2, 1), score 0.3 < gain 1 -> line 10: w += 0.5 (2, 1)
    chain = student(perceptron(0.5, margin=1.0), (3, 2), weights=[0.1, 0.1])
    chain.run(1)
    assert chain.weights == pytest.approx([1.1, 0.6])
    # 3 leaves 2 for 0: delta = -(2, 1), gain -2, score -1.5: the truth is not 2 ahead
    chain = student(perceptron(0.5, margin=1.0), (3, 0), weights=[0.5, 0.5], start=(0, 1, 2, 2))
    chain.run(1)
    assert chain.weights == pytest.approx([1.5, 1.0])


@pytest.mark.interpreted
def test_mira_takes_the_smallest_step_to_the_margin():
    # joining 3 and 2: delta = (2, 1), |delta|^2 = 5, score 0.5, gain 1
    # step = (1 - 0.5) / 5 = 0.1 -> w = (0.25, 0) + 0.1 (2, 1), where the score is 1 = the margin
    chain = student(mira(), (3, 2), weights=[0.25, 0.0])
    chain.run(1)
    assert chain.weights == pytest.approx([0.45, 0.1])
    assert chain.weights @ [2.0, 1.0] == pytest.approx(1.0)


@pytest.mark.interpreted
def test_mira_steps_back_from_what_the_truth_refuses():
    # joining 2 and 0: delta = (0, 3), score 0, gain -1; step = -1/9 -> w = (0, -1/3)
    chain = student(mira(), (2, 0))
    chain.run(1)
    assert chain.weights == pytest.approx([0.0, -1 / 3])


@pytest.mark.interpreted
def test_mira_is_capped():
    chain = student(mira(0.05), (3, 2))
    chain.run(1)
    assert chain.weights == pytest.approx([0.1, 0.05])


def test_mira_is_content_beyond_the_margin():
    # score 2 >= gain 1
    chain = student(mira(), (3, 2), weights=[1.0, 0.0])
    chain.run(1)
    assert chain.weights.tolist() == [1.0, 0.0]


@pytest.mark.interpreted
def test_margins_count_all_pairs_put_right():
    # all in one entity: taking 3 out parts it from 0 and 1 (right) and from 2 (wrong): gain +1;
    # delta = -(2, 1), so w = (0, 0) moves to -(2, 1) / 5
    chain = student(mira(), (3, 3), start=(0, 0, 0, 0))
    # the move to its own entity is idle: nothing is learned
    chain.run(3)
    assert chain.weights.tolist() == [0.0, 0.0]
    chain = student(mira(), (3, 0), start=(0, 1, 2, 2))
    # 3 leaves 2 for 0: one pair split wrongly, one merged wrongly: gain -2, delta = -(2, 1)
    chain.run(1)
    assert chain.weights == pytest.approx([2 * 2 / 5, 2 * 1 / 5])


# ---- whole runs


def test_weights_rank_the_truth_above_its_neighbours():
    learned = sample(
        model(),
        Partition.singletons(4),
        proposal=move_to_entity(),
        learner=perceptron(),
        objective=pair_accuracy(TRUTH),
        draws=50,
        tune=0,
        chains=2,
        random_seed=3,
        progressbar=False,
    )
    assert len(learned.weights) == 2
    for weights in learned.weights:
        first, second = weights
        # the true partition beats all that differ by one mention
        assert first > 0
        assert 2 * first + second > 0
        assert second < 0


def test_labels_are_learned_from_observations():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 60)
    seen = np.eye(3)[truth] + 0.3 * rng.normal(size=(60, 3))
    learned = sample(
        Model(unary(seen, 3)),
        Labels.of(np.zeros(60, int), 3),
        learner=mira(),
        objective=hamming(truth),
        draws=100,
        tune=0,
        chains=1,
        random_seed=1,
        progressbar=False,
    )
    guessed = (seen @ learned.weights[0].reshape(3, 3).T).argmax(1)
    assert (guessed == truth).mean() > 0.95


def test_chains_learn_apart_and_the_same_seed_learns_the_same():
    def run(seed, cores):
        return sample(
            model(),
            Partition.singletons(4),
            learner=mira(),
            objective=pair_accuracy(TRUTH),
            draws=5,
            tune=0,
            thin=3,
            chains=2,
            cores=cores,
            random_seed=seed,
            progressbar=False,
        )

    first, again, other = run(1, 1), run(1, 2), run(2, 1)
    assert np.array_equal(first.weights, again.weights)
    assert not np.array_equal(first.weights[0], first.weights[1])
    assert not np.array_equal(first.weights, other.weights)
    # traces are scored by the weights that the chain has at that moment
    assert first.run.chains[0].traces["log_score"] != [0.0] * 5


# ---- errors


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"learner": perceptron()}, "without an objective; give both"),
        ({"objective": pair_accuracy(TRUTH)}, "without a learner; give both"),
        ({"learner": perceptron(), "objective": TRUTH}, "is not an objective"),
        ({"learner": perceptron, "objective": pair_accuracy(TRUTH)}, "is not a learner"),
        ({"learner": perceptron(), "objective": hamming(TRUTH)}, "judges Labels"),
    ],
)
def test_what_cannot_be_taught(settings, words):
    with pytest.raises(ModelError, match=words):
        sample(model(), Partition.singletons(4), progressbar=False, **settings)


# ---- the arithmetic of steps


@entry
def taught(learn_deltas, feature, value):
    for delta in learn_deltas:
        record(delta, 1)
        push(delta, feature, value)
    return 0


def test_changes_are_recorded_once_per_feature():
    parts = deltas(np.zeros(3), [3], np.zeros(4, np.int64))
    taught(parts, 1, 2.0)
    taught(parts, 1, 0.5)
    assert parts[0].change.tolist() == [0.0, 2.5, 0.0]
    assert parts[0].note[0] == 1
