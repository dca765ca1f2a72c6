"""A tally counts each entity of a partition once, whatever its latent values and copies are."""

import numpy as np

from partita.factors import Field, Model, RatePrior, hit_miss_model
from partita.factors.entity_model.moves import field_score
from partita.factors.entity_model.tally import tally_field
from partita.states import Partition

PRIOR = RatePrior([8.0, 1.0, 1.0], [0.1, 0.2, 0.7])
CODES = np.array([[0, 0, 1], [0, 0, 0], [0, 1, -1], [2, 2, -1]])
"""By field: two records of one entity and a third, more fields than most small tables have."""


def tallies(field, labels, seed=0):
    fields = {
        f"f{q}": Field(codes, [0.5, 0.3, 0.2], [-0.2, 1.0, -2.0], [[0, 1]], [1], prior=PRIOR)
        for q, codes in enumerate(CODES)
    }
    state = Partition.of(labels)
    table = Model(hit_miss_model(fields)).tables(state)[0]
    field_score(table, state, field)
    rng, rate = np.random.default_rng(seed), table.rate[field]
    return [
        tally_field(rng, table.shown, table.near, rate, state, field, len(CODES), 3)
        for _ in range(20)
    ]


def test_entities_of_one_record_are_not_counted():
    for tally in tallies(0, [0, 1, 2]):
        assert (tally.level.size, tally.same, tally.length.size) == (0, 0, 0)


def test_equal_values_are_shown_at_least_once_without_copying():
    same = {tally.same for tally in tallies(1, [0, 0, 0])}
    assert same <= {1, 2, 3}
    assert len(same) > 1


def test_a_variant_stands_at_its_level():
    for tally in tallies(0, [0, 0, 0]):
        assert tally.level.tolist() == [1]
        assert 2 <= tally.same + tally.fresh.sum() <= 3
        assert (tally.length.tolist(), tally.entities.tolist()) == ([3], [1])
        assert tally.counts(3).sum() == tally.same + tally.fresh.sum()
        assert tally.highest_base(3)[1] == tally.base[0]


def test_the_last_of_many_fields_is_its_own():
    for tally in tallies(3, [0, 0, 1]):
        assert tally.level.size == 0
        assert (tally.length.tolist(), tally.entities.tolist()) == ([2], [1])
