import numpy as np
import pytest

from partita.linkage.pairwise.term_frequency import (
    count_term_frequency,
    exact_agreement,
    term_frequency_terms,
)

CODES = np.array([0, 0, 0, 0, 1, 1, 2, 3, -1], np.int32)
SHARE = np.array([4, 2, 1, 1]) / 8


def test_missing_values_do_not_make_others_rare():
    assert count_term_frequency(CODES, 4, 0.25).equal == pytest.approx(np.log(0.25 / SHARE))
    unseen = count_term_frequency(CODES, 5, 0.25).equal[4]
    assert unseen == pytest.approx(np.log(2.0)), "an unseen value is as rare as one seen once"


def test_expected_agreement_counts_pairs():
    assert exact_agreement(CODES) == pytest.approx((4 * 3 + 2 * 1) / (8 * 7))
    assert exact_agreement(np.array([-1, -1], np.int32)) > 0


def test_between_clean_sources_rare_values_are_not_adjusted():
    codes = np.array([*range(1000), 0], np.int32)
    common = exact_agreement(codes, clean_sources=True)
    assert common == pytest.approx((999 + 2 * 2) / 1001**2)
    assert count_term_frequency(codes, 1000, common).equal == pytest.approx(np.zeros(1000), abs=0.7)


def test_rare_agreement_counts_more_than_common_agreement():
    pairs = np.array([[0, 1], [4, 5], [0, 4], [6, 7], [0, 6], [0, 8]])
    level = np.array([0, 0, 1, 1, 2, -1], np.int8)
    found = term_frequency_terms(CODES, count_term_frequency(CODES, 4, 0.25), pairs, level, last=2)
    square = (SHARE**2).sum()
    expected = [
        *(np.log(0.25 / 0.5), np.log(0.25 / 0.25)),
        *(0.5 * np.log(square / 0.5), 0.5 * np.log(square / 0.125), 0.0, 0.0),
    ]
    assert found == pytest.approx(expected)
    assert found[1] > found[0]
    assert found[3] > found[2]


def test_fuzzy_terms_are_bounded():
    codes = np.arange(2000, dtype=np.int32)
    codes[:1500] = 0
    term_frequency = count_term_frequency(codes, 2000, 0.5)
    found = term_frequency_terms(
        codes, term_frequency, np.array([[1700, 1800]]), np.ones(1, np.int8), last=3
    )
    assert found == pytest.approx([1.5])
