import numpy as np
import pytest

from partita.errors import InputError, ModelError
from partita.estimators import exact, uniform
from partita.factors import Model, Template, similarity
from partita.kernel import kernel, push
from partita.learning import build_training_spec, pair_accuracy, perceptron
from partita.proposals import canopies_of, move_to_entity, pair_move
from partita.states import Partition
from partita.walks import chain as chains
from partita.walks import total_score, total_statistics
from partita.walks.chain import replaced
from tests.walks.chains import chain_of, score_of
from tests.walks.small import PAIRS, VALUES, N, clusters


@pytest.fixture(scope="module")
def walker():
    return chain_of(clusters(), Partition.singletons(N), move_to_entity())


def test_steps_and_factors_are_counted(walker):
    steps, examined = walker.steps, walker.examined
    assert walker.run(100) == 100
    assert walker.steps == steps + 100
    # a step that is not idle examines the pairs of its mention and one factor of the prior
    moved = (walker.examined - examined) / (N - 1 + 1)
    assert moved == int(moved)
    assert 0 < moved <= 100


def test_a_budget_of_factors_ends_the_walk(walker):
    limit = walker.examined + 60
    taken = walker.run(10**6, factors=limit)
    assert 0 < taken < 100
    assert limit <= walker.examined < limit + N + 1
    assert walker.run(10, factors=limit) == 0


def test_no_steps_change_nothing(walker):
    before = walker.state.entity.copy(), walker.steps
    walker.compile()
    assert walker.run(0) == 0
    assert (walker.state.entity == before[0]).all()
    assert walker.steps == before[1]


def test_the_score_is_kept_exactly(walker):
    base = score_of(walker) - walker.score
    walker.run(2000)
    assert base + walker.score == pytest.approx(score_of(walker), abs=1e-9)
    assert walker.keeps_score


def test_total_score_and_statistics(walker):
    goal = Partition.of([0, 0, 1, 0, 1])
    entity = goal.entity
    together = [entity[i] == entity[j] for i, j in PAIRS]
    expected = [VALUES[together].sum(), 2 - N, np.log(2)]
    args = (walker.model, exact(), walker.compiled, goal)
    assert total_statistics(*args) == pytest.approx(expected)
    assert total_score(*args) == pytest.approx(walker.model.weights @ expected)
    assert total_score(*args, np.array([0.0, 1.0, 0.0])) == pytest.approx(2 - N)


def test_a_full_pool_is_enlarged_and_nothing_is_lost():
    def walk(members):
        chain = chain_of(clusters(), Partition.one_entity(N), move_to_entity(), seed=4)
        if members:
            chain.state = chain.state._replace(members=chain.state.members[:members].copy())
        chain.run(500)
        chain.space.check(chain.state)
        return chain

    scarce, ample = walk(16), walk(None)
    assert scarce.state.members.size > 16
    assert scarce.state.entity.tolist() == ample.state.entity.tolist()
    assert scarce.score == ample.score
    assert scarce.steps == ample.steps


def test_slices_do_not_show(monkeypatch, walker):
    def walk():
        chain = chain_of(clusters(), Partition.singletons(N), move_to_entity(), seed=2)
        chain.run(1000)
        return chain.state.entity.tolist()

    whole = walk()
    monkeypatch.setattr(chains, "SLICE", 7)
    assert walk() == whole


def test_a_halted_chain_stops_between_slices(monkeypatch):
    monkeypatch.setattr(chains, "SLICE", 10)
    chain = chain_of(clusters(), Partition.singletons(N), move_to_entity())
    asked = []

    def halted():
        asked.append(chain.steps)
        return len(asked) > 3

    chain.halted = halted
    assert chain.run(10**9) == 30
    assert asked == [0, 10, 20, 30]


# ---- sweeps


CANOPIES = canopies_of([0, 0, 0, 1, 1])


def sweeper(seed=1):
    return chain_of(clusters(), Partition.singletons(N), pair_move(CANOPIES), seed=seed)


def test_a_sweep_gives_each_canopy_its_rounds():
    chain = sweeper()
    assert chain.sweep(np.ones(3), -1.0) == 0
    # a round of n mentions has n (2 + log2 n) steps: 3 * 3 and 2 * 3
    assert chain.steps == 3 * (9 + 6) == chain.tally[0, 0]
    assert not chain.place.any()
    assert chain.canopies.window.tolist() == [0, 5]


def test_canopies_that_settle_are_left_early():
    chain = sweeper()
    assert chain.sweep(np.ones(50), 1e9) == 2
    assert chain.steps == 9 + 6


def test_a_sweep_goes_on_where_it_was_stopped():
    whole, stopped = sweeper(), sweeper()
    whole.sweep(np.ones(4), -1.0)
    for limit in range(1, whole.steps):
        assert stopped.sweep(np.ones(4), -1.0, steps=limit) is None
        assert stopped.steps == limit
    assert stopped.sweep(np.ones(4), -1.0) == 0
    assert stopped.steps == whole.steps
    assert stopped.state.entity.tolist() == whole.state.entity.tolist()
    assert stopped.score == pytest.approx(whole.score)


def test_a_sweep_ends_with_its_budget_of_factors():
    chain = sweeper()
    assert chain.sweep(np.ones(1000), -1.0, factors=50) is None
    assert 50 <= chain.examined < 50 + N + 1


# ---- what each chain owns


def test_weights_are_shared_unless_they_are_learned():
    model = clusters()
    plain = chain_of(model, Partition.singletons(N), move_to_entity())
    taught = chain_of(
        model,
        Partition.singletons(N),
        move_to_entity(),
        training_spec=build_training_spec(perceptron(), pair_accuracy([0, 0, 1, 1, 1])),
    )
    assert plain.weights is model.weights
    assert taught.weights is not model.weights
    assert plain.keeps_score
    assert not taught.keeps_score
    guessed = chain_of(model, Partition.singletons(N), move_to_entity(), uniform(0.5))
    assert not guessed.keeps_score


def test_the_start_is_copied(walker):
    start = Partition.singletons(N)
    chain = chain_of(clusters(), start, move_to_entity())
    chain.run(200)
    assert start.entity.tolist() == list(range(N))
    assert chain.state.entity.tolist() != list(range(N))


def test_replaced_finds_an_array_wherever_it_stands():
    old, new, other = np.zeros(1), np.ones(1), np.zeros(1)
    found = replaced((old, (other, old), CANOPIES), old, new)
    assert found[0] is new
    assert found[1][1] is new
    assert found[1][0] is other
    assert type(found[2]) is type(CANOPIES)


# ---- states that cannot be scored


def hole(data, i, j):
    return -np.inf if i + j == 3 and i * j == 2 else 0.0


def test_a_start_that_a_factor_forbids():
    chain = chain_of(Model(similarity(hole, 0.0, 3)), Partition.singletons(3), move_to_entity())
    assert score_of(chain, Partition.of([0, 0, 1])) == 0.0
    with pytest.raises(InputError, match=r"the state has the score -inf; start from one"):
        score_of(chain, Partition.of([0, 1, 1]))


@kernel
def one(table, state, move):
    return 1


@kernel
def wild(table, state, move, k, delta):
    return push(delta, -1, 1.0)


@pytest.mark.interpreted
def test_retracing_names_a_template_that_pushes_features_it_lacks():
    template = Template("wild", Partition, ("a",), np.ones(1), one, wild, np.zeros(1))
    chain = chain_of(Model(template), Partition.singletons(3), move_to_entity())
    with pytest.raises(ModelError, match="the template 'wild' pushed a feature"):
        score_of(chain, Partition.one_entity(3))
