"""The experiments of SDDS: data as in the paper, accounts that are right, claims that can fail."""

import json

import numpy as np
import pytest

from papers.sdds import dpmm, emm, report
from papers.sdds.__main__ import main

TINY = emm.Size(((30, 400),), (1, 5), 2, 80)


@pytest.fixture(scope="module")
def found():
    return emm.run(TINY, 0)


def test_every_method_from_every_start(found):
    assert [(one["curve"].method.name, one["curve"].k0) for one in found] == [
        (method.name, k0) for method in emm.METHODS for k0 in (1, 5)
    ]
    for one in found:
        curve = one["curve"]
        assert curve.k.shape == (2, emm.POINTS)
        assert (curve.burned > 0) == curve.method.ramp
        assert one["microseconds"] > 0
        assert 0 <= one["splits"] <= 1
        assert (curve.k >= 1).all()


def test_an_iteration_of_rgsm_has_a_whole_scan():
    by_name = {method.name: method for method in emm.METHODS}
    assert by_name["RGSM (5,1,1)"].steps(500) == 501
    assert by_name["SDDS"].steps(500) == 2
    upto = by_name["RGSM (5,1,1)"].proposal(500).table.upto
    assert upto[0] == pytest.approx(1 / 501)


def test_claims_follow_the_rows(found):
    rows = report.emm_rows(found)
    for row in rows:
        row["k"] = [10.0, 10.0] if "RGSM" not in row["method"] else [float(row["k0"])] * 2
        row["microseconds"] = 50.0 if "RGSM" in row["method"] else 2.0
    assert [claim["holds"] for claim in report.claims_emm(rows)] == ["yes"] * 4
    next(row for row in rows if row["method"] == "SDDS")["k"] = [2.0, 10.0]
    assert [claim["holds"] for claim in report.claims_emm(rows)] == ["no", "yes", "yes", "yes"]


def test_bernoulli_data():
    bits, kind = dpmm.draw(4000, 1)
    assert bits.shape == (4000, 15)
    means = np.array([bits[kind == k].mean(0) for k in range(5)])
    assert (np.minimum(abs(means - 0.95), abs(means - 0.05)) < 0.04).all()


def test_courses_and_their_table():
    size = dpmm.Size((60,), (0.02,), (1,))
    rows = dpmm.table(dpmm.run(size, 0, ("SDDS", "Gibbs")))
    assert [row["method"] for row in rows] == ["SDDS", "Gibbs"]
    late = dpmm.Course("SDDS", np.array([0.0, 1.0, 2.0]), np.array([0.0, 0.5, 0.995]), 5)
    never = dpmm.Course("Gibbs", np.array([0.0, 1.0]), np.array([0.0, 0.5]), 5)
    by_name = {row["method"]: row for row in dpmm.table({60: [late, never]})}
    assert by_name["SDDS"]["median_seconds"] == 2.0
    assert by_name["Gibbs"]["median_seconds"] is None


def test_the_advantage_must_grow():
    def rows(times):
        return [
            {"mentions": n, "method": method, "median_seconds": s}
            for n, three in times.items()
            for method, s in zip(("SDDS", "RGSM (5,1,1)", "Gibbs"), three, strict=True)
        ]

    growing = report.claims_dpmm(rows({10: (1.0, 2.0, 3.0), 100: (1.0, None, 5.0)}))
    assert [claim["holds"] for claim in growing] == ["in seconds yes, by ratio yes"] * 2
    shrinking = report.claims_dpmm(rows({10: (1.0, 3.0, 0.5), 100: (1.0, 2.0, 5.0)}))
    assert [claim["holds"] for claim in shrinking] == ["in seconds no, by ratio no"] * 2
    # 5 s more and then 40, but 6 times as long and then 5
    mixed = report.claims_dpmm(rows({10: (1.0, 6.0, 6.0), 100: (10.0, 50.0, 50.0)}))
    assert [claim["holds"] for claim in mixed] == ["in seconds yes, by ratio no"] * 2


@pytest.mark.long
@pytest.mark.parametrize("command", ["emm", "dpmm"])
def test_command(command, tmp_path, capsys):
    pytest.importorskip("vl_convert", reason="vl-convert-python is not installed")
    assert main([command, "--quick", "--json", "--out", str(tmp_path)]) == 0
    last = json.loads(capsys.readouterr().out.strip().splitlines()[-1])
    assert last["experiment"] == command
    assert (tmp_path / f"{command}.png").stat().st_size > 10_000


def test_a_negative_seed_is_refused(capsys):
    with pytest.raises(SystemExit):
        main(["emm", "--seed", "-1"])
    assert "--seed is -1; give a number of at least 0" in capsys.readouterr().err
