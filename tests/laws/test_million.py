"""A million steps on an enumerated space: exact chains are indistinguishable from the target."""

import numpy as np
import pytest
from scipy import stats

import partita
from partita.estimators import exact, minibatch, uniform
from partita.factors import Model, affinity, entity_cost, similarity
from partita.proposals import mixture, move_to_entity, one_canopy, pair_move, split_merge
from partita.states import Partition
from tests.laws import naive
from tests.laws.registry import Case, Subject

pytestmark = [pytest.mark.long, pytest.mark.compiled]

N, THIN, DRAWS = 5, 20, 50_000


def entry_of(data, i, j):
    return data[i, j]


def make_case(proposal):
    scores = np.random.default_rng(0).uniform(-1.5, 1.5, (N, N))
    scores = (scores + scores.T) / 2
    model = Model(similarity(entry_of, scores, N, bound=1.5), entity_cost(0.0))
    twin = naive.together(naive.pair_sum(scores[:, :, None]), naive.entity_count)
    return Case("million", Subject(model, twin, Partition.singletons(N)), proposal)


def frequencies(case, estimator):
    posterior = partita.sample(
        case.subject.model,
        case.subject.start,
        proposal=case.proposal,
        estimator=estimator,
        draws=DRAWS,
        tune=100,
        thin=THIN,
        chains=1,
        random_seed=17,
        progressbar=False,
    )
    assert posterior.steps >= 1_000_000
    place = {case.subject.observed(state): k for k, state in enumerate(case.states())}
    return np.bincount([place[tuple(row)] for row in posterior.draws[0].tolist()], minlength=52)


def p_value(case, counts):
    expected = case.target() * counts.sum()
    return float(stats.chisquare(counts, expected).pvalue)


EXACT = [exact(), minibatch(0.0), minibatch(0.2)]
PROPOSALS = {
    "pair_move": pair_move(one_canopy(N)),
    "move_to_entity": move_to_entity(),
    "with splits": mixture([pair_move(one_canopy(N)), split_merge(one_canopy(N))]),
}


@pytest.mark.parametrize("proposal", PROPOSALS.values(), ids=PROPOSALS.keys())
@pytest.mark.parametrize("estimator", EXACT, ids=lambda e: e.name)
def test_exact_chains_are_indistinguishable_from_the_target(proposal, estimator):
    case = make_case(proposal)
    assert p_value(case, frequencies(case, estimator)) > 1e-3


def test_the_minibatch_is_exact_for_splits_over_an_uneven_table():
    pairs, values = [[0, 1], [0, 2], [0, 3], [1, 4], [3, 4]], [0.9, -0.8, 0.7, -0.9, 0.8]
    table = np.zeros((N, N, 1))
    for (i, j), value in zip(pairs, values, strict=True):
        table[i, j] = table[j, i] = value
    model = Model(affinity(pairs, values, N), entity_cost(0.3))
    twin = naive.together(naive.pair_sum(table), naive.entity_count)
    case = Case("table", Subject(model, twin, Partition.singletons(N)), PROPOSALS["with splits"])
    assert p_value(case, frequencies(case, minibatch(0.5))) > 1e-3


def test_half_of_the_factors_are_measurably_biased():
    case = make_case(pair_move(one_canopy(N)))
    counts = frequencies(case, uniform(0.5))
    assert p_value(case, counts) < 1e-6
    distance = 0.5 * np.abs(counts / counts.sum() - case.target()).sum()
    assert 0.02 < distance < 0.2
