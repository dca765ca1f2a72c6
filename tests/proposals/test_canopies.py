import numpy as np
import pytest

from partita.errors import InputError
from partita.factors import Model, entity_cost
from partita.proposals import canopies_of, mixture, one_canopy, pair_move, split_merge
from partita.states import Partition
from tests.walks.chains import chain_of

LABELS = ["b", "a", "b", "a", "a", "c"]


def test_mentions_stand_canopy_by_canopy():
    canopies = canopies_of(LABELS)
    assert canopies.count == 3
    assert canopies.order.tolist() == [1, 3, 4, 0, 2, 5]
    assert canopies.start.tolist() == [0, 3, 5, 6]
    assert canopies.canopy.tolist() == [1, 0, 1, 0, 0, 2]
    assert canopies.window.tolist() == [0, 6]


def test_one_canopy_holds_all():
    canopies = one_canopy(3)
    assert canopies.count == 1
    assert canopies.start.tolist() == [0, 3]


def test_starts_that_cross_are_refused():
    canopies = canopies_of(LABELS)
    assert canopies.respected(Partition.singletons(6)) is None
    assert canopies.respected(Partition.of([0, 1, 0, 1, 2, 3])) is None
    with pytest.raises(InputError, match="mention 0 starts in an entity that crosses canopies"):
        canopies.respected(Partition.of([0, 0, 1, 2, 3, 4]))
    with pytest.raises(InputError, match="hold 6 mentions but the start has 2"):
        canopies.respected(Partition.singletons(2))


@pytest.fixture(scope="module")
def walker():
    canopies = canopies_of(LABELS)
    proposal = mixture([pair_move(canopies), split_merge(canopies)])
    return chain_of(Model(entity_cost(1.0)), Partition.singletons(6), proposal)


def test_entities_never_cross_canopies(walker):
    largest = 0
    for _ in range(200):
        walker.run(5)
        walker.canopies.respected(walker.state)
        largest = max(largest, int(walker.state.size.max()))
    assert largest == 3
    assert walker.state.size[walker.state.entity[5]] == 1


def test_a_sweep_works_on_one_window_at_a_time(walker):
    own, shared = walker.canopies.window, walker.proposal.canopies.window
    assert own is not shared
    assert walker.proposal_table.tables[0].window is own
    assert walker.proposal_table.tables[1].anchors.window is own
    own[:] = (3, 5)
    before = walker.state.entity.copy()
    walker.run(300)
    moved = np.flatnonzero(walker.state.entity != before)
    assert set(moved) <= {0, 2}
    own[:] = (0, 6)
    assert shared.tolist() == [0, 6]
