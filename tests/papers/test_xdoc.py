"""`python -m papers.xdoc` on contexts of a few made-up people."""

import json
from collections import Counter

import numpy as np
import pytest

from papers.xdoc import __main__ as command
from papers.xdoc import data, experiments
from papers.xdoc.rounds import KINDS, Setting, mean_similarity, run, shared_out, summed
from partita.metrics import bcubed

TOPICS = ["ball goal match team", "vote party law state", "song band stage tour"]


def made(people=6, each=8, seed=3):
    """Contexts that mix the words of a person with those of a topic that two people share."""
    rng = np.random.default_rng(seed)
    bags, truth = [], []
    for person in range(people):
        own = [f"p{person}w{k}" for k in range(6)]
        words = TOPICS[person % len(TOPICS)].split()
        for _ in range(each):
            bags.append(Counter([*rng.choice(own, 4), *rng.choice(words, 3), "the"]))
            truth.append(person)
    return data.Mentions(data.contexts(bags), np.array(truth))


MADE = made()


@pytest.mark.parametrize("kind", KINDS)
def test_every_model_finds_the_people(kind):
    setting = Setting(kind=kind, bias=2.0, rounds=6, proposals=30)
    points = run(MADE, setting)
    assert bcubed(points[-1].labels, MADE.truth).f1 > 0.9
    assert points[-1].seconds >= points[-1].elapsed > 0


def test_the_same_seed_gives_the_same_labels_whatever_the_threads_do():
    setting = Setting(kind="combined", workers=2, bias=2.0, rounds=3, proposals=10, seed=4)
    first, second = run(MADE, setting), run(MADE, setting)
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a.labels, b.labels)


def test_workers_get_whole_groups():
    groups = np.array([0, 0, 1, 2, 2, 2, 3])
    part = shared_out(groups, 2, np.random.default_rng(0))
    assert len(set(zip(groups.tolist(), part.tolist(), strict=True))) == 4
    assert set(part.tolist()) == {0, 1}


def test_contexts_of_entities_have_unit_length_and_the_mean_is_over_pairs():
    joined = summed(MADE.rows, MADE.truth)
    assert np.allclose(np.asarray(joined.multiply(joined).sum(1)), 1.0)
    dense = MADE.rows.toarray()
    pairs = (dense @ dense.T)[np.triu_indices(len(dense), 1)]
    assert mean_similarity(MADE.rows) == pytest.approx(pairs.mean())


def test_the_command_prints_rows_and_claims(monkeypatch, capsys):
    monkeypatch.setattr(experiments, "john_smith", lambda: MADE)
    monkeypatch.setattr(experiments, "person_x", lambda names: MADE)
    monkeypatch.setattr(experiments, "ranked", lambda: ["a"] * 20)
    monkeypatch.setattr(experiments, "BIASES", (1.0, 2.0))
    size = experiments.Size(people=2, others=2, rounds=2, seeds=1, workers=(1, 2))
    monkeypatch.setattr(command, "QUICK", size)
    assert command.main(["--quick", "--json"]) == 0
    found = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert len(found["rows"]) == 3 * 4 + 2 * 4
    assert all(0 <= row["bcubed"] <= 100 for row in found["rows"])
    assert len(found["claims"]) == 2 + 2 * len(size.workers)


def test_data_that_is_not_there_is_named(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("PARTITA_DATA", str(tmp_path))
    assert command.main(["--quick"]) == 1
    assert "set PARTITA_DATA" in capsys.readouterr().err
