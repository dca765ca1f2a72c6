"""Semi-supervised objectives against naive twins, and their laws (CDRANK)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.errors import InputError, ModelError
from partita.estimators import exact
from partita.factors import Model, affinity, pairwise, potential, unary
from partita.learning import (
    Instance,
    build_training_spec,
    hamming,
    mira,
    perceptron,
    semi_supervised,
    train,
)
from partita.proposals import flip
from partita.states import Labels, Relabel, space_of
from partita.walks import compile_chain, total_score
from tests.walks.chains import chain_of

# kernels of this test would take the compiler longer than the walk takes in plain Python
pytestmark = pytest.mark.interpreted

LABELS = 3
EDGES = np.array([[0, 1], [1, 2], [2, 3], [3, 4]])
REWARD = np.array([[1.0, -1.0, -1.0], [-1.0, 1.0, 1.0]])
FIRES = np.array([[1, 0], [0, 0], [0, 1], [1, 1], [0, 0]])
CHANGE = -0.5 * (1 - np.eye(LABELS))


def constraints():
    """Two token rules, a penalty for each change of label, and a reward for equal ends."""
    return Model(
        unary(FIRES, LABELS, weights=REWARD.T, name="rules"),
        pairwise(EDGES, LABELS, weights=CHANGE, name="changes"),
        potential(lambda data, k, values: 1.0 * (values[0] == values[1]), [[0, 4]], name="ends"),
    )


def constraint_score(label):
    """Score a labeling by the definition: sum of strength * (satisfied or violated)."""
    tokens = sum(FIRES[v] @ REWARD[:, y] for v, y in enumerate(label))
    changes = sum(CHANGE[label[a], label[b]] for a, b in EDGES)
    return tokens + changes + float(label[0] == label[4])


def objective_value(label, truth, guess, strength, with_constraints):
    """Score a labeling of variables of which `truth` labels some; the twin of one objective."""
    total = 0.0
    for v, y in enumerate(label):
        reference = truth[v] if truth[v] >= 0 else guess[v]
        total += float(reference == y)
    return total + (strength * constraint_score(label) if with_constraints else 0.0)


def judged(objective, state, move, score=0.0):
    """Return the gain that a learner sees, for a chain at this state."""
    knowledge = objective.begin(objective.truth, state)
    gain = objective.gain(knowledge, state, move)
    return objective.judge(knowledge, state, move, score, gain) if objective.judge else gain


@pytest.mark.parametrize("name", ["self", "cons", "self+cons"])
@given(st.integers(0, 10**6))
def test_the_gain_is_the_change_of_the_objective(name, seed):
    rng = np.random.default_rng(seed)
    truth = np.array([0, -1, -1, -1, -1])
    guess = rng.integers(-1, LABELS, 5) if "self" in name else np.full(5, -1)
    options = {"guess": guess} if "self" in name else {}
    if "cons" in name:
        options |= {"constraints": constraints(), "strength": 2.5}
    objective = semi_supervised(truth, **options)
    label = rng.integers(0, LABELS, 5)
    for v in range(1, 5):
        new = int(rng.integers(LABELS))
        changed = label.copy()
        changed[v] = new
        sides = [
            objective_value(row, truth, guess, 2.5, "cons" in name) for row in (label, changed)
        ]
        gain = judged(objective, Labels.of(label, LABELS), Relabel(v, int(label[v]), new))
        assert gain == pytest.approx(sides[1] - sides[0], abs=1e-9)


@given(st.integers(0, 10**6), st.floats(-9, 9))
def test_model_and_constraints_rank_by_their_sum(seed, score):
    rng = np.random.default_rng(seed)
    objective = semi_supervised(np.full(5, -1), constraints=constraints(), model_score=True)
    label = rng.integers(0, LABELS, 5)
    v, new = int(rng.integers(5)), int(rng.integers(LABELS))
    changed = label.copy()
    changed[v] = new
    gain = constraint_score(changed) - constraint_score(label)
    seen = judged(objective, Labels.of(label, LABELS), Relabel(v, int(label[v]), new), score)
    if abs(gain) < 1e-12:
        assert seen == pytest.approx(0.0, abs=1e-12)
    else:
        assert np.sign(seen) == np.sign(score + gain)


def test_true_labels_are_never_softened():
    objective = semi_supervised(
        [1, -1, -1, -1, -1], constraints=constraints(), strength=100.0, model_score=True
    )
    state = Labels.of([0] * 5, LABELS)
    assert judged(objective, state, Relabel(0, 0, 1), score=-50.0) == 1.0
    assert judged(objective, state, Relabel(0, 0, 2), score=50.0) == 0.0


def learn(objective, learner=None, start=None):
    rng = np.random.default_rng(0)
    model = Model(
        unary(rng.normal(size=(5, 4)), LABELS, weights=rng.normal(size=(LABELS, 4)), name="own"),
        pairwise(EDGES, LABELS),
    )
    instance = Instance(model, Labels.of(start or [0] * 5, LABELS), objective, flip())
    return train(
        instance, learner or mira(), epochs=2, steps=60, restart="never", random_seed=3
    ).weights


def test_constraints_that_state_the_truth_equal_twice_the_right_labels():
    """Cons with every variable constrained to its true label is `hamming` times 2."""
    truth = [0, 1, 2, 1, 0]
    rules = Model(unary(np.eye(5), LABELS, weights=2.0 * np.eye(LABELS)[truth].T - 1.0))
    by_rules = learn(semi_supervised([-1] * 5, constraints=rules))
    by_labels = learn(hamming(truth), mira(margin=2.0))
    assert by_rules == pytest.approx(by_labels, abs=1e-12)


def test_a_model_without_a_rule_that_applies_is_never_updated():
    idle = Model(unary(np.zeros((5, 1)), LABELS, weights=1.0))
    objective = semi_supervised([-1] * 5, constraints=idle, model_score=True)
    with pytest.raises(InputError, match="never preferred a side"):
        learn(objective)


def test_all_labelled_is_supervised():
    truth = [0, 1, 2, 1, 0]
    partly = semi_supervised(truth, constraints=constraints(), model_score=True)
    for learner in (mira, perceptron):
        assert np.array_equal(learn(partly, learner()), learn(hamming(truth), learner()))


def test_a_learned_model_obeys_the_constraints():
    truth = [0, 1, 2, 1, 0]
    rules = Model(unary(np.eye(5), LABELS, weights=2.0 * np.eye(LABELS)[truth].T - 1.0))
    objective = semi_supervised([-1] * 5, constraints=rules, model_score=True)
    model = Model(unary(np.eye(5), LABELS))
    instance = Instance(model, Labels.of([2, 2, 0, 0, 1], LABELS), objective, flip())
    learned = train(instance, mira(), steps=300, restart="never", random_seed=0).weights
    assert learned.reshape(LABELS, 5).argmax(0).tolist() == truth


def test_the_walk_learns_from_what_the_objective_judges():
    """One step by hand: the model prefers the wrong side by 0.5, the rule outweighs it by 1.5."""
    rules = Model(unary(np.eye(1), 2, weights=[[-1.0], [1.0]]))
    own = Model(unary(np.ones((1, 1)), 2, weights=[[0.5], [0.0]]))
    objective = semi_supervised([-1], constraints=rules, model_score=True)
    spec = build_training_spec(perceptron(1.0, average=False), objective)
    chain = chain_of(own, Labels.of([0], 2), flip(), training_spec=spec)
    chain.run(1)
    assert chain.weights.tolist() == [-0.5, 1.0]


def test_the_score_of_constraints_is_that_of_their_model():
    label = [2, 0, 1, 1, 2]
    model, start = constraints(), Labels.of(label, LABELS)
    compiled = compile_chain(model, flip(), exact())
    origin = constraint_score([0] * 5)
    found = total_score(model, exact(), compiled, start)
    assert found == pytest.approx(constraint_score(label) - origin)
    assert space_of(start).sites(start) == 5


@pytest.mark.parametrize(
    ("arguments", "error", "match"),
    [
        ({"truth": [0, -2]}, InputError, "a label is -2; give numbers from 0, or -1"),
        ({"truth": [0, 1], "guess": [0]}, InputError, "2 true labels and 1 guesses"),
        ({"truth": [0, 1], "model_score": True}, InputError, "model_score needs constraints"),
        ({"truth": [0], "strength": 0.0}, InputError, "the strength is 0.0"),
        (
            {"truth": [0], "constraints": Model(affinity([[0, 1]], [[1.0]], 2))},
            ModelError,
            "the constraints score Partition; give a model of Labels",
        ),
    ],
)
def test_bad_arguments_are_named(arguments, error, match):
    with pytest.raises(error, match=match):
        semi_supervised(**arguments)


def test_constraints_must_fit_the_start():
    objective = semi_supervised([0, -1], constraints=constraints())
    with pytest.raises(InputError, match="2 true labels but the start has 5"):
        objective.check(Labels.of([0] * 5, LABELS))
    with pytest.raises(InputError, match="built for 5 variables but the start has 2"):
        objective.check(Labels.of([0, 0], LABELS))
