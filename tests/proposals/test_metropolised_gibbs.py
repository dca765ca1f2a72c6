"""Laws hold it to its ratio; here: it never stays, and prefers what scores high."""

import numpy as np

from partita.factors import Model, unary
from partita.proposals import metropolised_gibbs_label
from partita.states import Labels
from tests.walks.chains import chain_of


def test_it_proposes_another_label_by_score():
    weights = [[0.0], [2.0], [-2.0]]
    model = Model(unary(np.ones((1, 1)), 3, weights=weights))
    chain = chain_of(model, Labels.of([0], 3), metropolised_gibbs_label())
    counts = np.zeros(3)
    for _ in range(3000):
        chain.run(1)
        counts[chain.state.label[0]] += 1
    p = np.exp([0.0, 2.0, -2.0])
    assert np.abs(counts / 3000 - p / p.sum()).max() < 0.03


def test_a_domain_of_one_label_stays():
    model = Model(unary(np.ones((2, 1)), 2, weights=[[0.0], [1.0]]))
    chain = chain_of(model, Labels.of([0, 0], [1, 2]), metropolised_gibbs_label())
    chain.run(50)
    assert chain.state.label[0] == 0
