"""Two hundred fuzz cases, the judge itself, and the cases that once failed."""

import logging

import pytest

from tools.fuzz.__main__ import run_cases
from tools.fuzz.judge import MAX_SECONDS, Refused, Wrong, check_cells, judge, run_command

pytestmark = pytest.mark.compiled

SEED, CASES = 7, 200
FAILED = (
    ("damaged_records", 1, 1721),
    ("damaged_records", 1, 534),
    ("damaged_store", 1, 1751),
)
"""Group, seed and number of cases that failed once: zero bytes in UTF-16, column names of a
damaged Parquet file that are no UTF-8, and a store that lost its model."""


@pytest.fixture(scope="module", autouse=True)
def compiled():
    """Machine code is compiled before the first case, whose CPU seconds are limited."""
    run_command("warm", "--quiet")


@pytest.fixture(autouse=True)
def quiet():
    """Library messages about damaged files are part of no verdict."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


def test_every_case_is_unchanged_or_refused(tmp_path):
    verdicts = run_cases(SEED, range(CASES), tmp_path)
    failures = {number: pair for number, pair in verdicts.items() if pair[1].is_failure}
    assert not failures
    outcomes = [verdict.outcome for _, verdict in verdicts.values()]
    assert outcomes.count("same") > CASES / 4 and outcomes.count("refused") > CASES / 4
    assert max(verdict.seconds for _, verdict in verdicts.values()) < MAX_SECONDS


@pytest.mark.parametrize(("group", "seed", "number"), FAILED)
def test_cases_that_failed(tmp_path, group, seed, number):
    [(_, verdict)] = run_cases(seed, range(number, number + 1), tmp_path, group).values()
    assert not verdict.is_failure, verdict.detail


def test_the_judge_finds_changed_cells(tmp_path):
    path = tmp_path / "out.csv"
    path.write_text('id,x\n1,"a\n"\n2,0.1\n')
    check_cells({"id": ["1", "2"], "x": ["a\n", 0.1]}, path)
    wrong = (
        {"x": ["a", "0.1"]},
        {"x": ["a\n", 0.10000000000000002]},
        {"x": ["a\n"]},
        {"y": ["a\n", "0.1"]},
        {"id": [2**53 + 1, 2]},
    )
    for cells in wrong:
        with pytest.raises(Wrong):
            check_cells(cells, path)


def test_the_judge_separates_outcomes(tmp_path):
    def fail():
        raise RuntimeError("a fault")

    def refuse():
        run_command("profile", tmp_path / "missing.csv")

    assert judge(fail).outcome == "traceback" and judge(fail).is_failure
    assert judge(refuse).outcome == "refused" and not judge(refuse).is_failure
    assert judge(lambda: None).outcome == "same"
    with pytest.raises(Refused, match="there is no file"):
        refuse()


@pytest.mark.parametrize("group", ["other_encoding", "idle_options", "wide_sheet"])
def test_layouts_are_read_or_refused(tmp_path, group):
    verdicts = run_cases(SEED, range(12), tmp_path, group)
    assert not [verdict for _, verdict in verdicts.values() if verdict.is_failure]
