import numpy as np

from partita.synthetic.draws import Draws, draw_ranks, zipf

INDEX = np.arange(100_000)


def test_a_draw_depends_on_seed_name_and_index_only():
    draws = Draws(3)
    bits = draws.bits("city", INDEX)
    assert np.array_equal(bits[500:600], Draws(3).bits("city", INDEX[500:600]))
    assert not np.any(bits == Draws(4).bits("city", INDEX))
    assert not np.any(bits == draws.bits("street", INDEX))
    assert np.unique(bits).size == INDEX.size


def test_units_are_uniform_and_streams_independent():
    draws = Draws(0)
    first, second = draws.unit("a", INDEX), draws.unit("b", INDEX)
    assert 0.0 < first.min() < first.max() < 1.0
    counts, _ = np.histogram(first, 20, (0, 1))
    # chi-square with 19 degrees of freedom: 43.8 is passed once in a thousand times
    assert ((counts - 5000) ** 2 / 5000).sum() < 43.8
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.012
    assert abs(np.corrcoef(first[1:], first[:-1])[0, 1]) < 0.012


def test_whole_numbers_and_rates():
    draws = Draws(1)
    numbers = draws.below("x", INDEX, 7)
    assert np.bincount(numbers).size == 7
    assert np.bincount(numbers).min() > INDEX.size / 7 * 0.95
    assert draws.below("x", INDEX[:3], np.array([1, 1, 0])).tolist() == [0, 0, 0]
    assert abs(draws.happens("y", INDEX, 0.2).mean() - 0.2) < 0.005
    assert not draws.happens("y", INDEX, 0.0).any()
    assert draws.happens("y", INDEX, 1.0).all()


def test_ranks_follow_the_law():
    law = zipf(50, 1.0, 2.0)
    result = np.bincount(draw_ranks(law, Draws(2).unit("z", INDEX)), minlength=50) / INDEX.size
    weight = 1.0 / (np.arange(1, 51) + 2.0)
    assert np.abs(result - weight / weight.sum()).max() < 0.005
    assert draw_ranks(law, np.array([0.0, 1.0])).tolist() == [0, 49]
