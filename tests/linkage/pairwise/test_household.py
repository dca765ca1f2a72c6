"""Related pairs: the formula, and that they are found where they are, and only there."""

import math

import numpy as np
import pytest

from partita.linkage.pairwise.household import (
    HouseholdClass,
    _make_ratio_decreasing,
    find_separating,
    household_terms,
)
from partita.linkage.pairwise.patterns import weight_table
from partita.linkage.resolve import resolve
from partita.metrics import evaluate
from partita.synthetic import Population
from tests.linkage.made import persons

U = [np.array([0.1, 0.9]), np.array([0.05, 0.15, 0.8])]
R = [np.array([0.95, 0.05]), np.array([0.1, 0.2, 0.7])]


def test_relief_is_its_formula():
    rng = np.random.default_rng(1)
    levels = np.stack([rng.integers(-1, 2, 50), rng.integers(-1, 3, 50)], 1).astype(np.int8)
    term_frequency = rng.normal(size=50)
    related = HouseholdClass(R, 0.03)
    for found, row, rare in zip(
        household_terms(related, U, levels, term_frequency), levels, term_frequency, strict=True
    ):
        product = math.exp(rare)
        for q, level in enumerate(row):
            product *= 1.0 if level < 0 else R[q][level] / U[q][level]
        assert found == pytest.approx(-math.log(1 + 0.03 * product))


def test_missing_values_have_no_weight():
    table = weight_table(R, U)
    assert table.shape == (2, 4)
    assert (table[:, 0] == 0).all()
    np.testing.assert_allclose(table[0, 1:3], np.log(R[0] / U[0]))


def test_a_column_counts_where_households_differ_like_non_matches():
    close = np.array([0.8, 0.1, 0.1])
    assert find_separating([U[1], close], [U[1], U[1]]) == [0]
    common = np.array([0.6, 0.4])
    assert find_separating([common], [common]) == []


def test_relatives_are_never_more_alike_than_matches():
    m, r = np.array([0.3, 0.4, 0.2, 0.1]), np.array([0.4, 0.1, 0.2, 0.3])
    found = _make_ratio_decreasing(r, m)
    assert found.sum() == pytest.approx(1.0)
    assert (np.diff(np.log(m / found)) < 1e-12).all()
    np.testing.assert_allclose(_make_ratio_decreasing(U[1], R[1]), U[1])


def citations(papers, seed):
    """Citations of papers: authors write several, on one subject, in various places."""
    rng = np.random.default_rng(seed)
    stems = [f"{a}{b}{c}" for a in "bdfgklmnprst" for b in "aeiou" for c in ("ran", "mol", "tisk")]
    some = lambda many, pool=stems: rng.choice(pool, many, replace=False).tolist()  # noqa: E731
    rows, truth = [], []
    for author in range(papers // 4):
        group, subject = some(3), some(4)
        for paper in range(4):
            names = " ".join(f"{one[0]} {one}" for one in some(2, group))
            title = some(3, subject) + some(2)
            place = "proceedings of the conference on " + " ".join(some(2))
            for _ in range(int(rng.integers(1, 5))):
                kept = [word for word in title if rng.random() > 0.03]
                where = place if rng.random() > 0.3 else " ".join(place.split()[-2:])
                rows.append({"authors": names, "title": " ".join(kept), "place": where})
                truth.append(4 * author + paper)
    return rows, np.array(truth)


@pytest.mark.compiled
@pytest.mark.parametrize("seed", [1, 2])
def test_papers_of_the_same_authors_are_separated(seed):
    rows, truth = citations(400, seed)
    found = resolve(rows, seed=1)
    assert found.pair_model.household is not None
    assert evaluate(found.labels, truth).pairwise.f1 > 0.95


@pytest.mark.compiled
@pytest.mark.parametrize("household", [0.03, 0.1])
def test_few_households_are_separated_from_persons_as_well(household):
    table, truth = persons(3000, 5, population=Population(household=household))
    found = resolve(table, seed=1)
    assert found.pair_model.household is not None
    assert evaluate(found.labels, truth).pairwise.f1 > 0.98


@pytest.mark.compiled
@pytest.mark.parametrize("seed", [4, 6])
def test_households_are_separated_from_persons(seed):
    table, truth = persons(3000, seed)
    found = resolve(table, seed=1)
    assert found.pair_model.household is not None
    assert evaluate(found.labels, truth).pairwise.f1 > 0.95


@pytest.mark.compiled
@pytest.mark.parametrize("seed", [4, 6])
def test_without_households_there_are_no_relatives(seed):
    table, truth = persons(3000, seed, population=Population(household=0.0))
    found = resolve(table, seed=1)
    assert found.pair_model.household is None
    assert evaluate(found.labels, truth).pairwise.f1 > 0.95
