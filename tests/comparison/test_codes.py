"""Codes inside text: shared, absent or contradicted."""

from types import SimpleNamespace

import numpy as np
import pytest

from partita import resolve
from partita.comparison import CodesInTextComparison, TextWithCodesComparison
from partita.comparison.codes import (
    CONTRADICTED,
    MAIN_SHARED,
    NO_CODES,
    SOME_SHARED,
    codes_of,
    compare_codes,
)
from partita.comparison.comparisons import compare
from partita.data.codes import has_code


def agreement(one, other, *others):
    codes = codes_of([one, other, *others])
    forth, back = compare_codes(codes, np.array([0, 1]), np.array([1, 0]))
    assert forth == back
    return forth


@pytest.mark.parametrize(
    "text", ["sony AC-L200", "ACL 200 adapter", "the acl200", "Sony ac l200 x"]
)
def test_spellings_of_one_code_agree(text):
    assert agreement("power supply ACL200", text) == MAIN_SHARED


def test_codes_of_one_shape_contradict():
    assert agreement("samsung LN22A450 tv", "samsung LN40A550 tv") == CONTRADICTED
    assert agreement("order 123456", "order 123457") == CONTRADICTED
    # another shape, or no code
    assert agreement("samsung LN22A450 tv", "order 123457") == NO_CODES
    assert agreement("samsung LN22A450 tv", "samsung tv") == NO_CODES


def test_versions_years_and_sizes_are_no_codes():
    for text in ("office 2007", "cs3", "5.6 cu ft", "windows v2", ""):
        assert not has_code(text)
    assert agreement("adobe photoshop cs3 2007", "adobe photoshop cs2 2006") == NO_CODES


def test_a_frequent_code_counts_less_than_the_rarest():
    frequent = [f"disk 500gb {k}" for k in range(9)]
    one, other = "disk 500gb wd5000aa", "disk 500gb st3500"
    assert agreement(one, other, *frequent) == SOME_SHARED
    assert agreement(one, "drive wd5000aa", *frequent) == MAIN_SHARED


def test_many_shapes_fit_the_mask():
    texts = ["".join("a1"[bit == "1"] for bit in f"{k:08b}") + "a1" for k in range(256)]
    codes = codes_of(texts)
    assert (codes.shapes >= 0).all()


def test_levels_of_the_comparisons():
    values = ["sony acl200 adapter", "sony ac l200 adapter", "sony xcl300 adapter", "sony adapter"]
    values += [f"{'abc'[k % 3] * 5} {chr(100 + k) * 4}" for k in range(20)]
    column = SimpleNamespace(name="x", values=values, codes=np.arange(24, dtype=np.int32))
    pairs = [(0, 0), (0, 1), (0, 2), (0, 3)]
    assert compare(column, CodesInTextComparison(), pairs).tolist() == [0, 1, 4, 3]
    exact, shared, contradicted, absent = compare(column, TextWithCodesComparison(), pairs)
    assert exact < shared < absent < contradicted


def test_texts_with_codes_are_compared_by_them():
    rows = [
        {"name": f"brand {'xyz'[k % 3]} tv LN{k}A{7 * k}", "note": "plain words"} for k in range(30)
    ]
    rows[0]["note"] = "other words"
    settings = resolve(rows, seed=1).settings
    assert settings.columns["name"].comparison == TextWithCodesComparison()
    named = {"name": {"comparison": "CodesInTextComparison"}}
    assert resolve(rows, seed=1, columns=named).settings.columns["name"].comparison == (
        CodesInTextComparison()
    )
