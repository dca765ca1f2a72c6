"""Agreement at the roots of trees equals agreement of partitions."""

import math
from collections import Counter

import numpy as np
import pytest

from partita.factors import Model, agreement, tree_agreement, uniform_trees
from partita.factors.trees.core import log_trees
from partita.states import SPACES, Forest, Partition
from tests.laws import naive

BAG = np.round(np.random.default_rng(31).random((4, 6)) * 16) / 16


def test_uniform_trees_leave_partitions_the_flat_posterior():
    n = 4
    bag = {"bag": BAG[:n]}
    trees = Model(tree_agreement(None, bag), uniform_trees(n))
    flats = Model(agreement(None, bag))
    pair_sum = naive.agreement([], [BAG[:n]])
    mass = Counter()
    for state in SPACES[Forest].enumerate(Forest.singletons(n)):
        sizes = np.bincount(state.entities)
        score = trees.weights[0] * pair_sum(state.entities)[0]
        mass[tuple(state.entities)] += math.exp(score - sum(log_trees(n)[s] for s in sizes))
    for state in SPACES[Partition].enumerate(Partition.singletons(n)):
        labels = SPACES[Partition].observe(state)
        expected = math.exp(flats.weights[0] * pair_sum(labels)[0])
        assert mass[tuple(labels)] == pytest.approx(expected)
