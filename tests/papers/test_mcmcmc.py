"""Figure 2 of MCMCMC: the models are the paper's, the accounts are right, the claims show."""

import itertools
import json
import math

import numpy as np
import pytest

from papers.mcmcmc import figure2
from papers.mcmcmc.__main__ import main
from papers.mcmcmc.figure2_report import claims
from papers.mcmcmc.stars import PER_OCTAVE, Track, draw_stars, grid, track
from partita import Labels
from partita.estimators import confidence, exact, uniform
from partita.kernel import generators
from partita.proposals import flip, gibbs_label
from partita.walks import compile_chain, start_chain

SMALL = figure2.Size(models=10, budget=4_000)
SOME = ("p = 1", "p = 0.5", "p = 0.1", "minibatch χ = 0")


def rows_of(names):
    return [row for row in figure2.methods() if row.name in names]


@pytest.fixture(scope="module")
def small():
    panels = figure2.run(SMALL, 0, rows_of(SOME))
    return {p.key: {row["method"]: row for row in figure2.table(p)} for p in panels}


def test_marginals_equal_enumeration():
    stars = draw_stars(3, 5, 7, 0.1, 0.4)
    for k, p in enumerate(stars.marginals):
        weight = [math.exp(sum(stars.scores[k, label])) for label in (0, 1)]
        assert p == pytest.approx(weight[1] / sum(weight), abs=1e-12)


def test_models_carry_the_scores():
    stars = draw_stars(4, 2, 6, 0.5, 1.0)
    for k, model in enumerate(stars.models):
        compiled = compile_chain(model, gibbs_label(), exact())
        rng = generators(0, 1)[0]
        chain = start_chain(model, Labels.of([0], 2), gibbs_label(), rng=rng, compiled=compiled)
        while chain.state.label[0] == 0:
            chain.run(1)
        assert model.bounds()[0] == pytest.approx(np.abs(np.diff(stars.scores[k], axis=0)).max())
        assert chain.examined == 6 * chain.steps
        assert chain.score == pytest.approx(stars.log_odds[k])


def test_hard_models_keep_their_range():
    p = draw_stars(1, 30, 100, 0.0, 0.1, within=(0.05, 0.95)).marginals
    assert p.min() >= 0.05 and p.max() <= 0.95


def test_watching_does_not_disturb_the_chain():
    stars, points = draw_stars(5, 3, 20, 0.0, 0.1), [200, 400, 800]
    tracked = track(stars, flip(), exact(), points, seed=7)
    models = stars.models
    compiled = compile_chain(models[0], flip(), exact())
    for k, rng in enumerate(generators(7, 3)):
        start = Labels.of([stars.start[k]], 2)
        chain = start_chain(models[k], start, flip(), rng=rng, compiled=compiled)
        labels = [int(start.label[0])]
        for _ in range(40):
            chain.run(1)
            labels.append(int(chain.state.label[0]))
        assert tracked.ones[k].tolist() == [sum(labels[: n + 1]) for n in (10, 20, 40)]
        assert tracked.visits[k].tolist() == [11, 21, 41]
        assert tracked.examined[k].tolist() == points


def test_points_double_and_later_is_the_second_half():
    points = grid(16_000)
    assert points[-1] == 16_000 and points[-1 - PER_OCTAVE] == 8_000
    counts = np.arange(1.0, 10.0)[None]
    later = Track(counts, counts / 2, counts).later()
    assert later.visits.tolist() == [[float(PER_OCTAVE)] * (9 - PER_OCTAVE)]


def test_factors_examined_a_step(small):
    for key in ("paper", "hard"):
        assert small[key]["p = 1"]["factors_per_step"] == 100
        assert small[key]["p = 0.5"]["factors_per_step"] == 50
        assert small[key]["p = 0.1"]["factors_per_step"] == 10


def test_half_of_the_factors_reach_the_error_sooner(small):
    paper = small["paper"]
    assert paper["p = 0.5"]["factors"]["0.05"] < paper["p = 1"]["factors"]["0.05"]
    assert paper["p = 0.5"]["speedup"]["0.05"] == pytest.approx(2.0, rel=0.1)


def test_few_factors_leave_a_floor_on_hard_models(small):
    hard = small["hard"]
    assert hard["p = 0.1"]["end_error"] > hard["p = 1"]["end_error"]
    assert hard["p = 0.1"]["factors"]["0.05"] is None


def test_reached_is_the_last_crossing():
    row, x = rows_of(["p = 1"])[0], np.array([100.0, 200.0, 400.0, 800.0])
    curve = figure2.Curve(row, 100.0, x, np.array([0.4, 0.1, 0.2, 0.05]), np.zeros(4))
    assert figure2.reached(curve, 0.1) == pytest.approx(400 * 2**0.5)
    assert figure2.reached(curve, 0.5) == 100.0
    assert figure2.reached(curve, 0.01) is None


def test_equation_nine():
    m = figure2.expected_sample(0.5, 100, math.sqrt(2.0))
    width = 2 * 1.96 * math.sqrt(2.0) / math.sqrt(m) * math.sqrt((100 - m) / 99)
    assert width == pytest.approx(0.5)
    # the paper's widest interval already asks for nearly all of 100 factors
    assert figure2.expected_sample(0.1, 100, math.sqrt(2.0)) > 96


def test_early_stops_equal_enumeration():
    stars = draw_stars(6, 2, 8, 0.1, 0.3)
    share, _ = figure2.early_stops(0.4, stars)
    found = []
    for scores in stars.scores:
        for a, b in itertools.combinations(scores[1] - scores[0], 2):
            width = 2 * 1.96 * np.std([a, b], ddof=1) / math.sqrt(2) * math.sqrt(6 / 7)
            found.append(width <= 0.4)
    assert share == pytest.approx(np.mean(found))
    tracked = track(stars, gibbs_label(), confidence(100.0), [200], seed=0)
    assert tracked.examined.tolist() == [[200.0], [200.0]]
    assert tracked.visits.tolist() == [[101.0], [101.0]]


def test_uniform_of_all_is_exact():
    stars = draw_stars(8, 3, 10, 0.0, 0.2)
    all_of = track(stars, gibbs_label(), uniform(1.0), [500], seed=1)
    every = track(stars, gibbs_label(), exact(), [500], seed=1)
    assert np.array_equal(all_of.ones, every.ones)


@pytest.mark.compiled
def test_command_prints_json(tmp_path, capsys):
    assert main(["figure2", "--quick", "--json", "--seed", "1", "--out", str(tmp_path)]) == 0
    found = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert found["experiment"] == "figure2" and found["seed"] == 1
    assert set(found["tables"]) == {"paper", "hard"}
    for rows in found["tables"].values():
        assert [row["method"] for row in rows] == [row.name for row in figure2.methods()]
    hard = {row["method"]: row for row in found["tables"]["hard"]}
    assert hard["p = 0.1"]["end_error"] > 2 * hard["p = 1"]["end_error"]
    assert hard["minibatch χ = .03"]["end_error"] < hard["p = 0.1"]["end_error"] / 2
    assert hard["scheduled, 2nd half"]["end_error"] < hard["p = 0.1"]["end_error"] / 2
    assert found["claims"] == claims(found["tables"]["paper"])
    assert all((tmp_path / f"figure2.{kind}").stat().st_size > 10_000 for kind in ("png", "html"))
