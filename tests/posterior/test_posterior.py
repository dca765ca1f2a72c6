import numpy as np
import pytest

from partita.errors import InputError, ModeError
from partita.factors import Model, pairwise, tree_shape, unary
from partita.posterior import sample
from partita.proposals import flip, gibbs_mention, one_canopy, tree_moves
from partita.states import SPACES, Forest, Labels, Partition
from tests.posterior.test_points import loss
from tests.walks.chains import chain_of, exact_posterior
from tests.walks.small import PAIRS, N, clusters, run

FIELD = Model(
    unary([[1.0], [-0.5], [0.2]], 3, weights=[[0.0], [1.0], [-0.5]]),
    pairwise([[0, 1], [1, 2]], 3, weights=np.diag([0.5, 1.0, 0.0])),
)
LABELS = Labels.of([0, 0, 0], [3, 3, 2])


@pytest.fixture(scope="module")
def partitions():
    return run(proposal=gibbs_mention(), draws=3000, tune=20)


@pytest.fixture(scope="module")
def truth():
    chain = chain_of(clusters(), Partition.singletons(N), gibbs_mention())
    states, p = exact_posterior(chain)
    return np.array(states), p


@pytest.fixture(scope="module")
def labelings():
    return run(FIELD, LABELS, draws=4000, tune=20)


@pytest.fixture(scope="module")
def search():
    return run(mode="map", temperature=[1.0, 0.1], draws=40)


# ---- probabilities against enumeration


def test_p_same(partitions, truth):
    states, p = truth
    expected = [p @ (states[:, i] == states[:, j]) for i, j in PAIRS]
    np.testing.assert_allclose(partitions.p_same(PAIRS), expected, atol=0.04)
    assert partitions.p_same([1, 0]).shape == (1,)
    assert partitions.p_same([[2, 2]]).tolist() == [1.0]


def test_p_same_of_many_pairs_is_computed_in_batches(partitions, monkeypatch):
    whole = partitions.p_same(PAIRS)
    monkeypatch.setattr("partita.posterior.posterior.PAIRS_PER_BATCH", 3)
    assert partitions.p_same(PAIRS).tolist() == whole.tolist()


def test_co_clustering(partitions):
    matrix = partitions.co_clustering()
    assert np.diag(matrix).tolist() == [1.0] * N
    assert (matrix == matrix.T).all()
    np.testing.assert_allclose([matrix[i, j] for i, j in PAIRS], partitions.p_same(PAIRS))


def test_entities(partitions, truth):
    states, p = truth
    counts = states.max(1) + 1
    found = partitions.entities()
    assert found["mean"] == pytest.approx(p @ counts, abs=0.06)
    order = np.argsort(counts)
    upto = p[order].cumsum()
    low = counts[order][np.searchsorted(upto, 0.025)]
    high = counts[order][np.searchsorted(upto, 0.975)]
    assert (found["low"], found["high"]) == (low, high)
    narrow = partitions.entities(0.5)
    assert found["low"] <= narrow["low"] <= narrow["high"] <= found["high"]


def test_marginals(labelings):
    chain = chain_of(FIELD, LABELS, flip())
    states, p = exact_posterior(chain)
    expected = [[p @ (np.array(states)[:, v] == x) for x in range(3)] for v in range(3)]
    np.testing.assert_allclose(labelings.marginals(), expected, atol=0.03)
    # the third variable has two values only
    assert labelings.marginals()[2, 2] == 0.0


# ---- states


def test_the_point_of_partitions_and_labels(partitions, labelings):
    draws = partitions.draws.reshape(-1, N)
    for join in (0.3, 0.5):
        found = partitions.point(join)
        assert isinstance(found, Partition)
        assert loss(draws, found.entity, join) <= loss(draws, partitions.map().entity, join) + 1e-9
    labels = labelings.point()
    assert labels.label.tolist() == labelings.marginals().argmax(1).tolist()
    assert labels.domain.tolist() == [3, 3, 2]


def test_the_best_state_is_the_most_probable(partitions, truth):
    states, p = truth
    assert partitions.map().entity.tolist() == states[p.argmax()].tolist()


def test_draws_and_traces_belong_together(partitions):
    draws, traces = partitions.draws, partitions.traces
    assert draws.shape == (2, 3000, N)
    assert draws.dtype == np.int32
    assert set(traces) == {"log_score", "entities", "largest"}
    assert (traces["entities"] == draws.max(2) + 1).all()
    largest = [np.bincount(row).max() for row in draws[0]]
    assert traces["largest"][0].tolist() == largest
    assert repr(partitions) == "Posterior(posterior, 2 chains of 3000 draws, exact)"
    assert partitions.n_draws == 3000


def test_scores_are_proportional_to_log_probabilities(partitions, truth):
    states, p = truth
    scores = partitions.traces["log_score"][0]
    known = {tuple(s): np.log(q) for s, q in zip(states.tolist(), p, strict=True)}
    gaps = [known[tuple(row)] - x for row, x in zip(partitions.draws[0], scores, strict=True)]
    assert np.ptp(gaps) < 1e-8


def test_diagnostics_and_arviz(partitions, labelings):
    found = partitions.diagnostics()
    assert set(found) == {"log_score", "entities", "largest"}
    assert all(row["r_hat"] < 1.05 for row in found.values())
    pytest.importorskip("arviz_base")
    tree = partitions.to_arviz()
    assert set(tree["posterior"].data_vars) == {"entities", "largest"}
    assert set(tree["sample_stats"].data_vars) == {"log_score"}
    assert tree["posterior"]["entities"].shape == (2, 3000)
    assert set(labelings.to_arviz()["sample_stats"].data_vars) == {"log_score"}


def test_counters(partitions):
    assert partitions.steps == 2 * 3020 * N
    assert partitions.examined == sum(chain.examined for chain in partitions.run.chains)
    assert set(partitions.acceptance) == {"gibbs_mention"}
    assert [w.tolist() for w in partitions.weights] == [clusters().weights.tolist()] * 2


# ---- what cannot be answered


QUESTIONS = {
    "draws": lambda p: p.draws,
    "p_same": lambda p: p.p_same(PAIRS),
    "co_clustering": lambda p: p.co_clustering(),
    "entities": lambda p: p.entities(),
    "marginals": lambda p: p.marginals(),
    "point": lambda p: p.point(),
    "diagnostics": lambda p: p.diagnostics(),
    "to_arviz": lambda p: p.to_arviz(),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_search_gives_no_probabilities(search, question):
    with pytest.raises(ModeError, match=r"is not available from a MAP search.*mode='posterior'"):
        QUESTIONS[question](search)


def test_a_search_gives_its_best_state_and_traces(search):
    assert search.best_score == max(chain.best_score for chain in search.run.chains)
    assert search.traces["log_score"].shape == (2, 40)
    assert search.map().entity.size == N
    assert search.run.chains[0].draws == []


def test_questions_of_the_wrong_kind(partitions, labelings):
    with pytest.raises(ModeError, match="marginals is for Labels, not Partition"):
        partitions.marginals()
    for question in ("p_same", "co_clustering", "entities"):
        with pytest.raises(ModeError, match=f"{question} is for Partition, not Labels"):
            QUESTIONS[question](labelings)


def test_without_recorded_states():
    found = run(record=False, draws=20)
    assert found.entities()["mean"] >= 1
    assert found.diagnostics()["entities"]["mean"] == found.traces["entities"].mean()
    for question in ("draws", "p_same", "point"):
        with pytest.raises(ModeError, match=r"no states were recorded \(record=False\); run again"):
            QUESTIONS[question](found)


def test_a_budget_that_ends_while_tuning_is_reported():
    found = run(tune=100, draws=10, steps=50, thin=5)
    assert found.n_draws == 0
    assert found.traces == {}
    for question in ("draws", "p_same", "entities", "point", "diagnostics", "to_arviz"):
        with pytest.raises(ModeError, match=r"no draw was kept.*\(steps\).*lower tune"):
            QUESTIONS[question](found)
    assert found.map().entity.size == N


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        ([[0, 9]], r"the pair \[0, 9\] is outside 0..4"),
        ([[-1, 0]], r"the pair \[-1, 0\] is outside"),
        ([[0, 1, 2]], r"pairs have shape \(1, 3\)"),
        ([[0.5, 1.0]], r"give whole numbers"),
    ],
)
def test_pairs_that_are_none(partitions, pairs, words):
    with pytest.raises(InputError, match=words):
        partitions.p_same(pairs)


@pytest.mark.parametrize("interval", [0.0, 1.0, -0.5, 95])
def test_intervals_that_are_none(partitions, interval):
    with pytest.raises(InputError, match=f"interval is {interval}; give a number between 0 and 1"):
        partitions.entities(interval)


@pytest.mark.interpreted
def test_trees_say_who_is_one_entity():
    everyone = one_canopy(3)
    model = Model(tree_shape(width=2, node_cost=0.5, root_cost=0.2))
    drawn = sample(
        model,
        Forest.singletons(3),
        proposal=tree_moves(everyone),
        draws=400,
        tune=50,
        chains=2,
        thin=10,
        random_seed=3,
        progressbar=False,
    )
    states = list(SPACES[Forest].enumerate(Forest.singletons(3)))
    scores = []
    for state in states:
        kids = np.bincount(state.parent[state.parent >= 0], minlength=6)
        inner = np.flatnonzero(kids)
        middle = (state.parent[inner] >= 0).sum()
        width = (1.0 / (np.abs(kids[inner] - 2) + 1)).sum()
        scores.append(width - 0.5 * middle - 0.2 * len(set(state.entities.tolist())))
    weight = np.exp(scores)
    same = np.array([state.entities[0] == state.entities[1] for state in states])
    expected = (weight * same).sum() / weight.sum()
    assert drawn.p_same([[0, 1]])[0] == pytest.approx(expected, abs=0.06)
    assert drawn.co_clustering().shape == (3, 3)
    assert drawn.entities()["mean"] > 1.0
    assert drawn.point().entity.size == 3
