import math

import numpy as np
import pytest

from partita.factors import Model, dirichlet_multinomial
from partita.states import Partition, Regroup
from tests.factors.probe import Probe, follows, groups_of

N = 8
RNG = np.random.default_rng(7)
CITY = np.array(["x", "y", None, "x", "x", "y", "z", ""], object)
WORDS = RNG.integers(0, 4, (N, 5))
TOTALS = {"city": 0.7, "words": 2.5}


def counts(name):
    if name == "words":
        return WORDS.astype(float)
    values = ["x", "y", "z"]
    return np.array([[float(v == one) for one in values] for v in CITY])


def phi(entity, base="empirical"):
    found = []
    for name, total in TOTALS.items():
        table = counts(name)
        weight = table.sum(0) if base == "empirical" else np.ones(table.shape[1])
        prior = total * weight / weight.sum()
        score = 0.0
        for members in groups_of(entity):
            n = table[members].sum(0)
            score += sum(math.lgamma(b + x) - math.lgamma(b) for b, x in zip(prior, n, strict=True))
            score -= math.lgamma(total + n.sum()) - math.lgamma(total)
        found.append(score)
    return np.array(found)


@pytest.fixture(scope="module", params=["dense", "sparse"])
def probe(request):
    return Probe(
        dirichlet_multinomial(
            {"city": CITY},
            {"words": WORDS},
            concentration=TOTALS,
            weights=[1.0, 0.5],
            storage=request.param,
        )
    )


@pytest.mark.parametrize("seed", range(8))
def test_the_collapsed_score_of_every_entity(probe, seed):
    start = Partition.of(np.random.default_rng(seed).integers(0, 3, N))
    assert follows(probe, phi, start, seed, moves=40, tolerance=1e-8) > 5


def test_hand_worked():
    # one column, uniform base over two values, B = 2: a pair of equal values has the
    # probability 1/2 * 2/3, apart 1/2 * 1/2; a pair of different ones 1/2 * 1/3
    template = dirichlet_multinomial({"a": ["u", "u", "v"]}, concentration=2.0, base="uniform")
    probe = Probe(template).start(Partition.singletons(3))
    assert probe.advance(Regroup(1, 1, 0, 1))[0] == pytest.approx(math.log(4 / 3))
    probe.start(Partition.singletons(3))
    assert probe.advance(Regroup(2, 2, 0, 1))[0] == pytest.approx(math.log(2 / 3))


def test_concentrations_by_name_or_for_all():
    def totals(given):
        template = dirichlet_multinomial({"a": [0, 1]}, {"b": [[1], [2]]}, concentration=given)
        return template.table.total.tolist()

    assert totals(3.0) == [3.0, 3.0]
    assert totals({"b": 4.0}) == [1.0, 4.0]


def test_the_base_measure_sums_to_the_concentration():
    for base in ("empirical", "uniform"):
        template = dirichlet_multinomial({"city": CITY}, {"words": WORDS}, base=base)
        table = template.table
        np.testing.assert_allclose(np.bincount(table.bags.group, table.prior), [1.0, 1.0])
    assert Model(template).features == ["dirichlet.city", "dirichlet.words"]
