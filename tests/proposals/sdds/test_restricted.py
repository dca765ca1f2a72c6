import numpy as np
import pytest

from partita.errors import InputError
from partita.factors import Model, conjugate, ewens, gaussian
from partita.kernel import entry
from partita.proposals import restricted_gibbs
from partita.proposals.sdds.clusters import workspace
from partita.proposals.sdds.restricted import list_anchored
from partita.states import Partition
from tests.walks.chains import chain_of, distance

X = np.array([[0.0], [0.25], [4.0], [4.25]])


@entry
def listed(state, table, i, j):
    return list_anchored(state, table, i, j)


def test_anchors_come_first_and_the_order_knows_the_members_only():
    found = []
    for labels in ([0, 0, 1, 1, 0], [5, 5, 5, 5, 5]):
        state = Partition.of(labels)
        table = workspace(None, state)
        assert listed(state, table, 3, 1) == 5
        found.append(table.sequence[:5].tolist())
    assert found[0] == found[1]
    assert found[0][:2] == [3, 1]


def test_long_runs_agree_with_enumeration():
    model = Model(conjugate(gaussian(X)), ewens(1.0))
    chain = chain_of(model, Partition.singletons(4), restricted_gibbs(2, sizes=True))
    assert distance(chain, 3000) < 0.06


def test_scans_are_a_whole_number():
    with pytest.raises(InputError, match="scans is -1; give a whole number of at least 0"):
        restricted_gibbs(-1)
