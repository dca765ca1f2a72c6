import numpy as np
import pytest

from partita.errors import InputError
from partita.kernel import below, chance, entry, generators, poisson


@entry
def drawn_below(rng, n):
    return below(rng, n)


@entry
def drawn_chance(rng, p):
    return chance(rng, p)


@entry
def drawn_poisson(rng, mean):
    return poisson(rng, mean)


def test_chains_have_independent_generators_from_one_seed():
    first, again = generators(5, 3), generators(5, 3)
    assert [g.random() for g in first] == [g.random() for g in again]
    assert len({g.random() for g in first}) == 3
    assert generators(5, 1)[0].random() == generators(5, 4)[0].random()
    assert generators(None, 1)[0].random() != generators(None, 1)[0].random()


def test_whole_numbers_are_uniform():
    rng = np.random.default_rng(0)
    counts = np.bincount([drawn_below(rng, 5) for _ in range(5000)], minlength=5)
    np.testing.assert_allclose(counts / 5000, 0.2, atol=0.03)
    assert drawn_below(rng, 1) == 0


def test_chances():
    rng = np.random.default_rng(1)
    assert not any(drawn_chance(rng, 0.0) for _ in range(100))
    assert all(drawn_chance(rng, 1.0) for _ in range(100))
    assert np.mean([drawn_chance(rng, 0.3) for _ in range(5000)]) == pytest.approx(0.3, abs=0.03)


@pytest.mark.parametrize("mean", [0.0, 0.4, 7.0, 130.0])
def test_poisson_counts(mean):
    rng = np.random.default_rng(2)
    counts = np.array([drawn_poisson(rng, mean) for _ in range(3000)])
    assert counts.mean() == pytest.approx(mean, abs=0.1 * np.sqrt(mean))
    assert counts.var() == pytest.approx(mean, rel=0.1)


@pytest.mark.parametrize("seed", [-1, 1.5, "x", True])
def test_what_is_no_seed(seed):
    with pytest.raises(InputError, match="random_seed is"):
        generators(seed, 1)
