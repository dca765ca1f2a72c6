"""Predicates over entities: names, values, and rejected input."""

import numpy as np
import pytest

from partita.errors import InputError, ModelError
from partita.factors import (
    Model,
    aggregates,
    average,
    count,
    distinct,
    every,
    fraction,
    highest,
    lowest,
    over_pairs,
    over_values,
    some,
)
from partita.factors.predicates.core import predicate
from partita.states import Partition, Regroup
from tests.factors.probe import Probe, follows
from tests.laws.aggregate_cases import pairs_known, twin

ALIKE = np.array(
    [[0.0, 0.875, 0.25, np.nan], [0.875, 0.0, 0.5, 0.0], [0.25, 0.5, 0, 1], [np.nan, 0, 1, 0]]
)
TITLES = over_pairs("title", ALIKE)
NAMES = over_values("name", ["ann", "ann", "", "bob"])


def said(predicates, labels):
    """Return the features of a whole partition, by moves from singletons."""
    probe = Probe(*aggregates(*predicates)).start(Partition.singletons(len(labels)))
    total = np.zeros(len(probe.model.features))
    for k, label in enumerate(labels):
        first = labels.index(label)
        if first < k:
            entity = probe.state.entity
            move = Regroup(k, int(entity[k]), int(entity[first]), 1)
            total += probe.advance(move)[1]
    return dict(zip(probe.model.features, total.tolist(), strict=True))


def test_features_are_named_and_weighted():
    templates = aggregates(
        every(TITLES, at_least=0.9, weight=1.5),
        some(TITLES, below=0.3, each="member"),
        lowest(TITLES, (0.3, 0.5), weight=(-2, 0, 1)),
        distinct(NAMES, cuts=(2, 3)),
    )
    model = Model(*templates)
    assert [template.name for template in templates] == ["title", "name"]
    assert model.weight("title.every at least 0.9") == 1.5
    assert model.weight("title.lowest: < 0.3") == -2
    assert model.weight("title.lowest: 0.3 to 0.5") == 0
    assert model.weight("title.lowest: >= 0.5") == 1
    assert "title.some below 0.3 per member" in model.features
    assert "name.distinct: 2 to 3" in model.features


def test_quantifiers_by_hand():
    asked = (
        every(TITLES, at_least=0.25),
        some(TITLES, at_least=0.5, below=0.75),
        count(TITLES, below=0.5),
        count(TITLES),
        fraction(TITLES, below=0.5),
        highest(TITLES, (0.6, 0.9)),
        average(TITLES),
    )
    # the pairs of 0, 1, 2 are 0.875, 0.25 and 0.5
    found = said(asked, [0, 0, 0, 1])
    assert found["title.every at least 0.25"] == 1
    assert found["title.some at least 0.5 below 0.75"] == 1
    assert found["title.count below 0.5"] == 1
    assert found["title.count"] == 3
    assert found["title.fraction below 0.5"] == pytest.approx(1 / 3)
    assert found["title.highest: 0.6 to 0.9"] == 1
    assert found["title.average"] == pytest.approx(1.625 / 3)


def test_what_is_missing_is_not_asked():
    found = said((every(TITLES, at_least=0.5), count(TITLES)), [0, 1, 2, 0])
    assert set(found.values()) == {0.0}
    one = said((distinct(NAMES),), [0, 0, 0, 0])
    # singletons have three names (one is missing); merged, two distinct names remain
    assert one["name.distinct"] == 2 - 3


def test_an_own_predicate_needs_no_condition():
    def same_sign(data, i, j):
        return data[i] * data[j] > 0

    over = over_pairs("sign", same_sign, data=np.array([1.0, 2.0, -1.0]), n=3)
    assert said((every(over), fraction(over)), [0, 0, 0]) == {
        "sign.every at least 0.5": 0.0,
        "sign.fraction at least 0.5": pytest.approx(1 / 3),
    }


@pytest.mark.parametrize("seed", range(3))
def test_random_walks_follow_the_twin(seed):
    rng = np.random.default_rng(seed)
    n = 12
    alike = np.round(rng.random((n, n)) * 32) / 32
    alike = np.triu(alike, 1) + np.triu(alike, 1).T
    over = over_pairs("alike", alike)
    asked = [
        every(over, at_least=0.2, weight=0.3),
        lowest(over, (0.1, 0.4), weight=(-1, 0, 1), each="member"),
        average(over, cuts=(0.4, 0.6), weight=(0.1, 0.2, 0.3)),
    ]
    probe = Probe(*aggregates(*asked))
    start = Partition.of(rng.integers(0, 4, n))
    assert follows(probe, twin(asked, pairs_known(alike)), start, seed, moves=60) > 0


def test_bad_predicates_are_named():
    with pytest.raises(InputError, match="no condition"):
        every(TITLES)
    with pytest.raises(InputError, match="give a smaller at_least"):
        some(TITLES, at_least=0.5, below=0.5)
    with pytest.raises(InputError, match="ascending"):
        lowest(TITLES, (0.5, 0.3))
    with pytest.raises(InputError, match="no cuts"):
        highest(TITLES, ())
    with pytest.raises(InputError, match="each is 'pair'"):
        average(TITLES, each="pair")
    with pytest.raises(InputError, match="at_least is 'high'"):
        every(TITLES, at_least="high")
    with pytest.raises(InputError, match="strings with a number"):
        every(NAMES, below=3)
    with pytest.raises(InputError, match="counts values"):
        distinct(TITLES)
    with pytest.raises(InputError, match="no quantifier 'most'"):
        predicate(TITLES, "most")
    with pytest.raises(ModelError, match="over_pairs"):
        every([1, 2], below=3)
    with pytest.raises(ModelError, match="no predicate"):
        aggregates()
    with pytest.raises(ModelError, match="not a predicate"):
        aggregates("every")
    with pytest.raises(InputError, match="weights of shape"):
        aggregates(lowest(TITLES, (0.3,), weight=(1, 2, 3)))
    with pytest.raises(InputError, match="built for 4 mentions"):
        Model(*aggregates(average(TITLES))).check(Partition.singletons(5))
