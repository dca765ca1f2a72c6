import numpy as np
import pytest

from partita.errors import InputError
from partita.factors import entity_mention
from partita.proposals import dumb_split_smart_merge, sdds, smart_smart, smart_split_dumb_merge
from partita.states import Partition
from tests.walks.chains import chain_of, distance

TOKENS = [0, 0, 1, 1]


@pytest.mark.parametrize("proposal", [sdds(), smart_smart()], ids=lambda p: p.name)
def test_long_runs_agree_with_enumeration(proposal):
    model = entity_mention(TOKENS, alpha=0.4, mu=0.5).model
    assert distance(chain_of(model, Partition.singletons(4), proposal), 3000) < 0.06


def test_one_mention_and_identical_mentions():
    for tokens in ([0], [2, 2, 2]):
        model = entity_mention(tokens, alpha=0.4).model
        chain = chain_of(model, Partition.singletons(len(tokens)), sdds())
        chain.run(200)
        chain.space.check(chain.state)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: sdds(split="best"), "split is 'best'; give 'likelihood' or 'average'"),
        (lambda: smart_smart(merge="best"), "merge is 'best'; give 'likelihood' or 'ratio'"),
        (lambda: smart_split_dumb_merge(split=""), "split is ''; give"),
        (lambda: dumb_split_smart_merge(keys=[[0]]), "the keys have shape"),
        (lambda: dumb_split_smart_merge(keys=[]), "the keys have shape"),
    ],
)
def test_bad_settings(make, sentence):
    with pytest.raises(InputError, match=sentence):
        make()


def test_keys_must_fit_the_start():
    with pytest.raises(InputError, match="built for 3 mentions but the start has 4"):
        sdds(keys=np.arange(3)).check(Partition.singletons(4))
