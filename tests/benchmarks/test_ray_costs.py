"""The simulation: more machines never take longer, and what is measured is what a worker does."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.ray import learned, made
from benchmarks.ray_costs import Machine, makespan, measured, simulated
from partita.scale import Settings

CALM = Machine(lost=0.0, handing=0.0)


@pytest.fixture(scope="module")
def costs(tmp_path_factory):
    settings = Settings(temperatures=(0.3,), chunk=400)
    folder = tmp_path_factory.mktemp("costs")
    return measured(made(500, 1)[0], made(2000, 1)[0], learned(), settings, folder)


def test_costs_are_measured(costs):
    assert costs.mentions == 2000
    assert min(costs.writing, costs.first, costs.full, costs.later, costs.dealing) > 0
    assert min(costs.shard, costs.labels, costs.table) > 1
    assert costs.shares.sum() == pytest.approx(1)


def test_makespan_of_a_list():
    rng = np.random.default_rng(0)
    assert makespan(np.array([4.0, 3.0, 2.0, 1.0]), 2, CALM, rng) == 5
    assert makespan(np.array([4.0]), 9, CALM, rng) == 4
    risky = replace(CALM, lost=1e9, start=10.0)
    assert makespan(np.array([4.0]), 1, risky, rng) == 4 + 2 + 10


def test_more_machines_are_no_slower_and_work_is_the_same(costs):
    one, many = (simulated(costs, 10**7, fleet, kind=CALM) for fleet in (1, 16))
    assert many["hours"] < one["hours"]
    assert many["cpu_hours"] == pytest.approx(one["cpu_hours"])
    assert simulated(costs, 10**8, 16, kind=CALM)["cpu_hours"] > 9 * one["cpu_hours"]


def test_only_cut_canopies_have_further_rounds(costs):
    calm = {"kind": CALM, "machines": 1}
    small = [simulated(costs, 10**5, rounds=rounds, **calm) for rounds in (1, 5)]
    assert small[0] == small[1]
    assert small[0]["cut_share"] == 0
    large = [simulated(costs, 10**8, rounds=rounds, **calm) for rounds in (1, 5)]
    assert large[0]["cut_share"] > 0
    assert large[1]["traffic_gigabytes"] > large[0]["traffic_gigabytes"]
