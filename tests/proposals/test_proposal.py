import numpy as np
import pytest

from partita.factors import Model, entity_cost
from partita.proposals import (
    canopies_of,
    gibbs_mention,
    mixture,
    move_to_entity,
    one_canopy,
    pair_move,
    split_merge,
)
from partita.states import Partition
from tests.walks.chains import chain_of

ALL = one_canopy(5)
MODEL = Model(entity_cost(0.5))


def parts(*weights):
    inside = [move_to_entity(), gibbs_mention(), pair_move(ALL)]
    return mixture(inside[: len(weights)], weights)


@pytest.fixture(scope="module")
def walker():
    return chain_of(MODEL, Partition.singletons(5), parts(1.0, 3.0, 4.0))


def test_components_are_drawn_by_weight(walker):
    walker.run(8000)
    proposed = walker.tally[:, 0] / walker.tally[:, 0].sum()
    assert walker.tally[:, 0].sum() == walker.steps
    np.testing.assert_allclose(proposed, [1 / 8, 3 / 8, 4 / 8], atol=0.03)
    assert (walker.tally[:, 1] > 0).all()
    assert (walker.tally[:, 1] <= walker.tally[:, 0]).all()


def test_gibbs_moves_count_as_accepted(walker):
    # what gibbs_mention decides is never rejected; what stays where it is counts as proposed
    assert walker.tally[1, 1] > 0.4 * walker.tally[1, 0]


def test_without_weights_all_are_alike():
    upto = mixture([move_to_entity(), gibbs_mention()]).table.upto
    assert upto[0] == 0.5
    assert upto[1] == np.inf


def test_names():
    mixed = parts(1.0, 1.0)
    assert mixed.name == "move_to_entity + gibbs_mention"
    assert mixed.counted == ("move_to_entity", "gibbs_mention")


def test_a_mixture_of_mixtures_counts_its_own_components():
    inner = parts(1.0, 1.0, 2.0)
    walker = chain_of(MODEL, Partition.singletons(5), mixture([move_to_entity(), inner]))
    # a component that counted for itself would write past the end of the tally
    assert walker.tally.shape == (2, 2)
    walker.run(2000)
    np.testing.assert_allclose(walker.tally[:, 0] / 2000, [0.5, 0.5], atol=0.06)


def test_canopies_are_shared_or_lost():
    assert mixture([pair_move(ALL), split_merge(ALL)]).canopies is ALL
    assert mixture([pair_move(ALL), pair_move(canopies_of([0] * 5))]).canopies is None
    assert mixture([pair_move(ALL), move_to_entity()]).canopies is None


def test_the_start_is_checked_by_every_component():
    apart = canopies_of([0, 1])
    mixed = mixture([move_to_entity(), pair_move(apart)])
    with pytest.raises(ValueError, match="crosses canopies"):
        mixed.check(Partition.one_entity(2))
