import numpy as np
import pytest

from partita.factors import Model, bernoulli, conjugate, ewens
from partita.proposals import dumb_split_smart_merge, gibbs_mention, mixture, sdds
from partita.states import Partition
from tests.walks.chains import chain_of, score_of

RNG = np.random.default_rng(2)
KIND = np.repeat(np.arange(3), 20)
CHANCE = np.array([[0.03] * 12, [0.97] * 12, [0.03, 0.97] * 6])
BITS = (RNG.random((60, 12)) < CHANCE[KIND]).astype(int)


@pytest.fixture(scope="module")
def model():
    return Model(conjugate(bernoulli(BITS)), ewens(1.0))


# the reversibility and the stationarity of these moves are shown as plain Python by the laws
@pytest.mark.compiled
def test_smart_moves_find_clusters_from_both_sides(model):
    for start in (Partition.one_entity(60), Partition.singletons(60)):
        chain = chain_of(model, start, mixture([sdds(split="average"), gibbs_mention()]))
        base = score_of(chain)
        chain.run(20_000)
        assert score_of(chain) - base == pytest.approx(chain.score, abs=1e-6)
        assert score_of(chain) > score_of(chain, Partition.of(KIND)) - 15
        assert chain.tally[:, 1].min() > 0


def test_merges_by_key_join_entities_that_share_one(model):
    chain = chain_of(model, Partition.singletons(60), dumb_split_smart_merge(keys=KIND))
    chain.run(4000)
    assert chain.tally[0, 1] > 10
    for e in set(chain.state.entity.tolist()):
        assert len(set(KIND[chain.state.entity == e])) == 1
