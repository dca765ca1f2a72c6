import numpy as np
import pytest

from partita.comparison.comparisons import Comparisons
from partita.linkage.pairwise import dependence as dependence_module
from partita.linkage.pairwise.dependence import (
    Edge,
    agreement,
    dependence,
    dependence_adjustment,
    draw_equal_pairs,
    spanning_forest,
)
from partita.linkage.pairwise.random_pairs import RandomPairs, estimate_u
from partita.linkage.pairwise.term_frequency import exact_agreement
from tests.linkage.generated import NAMES, people

# no kernels of its own: those it calls are tested as plain Python where they stand
pytestmark = pytest.mark.compiled


def edges_of(sample, seed=0):
    comparisons = Comparisons(sample.columns, sample.column_types)
    rng = np.random.default_rng(seed)
    common = [exact_agreement(column.codes) for column in comparisons.columns]
    random = estimate_u(comparisons, common, None, RandomPairs.draw(comparisons, None, seed))
    return dependence(comparisons, random, rng)


def test_agreement_counts_pairs():
    assert agreement(np.array([0, 0, 0, 1, 1, 2])) == pytest.approx((3 + 1) / 15)


def test_duplicates_alone_make_no_edges():
    assert edges_of(people(household=1)) == []


def test_households_make_edges_between_what_they_share():
    found = edges_of(people(household=4))
    shared = {"family", "street", "area", "call"}
    names = [{NAMES[edge.left], NAMES[edge.right]} for edge in found]
    assert names
    assert all(pair <= shared for pair in names)
    assert {"street", "call"} in names
    for edge in found:
        assert edge.matches < 0.3
        for lifts in (edge.left_lifts, edge.right_lifts):
            assert lifts[0] == pytest.approx(edge.lift)
            assert lifts[-1] == 0
            assert list(lifts) == sorted(lifts, reverse=True)


def test_the_same_seed_gives_the_same_edges():
    sample = people(entities=300, household=4)
    assert edges_of(sample, 3) == edges_of(sample, 3)


def test_the_forest_keeps_the_largest_lifts_and_closes_no_circle():
    edges = [Edge(0, 1, 3.0, 0), Edge(1, 2, 5.0, 0), Edge(0, 2, 4.0, 0), Edge(3, 4, 2.0, 0)]
    found = [(edge.left, edge.right) for edge in spanning_forest(edges, 5)]
    assert found == [(1, 2), (0, 2), (3, 4)]


def test_no_more_comes_off_than_the_weaker_column_brings():
    edge = Edge(0, 1, 3.0, 0.0, (3.0, 1.0, 0.0), (3.0, 2.0, 0.0))
    levels = np.array([[0, 0], [0, 0], [0, 1], [1, 1], [0, 2], [0, -1]], np.int8)
    columns = np.array([[5, 4], [5, 2], [5, 4], [5, 4], [5, -3], [5, 0]], float)
    assert dependence_adjustment([edge], levels, columns).tolist() == [-3, -2, -2, -1, 0, 0]
    assert dependence_adjustment([], levels, columns).tolist() == [0] * 6


@pytest.mark.parametrize("most", [10, 1_000])
def test_random_equal_pairs_are_all_equally_likely(most, monkeypatch):
    monkeypatch.setattr(dependence_module, "MAX_RECORDS_SORTED", most)
    key = np.array([3, 1, 1, 7, 1, 9, 9, 2, 4, 5, 6, 8])
    one, two = draw_equal_pairs(key, 20_000 if most > 12 else 4, np.random.default_rng(0))
    assert (key[one] == key[two]).all()
    assert (one != two).all()
    if most > 12:
        # of four pairs one is of nines
        assert (key[one] == 9).mean() == pytest.approx(0.25, abs=0.02)


def test_few_places_are_sorted_where_they_have_enough_equal_pairs(monkeypatch):
    monkeypatch.setattr(dependence_module, "MAX_RECORDS_SORTED", 500)
    key = np.repeat(np.arange(1_000), 2)
    sorted_places = []
    grouped = dependence_module._grouped
    monkeypatch.setattr(
        dependence_module,
        "_grouped",
        lambda some: sorted_places.append(len(some)) or grouped(some),
    )
    for many in (5, 5_000):
        one, two = draw_equal_pairs(key, many, np.random.default_rng(1))
        assert (key[one] == key[two]).all()
    assert sorted_places == [500, 500, 2_000]
