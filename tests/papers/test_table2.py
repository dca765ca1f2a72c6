"""Table 2 of MCMCMC: every row of the paper, and claims that follow the rows."""

import pytest

from papers.mcmcmc import table2

TINY = table2.Size(1500, 1500, 0.3)


@pytest.fixture(scope="module")
def rows():
    return table2.run(TINY, 0)


def test_every_row_of_the_paper(rows):
    assert [row["method"] for row in rows] == [*table2.PAPER, table2.AGGREGATED]
    by_name = {row["method"]: row for row in rows}
    assert by_name[table2.BASE]["factors_speedup"] == 1.0
    assert by_name["p = 0.5"]["paper"] == 2.02
    assert by_name["i = 100"]["paper"] == 13.16
    assert by_name[table2.BASE]["best"] >= table2.GOAL
    assert by_name[table2.AGGREGATED]["factors_speedup"] is None


def test_claims_follow_the_rows(rows):
    changed = [dict(row, factors_speedup=2.0, seconds=1.0) for row in rows]
    changed[-1]["seconds"] = 0.5
    verdicts = [one["holds"] for one in table2.claims(changed)]
    assert verdicts == ["yes", "yes", "no", "yes", "yes"]
    changed[-1]["seconds"] = None
    assert [one["holds"] for one in table2.claims(changed)][3:] == ["no", "no"]
