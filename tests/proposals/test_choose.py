import math

import numpy as np
import pytest

from partita.errors import ModelError
from partita.factors import Model, affinity, entity_cost, ewens, similarity, unary
from partita.kernel import entry
from partita.proposals import (
    choose,
    flip,
    gibbs_label,
    gibbs_mention,
    gibbs_neighbour,
    join_neighbour,
    mixture,
    move_to_entity,
    multi_try,
    split_merge,
)
from partita.proposals.canopies import one_canopy
from partita.proposals.choose import add_weight
from partita.states import Labels, Partition
from tests.walks.chains import chain_of, distance, exact_posterior, frequencies

PAIRS = [[0, 1], [1, 2], [2, 3]]


def clusters():
    return Model(affinity(PAIRS, [1.5, -1.0, 0.5], 4), ewens(0.8))


@entry
def add(a, b):
    return choose.log_add(a, b)


def test_log_add_is_the_log_of_a_sum():
    for a, b in ((0.0, 0.0), (-3.0, 2.0), (800.0, 799.0), (-900.0, -901.0), (5.0, -math.inf)):
        assert add(a, b) == pytest.approx(np.logaddexp(a, b), rel=1e-12)
    assert add(-math.inf, -math.inf) == -math.inf


@entry
def masses(scores, top, mass, found):
    for k in range(scores.size):
        top, mass, found[k] = add_weight(top, mass, scores[k])
    return top + math.log(mass)


def test_weights_are_counted_in_larger_units_where_they_would_overflow():
    for scores in ([0.5, -2.0, -math.inf], [800.0, 1.0, 1300.0, 1299.0], [-900.0, 299.0, 310.0]):
        found = np.zeros(len(scores))
        assert masses(np.array(scores), 0.0, 1.0, found) == pytest.approx(
            np.logaddexp.reduce([0.0, *scores])
        )
        assert np.isfinite(found).all()


@pytest.mark.interpreted
def test_gibbs_draws_the_conditional_of_a_label():
    # one variable: every draw is independent of the last
    model = Model(unary([[1.0]], 3, weights=[[0.0], [1.0], [-1.0]]))
    chain = chain_of(model, Labels.of([0], 3), gibbs_label())
    states, p = exact_posterior(chain)
    seen = frequencies(chain, 4000, 1)
    for state, q in zip(states, p, strict=True):
        assert seen[tuple(state)] == pytest.approx(q, abs=0.03)
    assert chain.score == pytest.approx(chain.model.weights[chain.state.label[0]])


@pytest.mark.parametrize(
    "proposal",
    [gibbs_mention(), gibbs_neighbour(PAIRS, 4), multi_try(move_to_entity(), 3)],
    ids=lambda proposal: proposal.name,
)
def test_long_runs_agree_with_enumeration(proposal):
    if proposal.name == "gibbs_neighbour":
        # entities without a path of candidates are never made, so only the others are compared
        model = Model(affinity(PAIRS, [1.5, -1.0, 0.5], 4), entity_cost(0.3))
        pairs = [[i, j] for i in range(4) for j in range(i)]
        chain = chain_of(model, Partition.singletons(4), gibbs_neighbour(pairs, 4))
    else:
        chain = chain_of(clusters(), Partition.singletons(4), proposal)
    assert distance(chain, 3000) < 0.06


def test_temperature_flattens_what_gibbs_draws():
    model = Model(unary([[1.0]], 2, weights=[[0.0], [3.0]]))
    chain = chain_of(model, Labels.of([0], 2), gibbs_label())
    ones = 0
    for _ in range(3000):
        chain.run(1, temperature=3.0)
        ones += int(chain.state.label[0])
    assert ones / 3000 == pytest.approx(1 / (1 + math.exp(-1)), abs=0.04)


@pytest.mark.interpreted
def test_a_mention_away_from_its_candidates_stays():
    chain = chain_of(clusters(), Partition.of([0, 1, 2, 0]), gibbs_neighbour(PAIRS, 4))
    # 0 sits with 3, which is none of its candidates: no move of 0 could be taken back
    for _ in range(200):
        before = chain.state.entity.copy()
        chain.run(1)
        if before[0] == before[3] and before[0] not in before[[1, 2]]:
            moved = np.flatnonzero(chain.state.entity != before)
            assert 0 not in moved
    chain.space.check(chain.state)


@pytest.mark.parametrize("make", [gibbs_neighbour, join_neighbour])
def test_among_draws_the_posterior_given_the_others(make):
    pairs = [[i, j] for i in range(4) for j in range(i)]
    start = Partition.of([0, 1, 0, 2])
    chain = chain_of(clusters(), start, make(pairs, 4, among=[1, 3]))
    states, p = exact_posterior(chain)
    # 0 and 2, which are not drawn, stay together
    held = np.array([state[0] == state[2] for state in states])
    p = np.where(held, p, 0.0) / p[held].sum()
    seen = frequencies(chain, 4000, 6)
    assert all(state[0] == state[2] for state in seen)
    gap = sum(abs(seen.get(tuple(s), 0.0) - q) for s, q in zip(states, p, strict=True))
    assert gap / 2 < 0.06
    chain.space.check(chain.state)


def broken(data, i, j):
    return data[0] if i + j == 5 else 0.0


@pytest.mark.interpreted
@pytest.mark.parametrize("value", [math.nan, math.inf])
@pytest.mark.parametrize(
    "proposal",
    [gibbs_mention(), multi_try(move_to_entity(), 3)],
    ids=lambda proposal: proposal.name,
)
def test_nonsense_stops_the_walk_instead_of_being_passed_over(proposal, value):
    model = Model(similarity(broken, np.array([value]), 4))
    chain = chain_of(model, Partition.singletons(4), proposal)
    with pytest.raises(ModelError, match="the score became NaN or infinite"):
        chain.run(5000)
    chain.space.check(chain.state)


@pytest.mark.parametrize(
    "proposal",
    [
        gibbs_mention(),
        gibbs_label(),
        split_merge(one_canopy(3)),
        mixture([move_to_entity()]),
        multi_try(move_to_entity(), 2),
    ],
    ids=lambda proposal: proposal.name,
)
def test_multi_try_takes_proposals_that_are_blind_to_the_model(proposal):
    with pytest.raises(ModelError, match="multi_try cannot draw from"):
        multi_try(proposal, 3)
    assert multi_try(flip(), 2).name == "multi_try(flip, 2)"
