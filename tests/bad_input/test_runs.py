"""Runs: settings that do not fit, and what comes to light while the chain runs."""

import re

import numpy as np
import pytest

from partita import Labels, Model, Partition, cooling, sample
from partita import estimators as e
from partita import factors as f
from partita import learning as lr
from partita import proposals as p
from partita.errors import CheckpointError, InputError, ModeError, ModelError
from tests.bad_input.sentences import INF, NAN, names_value_and_remedy, told

THREE = Partition.singletons(3)


def pairs_model():
    return Model(f.affinity([[0, 1], [1, 2]], [1.0, -1.0], 3))


def field():
    return Model(f.unary(np.eye(2), 2))


def go(model=None, start=THREE, **settings):
    given = {"draws": 2, "tune": 0, "chains": 1, "random_seed": 0, "progressbar": False}
    return sample(pairs_model() if model is None else model, start, **given | settings)


def near(data, i, j):
    return data[i] * data[j]


RUNS = {
    "a template": (lambda: go(f.ewens()), ModelError, "is no Model", "such as Model"),
    "an uncalled proposal": (
        lambda: go(proposal=p.move_to_entity),
        *(ModelError, "is no Proposal", r"such as move_to_entity\(\)"),
    ),
    "an uncalled estimator": (
        lambda: go(estimator=e.exact),
        *(ModelError, "is no Estimator", r"such as exact\(\)"),
    ),
    "a list": (lambda: go(start=[0, 1, 2], chains=3), InputError, "is int", "Partition.of"),
    "another state": (
        lambda: go(start=Labels.of([0], 2)),
        *(InputError, "start is Labels", "Partition.of"),
    ),
    "too few mentions": (
        lambda: go(start=Partition.singletons(2)),
        *(InputError, "3 mentions but the start has 2", "the same mentions"),
    ),
    "too many mentions": (
        lambda: go(Model(f.similarity(near, np.ones(3), 3)), Partition.singletons(9)),
        *(InputError, "3 mentions but the start has 9", "the same mentions"),
    ),
    "too many to list": (
        lambda: go(Model(f.cluster_score(lambda d, m: 1.0, 0.0, 3)), Partition.singletons(9)),
        *(InputError, "3 mentions but the start has 9", "the same mentions"),
    ),
    "columns": (
        lambda: go(Model(f.agreement({"a": [0, 1]}))),
        *(InputError, "2 mentions but the start has 3", "the same mentions"),
    ),
    "variables": (
        lambda: go(field(), Labels.of([0] * 3, 2)),
        *(InputError, "2 variables but the start has 3", "the same variables"),
    ),
    "edges outside": (
        lambda: go(Model(f.pairwise([[0, 4]], 2)), Labels.of([0] * 3, 2)),
        *(InputError, "5 variables but the start has 3", "the same variables"),
    ),
    "domain": (
        lambda: go(field(), Labels.of([0] * 2, 3)),
        *(InputError, "domain of 3", "a label for every value"),
    ),
    "candidates": (
        lambda: go(proposal=p.join_neighbour([[0, 1]], 2)),
        *(InputError, "2 mentions but the start has 3", "the same mentions"),
    ),
    "Gibbs candidates": (
        lambda: go(proposal=p.gibbs_neighbour([[0, 1]], 2)),
        *(InputError, "2 mentions but the start has 3", "the same mentions"),
    ),
    "canopies": (
        lambda: go(proposal=p.pair_move(p.one_canopy(4))),
        *(InputError, "4 mentions but the start has 3", "the same mentions"),
    ),
    "crossing": (
        lambda: go(start=Partition.one_entity(3), proposal=p.pair_move(p.canopies_of([0, 0, 1]))),
        *(InputError, "mention 0", "start from singletons"),
    ),
    "wrong proposal": (
        lambda: go(proposal=p.flip()),
        *(ModelError, "'flip' moves Labels", "a proposal for Partition"),
    ),
    "wrong proposal for labels": (
        lambda: go(field(), Labels.of([0, 0], 2), proposal=p.join_neighbour([[0, 1]], 2)),
        *(ModelError, "moves Partition", "a proposal for Labels"),
    ),
    "starts": (lambda: go(start=[THREE], chains=2), InputError, "1 starts for 2", "one for each"),
    "mode": (lambda: go(mode="best"), InputError, "'best'", "'posterior' or 'map'"),
    "sweep": (lambda: go(sweep="all"), InputError, "'all'", "'random' or 'canopies'"),
    "sweep without canopies": (
        lambda: go(sweep="canopies"),
        *(InputError, "'move_to_entity'", "use pair_move"),
    ),
    "no draws": (lambda: go(draws=0), InputError, "draws is 0", "at least 1"),
    "half a draw": (lambda: go(draws=1.5), InputError, "draws is 1.5", "whole number"),
    "negative tune": (lambda: go(tune=-1), InputError, "tune is -1", "at least 0"),
    "no chains": (lambda: go(chains=0), InputError, "chains is 0", "at least 1"),
    "no cores": (lambda: go(cores=0), InputError, "cores is 0", "at least 1"),
    "no thinning": (lambda: go(thin=0), InputError, "thin is 0", "at least 1"),
    "no steps": (lambda: go(steps=0), InputError, "steps is 0", "at least 1"),
    "no factors": (lambda: go(factors=-3), InputError, "factors is -3", "at least 1"),
    "no seconds": (lambda: go(seconds=0.0), InputError, "seconds is 0.0", "positive"),
    "NaN seconds": (lambda: go(seconds=NAN), InputError, "seconds is nan", "positive"),
    "checkpoint_every": (
        lambda: go(checkpoint_every=-1.0),
        *(InputError, "checkpoint_every is -1.0", "positive"),
    ),
    "negative seed": (lambda: go(random_seed=-1), InputError, "is -1", "at least 0"),
    "seed of text": (lambda: go(random_seed="x"), InputError, "'x'", "whole number"),
    "temperature 0": (lambda: go(temperature=0.0), InputError, "is 0.0", "positive"),
    "temperature below 0": (lambda: go(temperature=-1.0), InputError, "is -1.0", "positive"),
    "temperature NaN": (lambda: go(temperature=NAN), InputError, "is nan", "positive"),
    "temperature of text": (lambda: go(temperature="hot"), InputError, "'hot'", "a number"),
    "temperature of nothing": (
        lambda: go(temperature=lambda progress: None, mode="map"),
        *(InputError, "is None", "positive"),
    ),
    "cooling while sampling": (
        lambda: go(temperature=cooling()),
        *(InputError, "changing temperature", "use mode='map'"),
    ),
    "minibatch of a prior": (
        lambda: go(Model(f.ewens()), estimator=e.minibatch()),
        *(InputError, "needs a bound", "pass bound="),
    ),
    "minibatch when hot": (
        lambda: go(estimator=e.minibatch(), temperature=2.0),
        *(InputError, r"minibatch\(0\)", r"use exact\(\)"),
    ),
    "learning by minibatch": (
        lambda: go(
            estimator=e.minibatch(), learner=lr.mira(), objective=lr.pair_accuracy([0, 0, 1])
        ),
        *(ModelError, r"minibatch\(0\)", r"use exact\(\)"),
    ),
    "no objective": (lambda: go(learner=lr.mira()), ModelError, "an objective", "give both"),
    "truth short": (
        lambda: go(learner=lr.mira(), objective=lr.pair_accuracy([0, 1])),
        *(InputError, "2 true labels but the start has 3", "one for each"),
    ),
    "truth of labels": (
        lambda: go(learner=lr.mira(), objective=lr.hamming([0, 1, 0])),
        *(ModelError, "judges Labels", "an objective for Partition"),
    ),
    "too many draws": (
        lambda: go(draws=10**10),
        *(InputError, r"\d+\.\d GB", "record=False"),
    ),
    "folder": (
        lambda: go(checkpoint="/dev/null/x"),
        *(InputError, "/dev/null/x", "a folder that can be written"),
    ),
}


@pytest.mark.parametrize("name", RUNS)
def test_runs(name):
    names_value_and_remedy(RUNS[name])


def trap(data, i, j):
    return data[0] if i + j == 3 else 0.0


@pytest.mark.parametrize("value", [NAN, INF])
def test_a_function_that_returns_nonsense_later(value, tmp_path):
    model = Model(f.similarity(trap, np.array([value]), 4))
    settings = {"start": Partition.singletons(4), "draws": 10**6, "checkpoint": tmp_path}
    message = told(lambda: go(model, **settings), ModelError)
    assert re.search(r"at step \d+ the score became NaN or infinite", message)
    assert "returns finite numbers" in message


def test_a_start_that_scores_nothing():
    model = Model(f.similarity(trap, np.array([-INF]), 4))
    message = told(lambda: go(model, Partition.one_entity(4)), InputError)
    assert "the score -inf; start from one" in message


def test_a_foreign_and_a_corrupt_checkpoint(tmp_path):
    go(checkpoint=tmp_path)
    message = told(lambda: go(checkpoint=tmp_path, random_seed=5), CheckpointError)
    assert re.search(r"its random_seed is 0, this one's is 5; give another folder", message)
    message = told(lambda: go(pairs_model(), checkpoint=tmp_path, draws=3), CheckpointError)
    assert "its draws is 2" in message
    (tmp_path / "chain-0.npz").write_bytes(b"rubbish")
    message = told(lambda: go(checkpoint=tmp_path), CheckpointError)
    assert re.search(r"chain-0.npz is damaged .*; delete .* to start anew", message)


def test_questions_that_a_search_cannot_answer():
    found = go(mode="map")
    message = told(lambda: found.p_same([[0, 1]]), ModeError)
    assert "p_same is not available from a MAP search" in message
    assert "run sample(..., mode='posterior')" in message
