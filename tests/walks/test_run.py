import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from partita.errors import CheckpointError, InputError
from partita.estimators import exact, uniform
from partita.factors import Model, affinity
from partita.learning import mira, pair_accuracy, perceptron
from partita.proposals import join_neighbour, mixture, move_to_entity, one_canopy, pair_move
from partita.states import Partition
from partita.walks import Settings, driver, run_chains, start_chain
from tests.walks.small import PAIRS, VALUES, N, clusters, run, same

ROOT = Path(__file__).parents[2]


# ---- seeds and cores


def test_the_same_seed_gives_the_same_run():
    assert same(run(random_seed=3), run(random_seed=np.int64(3)))
    assert not np.array_equal(run(random_seed=3).draws, run(random_seed=4).draws)
    assert not np.array_equal(run(random_seed=None).draws, run(random_seed=None).draws)


def test_threads_do_not_show():
    one = run(chains=3, cores=1)
    assert same(one, run(chains=3, cores=2))
    assert not np.array_equal(one.draws[0], one.draws[1])


def test_a_chain_does_not_depend_on_how_many_there_are():
    assert np.array_equal(run(chains=1).draws[0], run(chains=3).draws[0])


def test_each_chain_may_have_its_own_start():
    starts = [Partition.singletons(N), Partition.one_entity(N)]
    found = run(start=starts, draws=1, tune=0, thin=1)
    assert found.traces["entities"][0] >= N - 1
    assert found.traces["entities"][1] <= 2


def test_acceptance_is_listed_by_proposal():
    found = run(proposal=mixture([move_to_entity(), pair_move(one_canopy(N))], [1.0, 3.0]))
    assert set(found.acceptance) == {"move_to_entity", "pair_move"}
    assert all(0 < share < 1 for share in found.acceptance.values())


# ---- errors end the run


def test_an_error_of_one_chain_ends_all(tmp_path, monkeypatch):
    advance = driver.Driver._advance

    def failing(self, temperature):
        if self.number == 1 and self.done == 3:
            raise RuntimeError("chain 1 is broken")
        return advance(self, temperature)

    monkeypatch.setattr(driver.Driver, "_advance", failing)
    began = time.monotonic()
    # chain 0 would take hours; it is stopped and saved
    with pytest.raises(RuntimeError, match="chain 1 is broken"):
        run(draws=10**7, tune=10**7, cores=2, checkpoint=tmp_path)
    assert time.monotonic() - began < 30
    with np.load(tmp_path / "chain-0.npz") as saved:
        assert json.loads(str(saved["header"]))["done"] > 0


def test_too_many_draws_to_hold():
    words = r"would hold 20\d\.\d GB; keep at most 4 GB .* or pass record=False"
    with pytest.raises(InputError, match=words):
        run(draws=10**10, chains=1, factors=1)
    found = run(draws=10**10, chains=1, factors=100, record=False, tune=0)
    assert found.n_draws > 0


# ---- checkpoints of other runs


@pytest.mark.interpreted
@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"random_seed": 8}, "random_seed"),
        ({"draws": 31}, "draws"),
        ({"chains": 3}, "chains"),
        ({"thin": 4}, "thin"),
        ({"steps": 50}, "steps"),
        ({"temperature": 2.0}, "temperature"),
        ({"model": clusters(alpha=2.0)}, "weights"),
        ({"model": clusters(scale=2.0)}, "data"),
        ({"model": Model(affinity(PAIRS, VALUES, N))}, "features"),
        ({"start": Partition.one_entity(N)}, "start"),
        ({"estimator": uniform(0.5)}, "estimator"),
        ({"proposal": pair_move(one_canopy(N))}, "proposal"),
        ({"mode": "map"}, "mode"),
        ({"learner": mira(), "objective": pair_accuracy([0] * N)}, "learner"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_checkpoint_of_another_run_is_refused(saved_run, changed, named):
    with pytest.raises(CheckpointError, match=f"belongs to another run: its {named} is"):
        run(checkpoint=saved_run, **changed)


@pytest.fixture(scope="module")
def saved_run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("saved")
    run(checkpoint=folder)
    return folder


@pytest.mark.interpreted
@pytest.mark.parametrize(
    ("one", "other", "named"),
    [
        (
            {"proposal": join_neighbour(PAIRS, N)},
            {"proposal": join_neighbour(PAIRS[1:], N)},
            "candidates",
        ),
        (
            {"learner": perceptron(), "objective": pair_accuracy([0, 0, 1, 1, 1])},
            {"learner": perceptron(), "objective": pair_accuracy([0, 0, 0, 1, 1])},
            "truth",
        ),
    ],
    ids=["candidates", "truth"],
)
def test_what_a_run_reads_belongs_to_it(tmp_path, one, other, named):
    run(checkpoint=tmp_path, draws=2, **one)
    run(checkpoint=tmp_path, draws=2, **one)
    with pytest.raises(CheckpointError, match=f"belongs to another run: its {named} is"):
        run(checkpoint=tmp_path, draws=2, **other)


def test_damaged_checkpoints_are_refused_and_kept(tmp_path):
    run(checkpoint=tmp_path)
    file = tmp_path / "chain-1.draws"
    whole = file.read_bytes()
    file.write_bytes(whole[:-4])
    with pytest.raises(CheckpointError, match=r"chain-1.draws holds \d+ bytes where \d+"):
        run(checkpoint=tmp_path)
    assert file.read_bytes() == whole[:-4]
    file.write_bytes(whole)
    assert same(run(), run(checkpoint=tmp_path))


# ---- killed


PROGRAM = """
import sys
from tests.walks.small import run
run(checkpoint=sys.argv[1], checkpoint_every=1e-9, draws=6000, tune=10, thin=1, chains=2)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL on this system")
def test_a_killed_process_is_resumed(tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(tmp_path)], cwd=ROOT, env=environment
    )
    try:
        deadline = time.monotonic() + 60
        while len(list(tmp_path.glob("*.npz"))) < 2 and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(0.2)
    finally:
        process.kill()
        process.wait()
    with np.load(tmp_path / "chain-0.npz") as saved:
        done = json.loads(str(saved["header"]))["done"]
    assert 0 < done < 6010
    settings = {"draws": 6000, "tune": 10, "thin": 1, "chains": 2}
    assert same(run(checkpoint=tmp_path, **settings), run(**settings))


INTERRUPTED = """
import os, signal, sys, threading
from partita.kernel import interpreted
from tests.walks.small import run
from partita.walks import chain
if interpreted():
    chain.SLICE = 1000
run(draws=1, tune=0)
threading.Timer(0.7, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    run(checkpoint=sys.argv[1], draws=10, thin=10**12, chains=2, cores=2)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="no such signal on this system")
def test_ctrl_c_is_answered_in_the_middle_of_a_draw_and_everything_is_saved(tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    found = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, str(tmp_path)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    assert found.stdout == "interrupted\n", found.stderr
    for chain in range(2):
        with np.load(tmp_path / f"chain-{chain}.npz") as saved:
            header = json.loads(str(saved["header"]))
        assert header["steps"] > 0
        assert header["pending"] == 10**12 - header["steps"]


# ---- runs that are watched, and chains in portions


def test_a_watch_sees_every_draw_and_may_end_a_chain():
    model, start = clusters(), Partition.singletons(N)
    settings = Settings(draws=6, tune=2, chains=2, seed=7, cores=1, progressbar=False)
    seen = []

    def watch(number, chain):
        seen.append((number, chain.steps))
        return number == 1 and chain.steps >= 3 * N

    ended = run_chains(model, start, move_to_entity(), exact(), settings, watch=watch)
    assert sorted(seen) == [(0, k * N) for k in range(1, 9)] + [(1, k * N) for k in range(1, 4)]
    assert [chain.stopped for chain in ended.chains] == ["", "watch"]
    assert [len(chain.draws) for chain in ended.chains] == [6, 1]


def test_machine_code_serves_a_second_run():
    model, start, proposal = clusters(), Partition.singletons(N), move_to_entity()
    settings = Settings(draws=4, tune=0, chains=1, seed=7, progressbar=False)
    chain = start_chain(model, start, proposal, rng=7)
    first = run_chains(model, start, proposal, exact(), settings, compiled=chain.compiled)
    again = run_chains(model, start, proposal, exact(), settings)
    np.testing.assert_array_equal(first.chains[0].draws, again.chains[0].draws)
    # a chain in portions is the chain of a run with that seed
    chain.run(3 * N)
    chain.run(N)
    np.testing.assert_array_equal(chain.state.entity, first.chains[0].state.entity)
