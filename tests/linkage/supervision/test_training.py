"""Training: a few labels help and never hurt, and what cannot be learned from is refused."""

import json

import numpy as np
import pytest

import partita
from partita.errors import InputError
from partita.linkage.resolve import compare_records, read_settings
from partita.linkage.supervision import training
from partita.linkage.supervision.active_learning import Answer, Questions
from partita.linkage.supervision.refit import PenalisedRefit, TrainingPairs
from partita.linkage.supervision.trained_model import HeldOut
from partita.metrics import evaluate
from partita.progress import Clock
from tests.linkage.made import persons, two_sources
from tests.linkage.supervision.test_refit import model, pool

pytestmark = pytest.mark.compiled


@pytest.fixture(scope="module")
def drawn():
    """Records, who they are, and labels that the truth gave to our own questions."""
    table, truth = persons(300, seed=4)
    ready = compare_records(table, read_settings(None, {})[0], None, None, Clock(False))
    questions, answers = Questions(ready.scored), []
    ids, first = ready.records.ids.to_pylist(), ready.prepared.numbering.wide
    labels = []
    while len(answers) < 80:
        pair = questions.next(answers)
        left, right = first[list(pair)]
        match = bool(truth[left] == truth[right])
        answers.append(Answer(*pair, match))
        words = str(ids[left]), str(ids[right]), "match" if match else "non-match"
        labels.append(dict(zip(("unique_id_l", "unique_id_r", "label"), words, strict=True)))
    return table, truth, labels


@pytest.fixture(scope="module")
def trained(drawn):
    table, _, labels = drawn
    return partita.train(table, labels, seed=1)


def f1(table, truth, **options):
    found = partita.resolve(table, seed=1, **options)
    return evaluate(found.labels, truth, ceaf=False).pairwise.f1


def test_labels_help_on_held_out_labels_and_in_the_result(drawn, trained):
    table, truth, _ = drawn
    found = trained.held_out
    assert found.changed
    assert found.labels == 80
    assert found.loss < found.loss_before
    assert found.wrong <= found.wrong_before
    assert found.gained > found.lost
    assert f1(table, truth, model=trained) >= f1(table, truth)


def test_what_puts_more_labels_wrong_than_right_is_not_learned(drawn, monkeypatch):
    table, _, labels = drawn
    monkeypatch.setattr(training, "_agree", worse)
    found = partita.train(table, labels, seed=1).held_out
    assert not found.changed
    assert (found.loss, found.wrong) == (found.loss_before, found.wrong_before)
    assert (found.gained, found.lost) == (0, 0)
    assert (found.rejected.gained, found.rejected.lost) == (0, 80)
    assert found.rejected.loss < found.loss
    report = dict(found.sentences())
    assert report["held-out labels"].startswith("weights unchanged, the change was rejected")
    assert "correct 0 held-out labels and break 80" in report["rejected"]
    assert HeldOut.from_dict(json.loads(json.dumps(found.as_dict()))) == found


def worse(ready, model, labels):
    """Every label agrees before the change, and none after."""
    return np.full(len(labels), model is None)


def test_the_same_seed_learns_the_same(drawn, trained):
    table, _, labels = drawn
    assert partita.train(table, labels, seed=1).named() == trained.named()


def test_a_resolver_takes_a_trained_model(drawn, trained):
    table, _, _ = drawn
    fitted = partita.Resolver(model=trained, random_state=1).fit(table)
    assert np.array_equal(fitted.labels_, partita.resolve(table, model=trained, seed=1).labels)


def test_labels_as_the_start_expects_them_leave_it_as_it_is():
    kept = 0
    for seed in range(3):
        rng = np.random.default_rng(seed)
        anchor, drawn = PenalisedRefit(model()), pool(rng, 60)
        p = 1 / (1 + np.exp(-anchor.score(drawn, anchor.no_change())))
        told = TrainingPairs(
            drawn.levels, drawn.rest, (rng.random(60) < p).astype(float), np.ones(60)
        )
        nothing = told.subset(np.zeros(0, np.int64))
        tried = training._cross_validate(anchor, told, nothing, rng)
        assert tried.losses[tried.best].mean() <= tried.losses[0].mean()
        kept += tried.best == 0
    assert kept >= 2


def test_a_column_of_the_truth_does_as_well(drawn):
    table, truth, _ = drawn
    told = table.append_column("who", [truth])
    trained = partita.train(told, truth_column="who", seed=1)
    assert "who" not in trained.pair_model.names
    assert trained.held_out.labels > 100
    assert trained.held_out.loss <= trained.held_out.loss_before


def test_learning_goes_on_from_a_trained_model(drawn, trained):
    table, _, labels = drawn
    second = partita.train(table, labels[:40], model=trained, seed=1)
    assert second.held_out.labels == 40
    assert second.pair_model.names == trained.pair_model.names


def test_sources_with_the_same_ids():
    tables, truth = two_sources(300)
    many = [table.num_rows for table in tables.values()]
    sides = {"left": truth[: many[0]], "right": truth[many[0] :]}
    both = np.intersect1d(sides["left"], sides["right"])
    row = {"source_dataset_l": "left", "source_dataset_r": "right"}
    labels = []
    for k, one in enumerate(both[:30]):
        a, b = (int(np.flatnonzero(sides[side] == one)[0]) for side in sides)
        labels.append({**row, "unique_id_l": a, "unique_id_r": b, "label": "match"})
        c = int(np.flatnonzero(sides["right"] == both[-1 - k])[0])
        labels.append({**row, "unique_id_l": a, "unique_id_r": c, "label": "non-match"})
    found = partita.train(tables, labels, one_to_one=True, seed=1)
    assert found.held_out.labels == 60


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "give either labels or a truth_column"),
        ({"labels": [], "truth_column": "who"}, "give either labels or a truth_column"),
        ({"labels": []}, "there are no labels"),
        ({"truth_column": "who"}, "no column 'who'"),
    ],
)
def test_what_is_refused(options, said):
    table, _ = persons(60)
    with pytest.raises(InputError, match=said):
        partita.train(table, **options)


def test_an_empty_truth_and_one_of_a_single_entity_are_refused():
    table, _ = persons(60)
    for values, said in (([None] * 60, "is empty"), (["one"] * 60, "labels are matches")):
        with pytest.raises(InputError, match=said):
            partita.train(table.append_column("who", [values]), truth_column="who")


def test_pairs_that_all_compare_alike_are_refused():
    rows = [{"id": k, "name": word * 3} for k, word in enumerate("abcdefghijkl")]
    words = ["match", "match", "non-match", "non-match"]
    labels = [
        {"unique_id_l": 2 * k, "unique_id_r": 2 * k + 1, "label": word}
        for k, word in enumerate(words)
    ]
    with pytest.raises(InputError, match="have the same comparison levels in every"):
        partita.train(rows, labels)


def test_folds_hold_both_answers():
    target = np.array([1.0] * 7 + [0.0] * 23)
    fold = training._folds(target, training.FOLDS, np.random.default_rng(0))
    for k in range(training.FOLDS):
        assert len(set(target[fold == k])) == 2
