import numpy as np
import pytest

from partita.errors import InputError, ModelError
from partita.factors import Model, affinity, unary
from partita.learning import (
    Instance,
    hamming,
    mira,
    own_objective,
    pair_accuracy,
    perceptron,
    persistent_cd,
    samplerank_svm,
    train,
)
from partita.proposals import flip, move_to_entity
from partita.states import Labels, Partition


def documents(n=6, seed=0):
    """Generate documents whose mentions of one entity are similar."""
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(n):
        truth = np.array([0, 0, 0, 1, 1])
        pairs = np.array([[i, j] for i in range(5) for j in range(i)])
        same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
        values = np.column_stack([same + 0.3 * rng.normal(size=10), np.ones(10)])
        model = Model(affinity(pairs, values, 5, features=("alike", "pair")))
        start = Partition.singletons(5)
        made.append(Instance(model, start, pair_accuracy(truth), move_to_entity()))
    return made


@pytest.mark.parametrize("restart", ["truth", "singletons", "start", "never"])
def test_weights_are_learned_from_all_documents(restart):
    found = train(documents(), mira(), epochs=4, steps=60, restart=restart, random_seed=1)
    assert found.features == ["affinity.alike", "affinity.pair"]
    named = found.named()
    assert named["affinity.alike"] > 0 > named["affinity.pair"]
    assert found.steps == 6 * 4 * 60 >= found.preferred >= found.updates > 0


@pytest.mark.parametrize("learner", [samplerank_svm(0.1), persistent_cd(0.1)])
def test_persistent_learners_remember_each_chain_s_way(learner):
    """Two documents in turn keep separate distances from the truth."""
    at_truth = [
        Instance(one.model, one.objective.right(one.start), one.objective, one.proposal)
        for one in documents(2)
    ]
    kept = train(at_truth, learner, epochs=3, steps=20, restart="never", random_seed=1)
    assert np.isfinite(kept.weights).all() and np.abs(kept.weights).max() < 100


def test_the_same_seed_learns_the_same_on_any_number_of_cores():
    def run(seed, cores, parts=2):
        return train(
            documents(), mira(), epochs=3, steps=30, random_seed=seed, cores=cores, parts=parts
        ).weights

    assert np.array_equal(run(1, 1), run(1, 2))
    assert not np.array_equal(run(1, 1), run(2, 1))
    assert not np.array_equal(run(1, 1), run(1, 1, parts=1))


@pytest.mark.interpreted
def test_l2_pulls_to_zero_and_rates_shorten_steps():
    def size(**options):
        found = train(documents(), perceptron(), epochs=3, steps=30, random_seed=1, **options)
        return np.linalg.norm(found.weights)

    assert size(l2=0.01) < size()
    assert size(rate=[1.0, 0.01]) < size()


def test_known_weights_rank_states_as_before():
    """SampleRank on labels drawn from a model ranks them as the model does."""
    rng = np.random.default_rng(2)
    seen = rng.normal(size=(3000, 2))
    known = np.array([1.5, -1.0])
    truth = (seen @ known + rng.logistic(size=3000) * 0.1 > 0).astype(int)
    one = Instance(Model(unary(seen, 2)), Labels.of(truth, 2), hamming(truth), flip())
    found = train(one, mira(0.1), epochs=10, restart="never", random_seed=1)
    off, on = found.weights.reshape(2, 2)
    learned = on - off
    cosine = learned @ known / np.linalg.norm(learned) / np.linalg.norm(known)
    assert cosine > 0.995


def zero(data, state, move):
    return 0.0


def wrong(**changes):
    one = documents(1)[0]
    given = {"model": one.model, "start": one.start, "objective": one.objective}
    return Instance(**{**given, "proposal": one.proposal, **changes})


@pytest.mark.interpreted
@pytest.mark.parametrize(
    ("instances", "options", "words"),
    [
        ([], {}, "no training instances"),
        ([3], {}, "3 is not an instance"),
        (documents(1), {"restart": "home"}, "restart is 'home'"),
        (documents(1), {"epochs": 0}, "epochs is 0"),
        (documents(1), {"l2": -1}, "l2 is -1"),
        (documents(1), {"settle": 1.0}, "settle is 1.0"),
        ([wrong(objective=own_objective(zero))], {}, "never preferred a side"),
        ([wrong(objective=own_objective(zero))], {"restart": "truth"}, "does not define"),
        ([wrong(objective=hamming([0, 1]))], {}, "give all three the same"),
        ([wrong(proposal=flip())], {}, "give all three the same"),
        ([wrong(objective=pair_accuracy([0, 1]))], {}, "2 true labels but the start has 5"),
        (
            [*documents(1), wrong(model=Model(affinity([[0, 1]], [[1.0]], 5)))],
            {},
            "instance 1 has other features",
        ),
        (
            [wrong(model=Model(affinity([[0, 1]], [[0.0]], 5)))],
            {"steps": 50},
            "every feature is constant",
        ),
    ],
)
def test_what_cannot_be_learned(instances, options, words):
    with pytest.raises((InputError, ModelError), match=words):
        train(instances, mira() if "constant" not in words else perceptron(), **options)


def test_singletons_are_for_partitions():
    one = Instance(Model(unary(np.eye(2), 2)), Labels.of([0, 1], 2), hamming([0, 1]), flip())
    with pytest.raises(InputError, match="only partitions have"):
        train(one, mira(), restart="singletons")
    with pytest.raises(ModelError, match="is not a learner"):
        train(one, mira)
