import numpy as np
import pytest

from partita.errors import InputError
from partita.factors import bernoulli, categorical, conjugate, multinomial
from partita.states import Partition
from tests.factors.probe import Probe, follows
from tests.laws import naive

N = 9
RNG = np.random.default_rng(5)
BITS = RNG.integers(0, 2, (N, 11))
CODES = RNG.integers(-1, 3, (N, 2))
COUNTS = RNG.integers(0, 5, (N, 4))


@pytest.mark.parametrize(
    ("component", "twin"),
    [
        (bernoulli(BITS, prior=0.1), naive.columns(BITS, [2] * 11, 0.1)),
        (categorical(CODES, prior=0.6, values=[3, 4]), naive.columns(CODES, [3, 4], 0.6)),
        (multinomial(COUNTS, prior=1.5), naive.multinomial(COUNTS, 1.5)),
    ],
    ids=["bernoulli", "categorical", "multinomial"],
)
def test_scores_follow_the_formula(component, twin):
    start = Partition.of(RNG.integers(0, 3, N))
    assert follows(Probe(conjugate(component)), twin, start, 3, moves=40) > 5


def test_counts_beyond_the_table(monkeypatch):
    monkeypatch.setattr("partita.factors.components.MAX_TABULATED_COUNT", 3)
    component = multinomial(COUNTS, prior=1.5)
    assert component.data.rise.shape[1] == 4
    start = Partition.of(RNG.integers(0, 3, N))
    assert follows(Probe(conjugate(component)), naive.multinomial(COUNTS, 1.5), start, 4) > 2


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: bernoulli([[0, 1], [1, 2]]), r"the value at \(1, 1\) is 2; give 0 and 1 only"),
        (lambda: categorical([[0.5]]), r"the value at \(0, 0\) is 0.5; give codes"),
        (lambda: categorical([[0], [3]], values=[2]), r"values are \[2\] but the columns need"),
        (lambda: multinomial([[1, -1]]), r"the value at \(0, 1\) is -1; give counts"),
        (lambda: bernoulli([[0], [1]], prior=0.0), "the prior is 0.0; give a positive number"),
        (lambda: multinomial(np.zeros((0, 2))), "shape"),
        (lambda: bernoulli([[np.nan]]), r"\(0, 0\) is nan; give finite numbers"),
        (lambda: categorical([[200_000], [0]]), "200001 distinct values; bucket the rare ones"),
    ],
)
def test_bad_values(make, sentence):
    with pytest.raises(InputError, match=sentence):
        make()
