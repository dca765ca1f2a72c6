"""Antecedents summed out: scores are log-probabilities of partitions; bad tables are refused."""

import itertools
import math

import numpy as np
import pytest

from partita.errors import InputError
from partita.estimators import exact
from partita.factors import Model, antecedents
from partita.proposals import move_to_entity
from partita.states import Partition
from partita.states.partition import canonical
from partita.walks import compile_chain, total_statistics


def make(n, seed=0):
    rng = np.random.default_rng(seed)
    shares = [rng.dirichlet(np.ones(j + 1)) for j in range(n)]
    earlier = np.concatenate([np.arange(j) for j in range(n)])
    values = np.concatenate([share[1:] for share in shares])
    return np.cumsum([0, *range(n)]), earlier, values, np.array([share[0] for share in shares])


def test_the_probabilities_of_all_partitions_sum_to_one():
    model = Model(antecedents(*make(5)))
    compiled = compile_chain(model, move_to_entity(), exact())
    partitions = {tuple(canonical(labels)) for labels in itertools.product(range(5), repeat=5)}
    assert len(partitions) == 52
    total = 0.0
    for labels in partitions:
        state = Partition.of(np.array(labels))
        # statistics are relative to singletons
        total += math.exp(total_statistics(model, exact(), compiled, state)[0])
    alone = math.exp(total_statistics(model, exact(), compiled, Partition.singletons(5))[0])
    new = make(5)[3]
    assert total * np.prod(new) / alone == pytest.approx(1.0, abs=1e-9)


def test_an_antecedent_that_is_not_listed_is_nearly_impossible():
    model = Model(antecedents([0, 0, 1, 2], [0, 1], [0.5, 0.5], [1.0, 0.5, 0.5]))
    compiled = compile_chain(model, move_to_entity(), exact())

    def score(*labels):
        state = Partition.of(np.array(labels))
        return total_statistics(model, exact(), compiled, state)[0]

    assert score(0, 1, 0) < score(0, 1, 1) - 20


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({0: [0, 0]}, "one more entry than mentions"),
        ({1: [1, 1]}, "does not precede"),
        ({2: [2.0, 0.5]}, "outside 0..1"),
        ({3: [1.0, 0.0, 0.5]}, "outside 0..1"),
    ],
)
def test_bad_tables_are_refused(change, sentence):
    given = [[0, 0, 1, 2], [0, 1], [0.5, 0.5], [1.0, 0.5, 0.5]]
    for place, value in change.items():
        given[place] = value
    with pytest.raises(InputError, match=sentence):
        antecedents(*given)
