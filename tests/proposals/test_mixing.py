import numpy as np
import pytest

from partita.factors import Model, affinity, ewens
from partita.proposals import birth_death, random_mixing
from partita.states import Partition
from tests.walks.chains import chain_of, distance

PAIRS = [[i, j] for i in range(4) for j in range(i)]


@pytest.mark.parametrize("proposal", [random_mixing(), birth_death()], ids=lambda p: p.name)
def test_long_runs_agree_with_enumeration(proposal):
    values = np.random.default_rng(3).normal(size=6)
    model = Model(affinity(PAIRS, values, 4), ewens(1.0))
    assert distance(chain_of(model, Partition.singletons(4), proposal), 3000) < 0.06


def test_one_mention_stays():
    for proposal in (random_mixing(), birth_death()):
        chain = chain_of(Model(ewens(1.0)), Partition.singletons(1), proposal)
        chain.run(50)
        assert chain.tally[0].tolist() == [50, 0]
