"""The copy-me skeletons obey the laws like everything else."""

import numpy as np

from examples.skeletons.proposal import leave_or_join
from examples.skeletons.state import Order, precedence, swap_neighbours
from examples.skeletons.template import clean_sources
from partita.factors import Model, entity_cost
from partita.proposals import mixture, one_canopy, pair_move, split_merge
from partita.states import Partition
from tests.laws import naive
from tests.laws.registry import Subject, register

SOURCE = np.array([0, 1, 0, 1])
same_source = (SOURCE[:, None] == SOURCE[None, :]).astype(float)[:, :, None]
CLEAN = Subject(
    Model(clean_sources(SOURCE, 0.7), entity_cost(0.4)),
    naive.together(naive.pair_sum(same_source), naive.entity_count),
    Partition.singletons(4),
)

WINS = np.random.default_rng(2).normal(size=(4, 4))


def order_phi(things):
    pairs = [(a, b) for k, a in enumerate(things) for b in things[k + 1 :]]
    return np.array([sum(WINS[a, b] for a, b in pairs)])


ORDER = Subject(Model(precedence(WINS, 0.8)), order_phi, Order.of([0, 1, 2, 3]))

register("skeletons/proposal", CLEAN, leave_or_join())
ALL4 = one_canopy(4)
register("skeletons/template", CLEAN, mixture([pair_move(ALL4), split_merge(ALL4)]))
register("skeletons/state", ORDER, swap_neighbours())
