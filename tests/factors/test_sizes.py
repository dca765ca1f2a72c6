"""The law of sizes: its base, how it is drawn, and its input checks."""

import numpy as np
import pytest
from scipy.special import gammaln

from partita import sample
from partita.errors import InputError
from partita.estimators import exact
from partita.factors import Model, size_law
from partita.factors.sizes import Laws, base_law
from partita.proposals import gibbs_mention
from partita.states import Partition
from partita.walks import compile_chain, start_chain
from partita.walks.parameters import update_block


def test_the_base_law_is_one_and_never_zero():
    law = base_law(100_000, 0.5)
    assert law[0] == 0.0
    assert law.sum() == pytest.approx(1.0, abs=1e-5)
    assert (law[1:] > 0).all()


def test_laws_are_drawn_by_their_scores():
    laws = Laws(np.array([1.0, 50.0]), np.array([0.2, 0.6]))
    template = size_law(6, alone=2, totals=laws.totals, repeats=laws.repeats)
    state = Partition.of([0, 0, 0, 1, 1, 2])
    table = Model(template).tables(state)[0]
    assert table.many.tolist() == [0, 3, 1, 1, 0, 0, 0]
    score = laws.scores(table.many)
    by_hand = 50.0 * base_law(3, 0.6)[1:]
    expected = (gammaln(by_hand + np.array([3, 1, 1])) - gammaln(by_hand)).sum()
    assert score[1, 1] == pytest.approx(expected + gammaln(50.0) - gammaln(55.0))
    rng, seen = np.random.default_rng(0), np.zeros((2, 2))
    for _ in range(4000):
        before = tuple(table.law)
        _, change = update_block(rng, template.parameters[0], table, state, None)
        assert change == pytest.approx(score[tuple(table.law)] - score[before])
        seen[tuple(table.law)] += 1
    share = np.exp(score - score.max())
    assert seen / 4000 == pytest.approx(share / share.sum(), abs=0.03)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"totals": [0.0]}, "positive totals"),
        ({"repeats": [1.0]}, "between 0 and 1"),
        ({"alone": -1}, "alone"),
        ({"totals": [np.nan]}, "nan"),
    ],
)
def test_bad_laws_are_named(given, words):
    with pytest.raises(InputError, match=words):
        size_law(4, **given)


def test_the_score_is_kept_while_the_law_changes():
    laws = Laws(np.array([1.0, 50.0]), np.array([0.2, 0.6]))
    model = Model(size_law(6, totals=laws.totals, repeats=laws.repeats))
    compiled = compile_chain(model, gibbs_mention(), exact())
    start, rng = Partition.singletons(6), np.random.default_rng(3)
    chain = start_chain(model, start, gibbs_mention(), rng=rng, compiled=compiled)

    def total():
        table = chain.context.tables[0]
        sizes = np.repeat(np.arange(7), table.many)
        law = laws.scores(table.many)[tuple(table.law)]
        return law + gammaln(sizes.size + 1.0) + gammaln(sizes + 1.0).sum()

    first = total()
    for _ in range(20):
        chain.run(5)
        chain.update_parameters()
        assert chain.score == pytest.approx(total() - first)
    assert 0 < chain.facts()["sizes.alone"] < 1
    assert "entities" in chain.facts()


def test_parameters_are_drawn_at_temperature_one_only():
    model = Model(size_law(4))
    assert model.unknown == ["sizes"]
    with pytest.raises(InputError, match="temperature 1 only"):
        sample(model, Partition.singletons(4), temperature=2.0, progressbar=False)
